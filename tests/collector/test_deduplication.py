"""Checks windows of sequence numbers: their length, the number of sources, and their written form."""

from __future__ import annotations

from kwitness.collector.deduplication import MAX_SOURCES, WINDOW, Deduplication, SequenceWindow


def test_the_last_ten_thousand_numbers_are_known_in_any_order() -> None:
    window = SequenceWindow()
    for seq in (5, 1, 3, 20_000, 19_999, 10_001):
        window.add(seq)

    assert [seq in window for seq in (20_000, 19_999, 10_001, 19_998)] == [True, True, True, False]
    assert 20_000 - WINDOW not in window


def test_windows_survive_being_written_and_bound_the_number_of_sources() -> None:
    seen = Deduplication()
    for number in range(MAX_SOURCES + 50):
        seen.window(f"source-{number}", 1).add(7)
    other = Deduplication()

    other.load(seen.dump())

    assert 7 in other.window(f"source-{MAX_SOURCES + 49}", 1)
    assert 7 not in other.window("source-0", 1)
