"""Records that are counted together count as they do one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness_interceptors.chain import Named, ProducerChain
from kwitness_interceptors.interface import ProducerInterceptor
from kwitness_interceptors.measures import interceptors
from kwitness_interceptors.measures.client_counts import ClientCounts, TopicCounts
from kwitness_interceptors.measures.interceptors import ConsumerMeasure, ProducerMeasure
from kwitness_interceptors.measures.offset_ranges import OffsetRanges
from kwitness_interceptors.records import Batch, ConsumerRecord, RecordMetadata

NOW_MS = 1_700_000_000_000
KINDS = ("Audit", "Latency", "Sizes")

records = st.builds(
    ConsumerRecord,
    topic=st.just("orders"),
    partition=st.integers(0, 4),
    offset=st.integers(-1, 20),
    timestamp_ms=st.integers(NOW_MS - 5_000, NOW_MS + 5) | st.just(-1),
    timestamp_type=st.just(0),
    key=st.none(),
    value=st.none(),
    headers=st.just(()),
    leader_epoch=st.none(),
    serialized_key_size=st.integers(-1, 5_000),
    serialized_value_size=st.integers(-1, 5_000),
)


def counts() -> ClientCounts:
    return ClientCounts(1, "consumer", "c", "g", window_ms=1_000, most_topics=2, most_partitions=3)


def shown(counts: TopicCounts) -> dict[str, Any]:
    """What is reported of a topic."""
    plain = {
        name: getattr(counts, name)
        for name in (
            "sent",
            "acknowledged",
            "consumed",
            "failures",
            "anomalies",
            "key_bytes",
            "value_bytes",
            "left_out",
        )
    }
    sketches = {
        name: (one.buckets, one.sum)
        for name in ("sizes", "acknowledgement_time", "end_to_end")
        for one in [getattr(counts, name)]
    }
    partitions = {
        number: (one.acknowledged, one.consumed, one.offsets.ranges, one.offsets.merged)
        for number, one in counts.partitions.items()
    }
    return {**plain, **sketches, "partitions": partitions}


@given(st.lists(records, min_size=1, max_size=30))
def test_a_batch_counts_as_its_records_do_one_by_one(got: list[ConsumerRecord]) -> None:
    one_by_one, together = counts(), counts()
    before, interceptors.now_ms = interceptors.now_ms, lambda: float(NOW_MS)
    try:
        ConsumerMeasure(KINDS, one_by_one, lambda _: True).on_consume(got)
        ConsumerMeasure(KINDS, together, lambda _: True).kwitness_consumed(
            Batch(
                "orders",
                [one.partition for one in got],
                [one.offset for one in got],
                [(int(one.timestamp_ms >= 0), one.timestamp_ms) for one in got],
                [one.serialized_key_size for one in got],
                [one.serialized_value_size for one in got],
            )
        )
    finally:
        interceptors.now_ms = before

    assert shown(together.topic("orders", NOW_MS)) == shown(one_by_one.topic("orders", NOW_MS))


@given(st.lists(st.integers(-2, 30), min_size=1, max_size=30))
def test_offsets_that_come_together_make_the_ranges_that_they_make_one_by_one(offsets: list[int]) -> None:
    one_by_one, together = OffsetRanges(), OffsetRanges()
    for offset in offsets:
        one_by_one.add(offset)
    together.add_all(offsets[:10])
    if offsets[10:]:
        together.add_all(offsets[10:])

    assert (together.ranges, together.merged) == (one_by_one.ranges, one_by_one.merged)


def test_a_window_is_taken_out_when_it_has_ended_and_a_clock_that_is_set_back_opens_none_again() -> None:
    found = counts()
    for at_ms, sent in ((500, 1), (1_500, 2), (999, 4), (1_000, 8)):
        found.topic("orders", at_ms).sent += sent
    found.topic("other", 500).sent += 16

    assert found.finished(999, {}) == []
    [first] = found.finished(1_000, {})
    found.topic("orders", 900).sent += 32
    assert found.finished(950, {}) == []
    [second] = found.finished(2_000, {})

    assert {name: one.sent for name, one in first.topics.items()} == {"orders": 5, "other": 16}
    assert {name: one.sent for name, one in second.topics.items()} == {"orders": 42}


def test_what_became_of_a_record_counts_in_the_window_in_which_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    found = counts()
    measure = ProducerMeasure(KINDS, found, lambda _: True)
    clock = iter([0.9, 0.95, 1.1, 2.0])
    monkeypatch.setattr(interceptors, "time", lambda: next(clock))

    measure.kwitness_sent("orders")
    measure.kwitness_sent("orders")
    measure.kwitness_settled("orders", 0, 7, 1, 1, 0.2, None)
    measure.kwitness_settled("orders", 0, -1, 1, 1, 1.05, BufferError())

    windows = [(one.start_ms, one.topics["orders"]) for one in found.finished(3_000, {})]
    assert [(start, one.sent, one.acknowledged, sum(one.failures.values())) for start, one in windows] == [
        (0, 2, 0, 0),
        (1_000, 0, 1, 0),
        (2_000, 0, 0, 1),
    ]


def test_a_chain_that_only_counts_says_so_and_counts_what_it_would_of_records() -> None:
    class Own(ProducerInterceptor):
        """Wants records."""

    direct, by_records = counts(), counts()
    chain = ProducerChain([Named("audit", ProducerMeasure(KINDS, direct, lambda _: True))])
    other = ProducerChain([Named("audit", ProducerMeasure(KINDS, by_records, lambda _: True)), Own()])
    assert (chain.wants_records, other.wants_records) == (False, True)

    chain.settled("orders", 1, 7, 3, 10, 0.25, None)
    other.on_acknowledgement(RecordMetadata("orders", 1, 7, -1, 3, 10, None, 0.25), None)
    chain.settled("orders", -1, -1, 3, 10, 0.25, BufferError())
    other.on_acknowledgement(RecordMetadata("orders", -1, -1, -1, 3, 10, None, 0.25), BufferError())

    told = [shown(one.topics["orders"]) for each in (direct, by_records) for one in each.finished(float("1e15"), {})]
    assert told[0] == told[-1]
    assert (told[0]["acknowledged"], told[0]["failures"]) == (1, {"queue_full": 1})
    assert chain.counts()["audit", "on_acknowledgement"].calls == 2
