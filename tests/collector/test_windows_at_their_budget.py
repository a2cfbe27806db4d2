"""Checks what a full budget of windows takes: memory as estimated, and processor time in short pieces."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeVar

import pytest

from kwitness.collector.inventory.recent_rewinds import RecentRewinds
from kwitness.collector.inventory.recent_windows import MAX_RECENT_BYTES, RecentWindows
from kwitness.collector.inventory.window_tables import GROUP_TABLE, TRAFFIC_TABLE
from kwitness.collector.inventory.windows_page import windows_page
from kwitness.collector.inventory.windows_part import WindowsPart, windows_part
from kwitness.collector.inventory.windows_question import WindowsQuestion
from kwitness.contracts.envelopes import EventsHead, WindowTotals

from tests.collector.event_samples import head
from tests.collector.owner_samples import owned
from tests.collector.window_samples import LENGTH_MS, NOW, behind, of_namespace, produced, requested, window
from tests.usual_time import usual_s

T = TypeVar("T")
MIB = 1024 * 1024
LONGEST_PIECE_S = 0.005
SLACK = 4
"""Processors differ, and so do they from moment to moment."""
OWNERS = owned(
    *((f"team-{number}", {"topic": f"payments-{number}-*"}) for number in range(500)),
    *((f"team-{number}", {"principal": f"User:payments-{number}*"}) for number in range(500)),
)


def clients_of(names: Iterator[str], most_bytes: int, **more: Any) -> RecentWindows:
    """Fill most of a budget: ten clients of each pod, with three topics each, in three windows."""
    windows = RecentWindows(most_bytes)
    for number in itertools.count():
        sender = EventsHead.model_validate(head(**of_namespace(f"shop-{number % 20}", f"app-{number}")))
        whose = [{"client_id": next(names), "principal": f"User:{next(names)}"} for _ in range(10)]
        topics = [
            produced(f"{who['client_id'][:30]}.{topic}", 10_000 + number, **who, fetch_lag=1_000 + number, **more)
            for who in whose
            for topic in range(3)
        ]
        apis = [requested(100_000 + number, **who, **more) for who in whose]
        for seq in range(3):
            text = json.dumps(window(seq, NOW - seq * LENGTH_MS, traffic=topics, apis=apis))
            windows.add(sender, WindowTotals.model_validate_json(text), NOW)
        if windows.bytes > 0.9 * most_bytes:
            return windows
    raise AssertionError("counting has no end")


def usual_names() -> Iterator[str]:
    return (f"payments-{number}-orders-producer" for number in itertools.count())


def longest_names() -> Iterator[str]:
    return (f"{number}{chr(0x1F600 + number % 50) * 32_000}"[:32_000] for number in itertools.count())


@pytest.mark.parametrize(
    ("names", "most_bytes", "more"),
    [(usual_names, 4 * MIB, {}), (longest_names, MIB, {"errors": {str(code): 1_000 + code for code in range(9)}})],
    ids=["usual", "longest"],
)
def test_memory_of_windows_is_between_half_of_the_estimate_and_all_of_it(
    names: Callable[[], Iterator[str]], most_bytes: int, more: Mapping[str, Any]
) -> None:
    gc.collect()
    tracemalloc.start()
    try:
        windows = clients_of(names(), most_bytes, **more)
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert windows.bytes / 2 < used < windows.bytes


def longest_piece_s(work: Awaitable[T]) -> tuple[T, float]:
    """Return the result, and the processor time of the longest piece between two turns of others."""

    async def measure() -> tuple[T, float]:
        task = asyncio.ensure_future(work)
        before, longest = time.thread_time(), 0.0
        while not task.done():
            await asyncio.sleep(0)
            now = time.thread_time()
            longest, before = max(longest, now - before), now
        return task.result(), longest

    gc.disable()  # a collection of all objects of this process would count to the piece in which it happens
    try:
        return asyncio.run(measure())
    finally:
        gc.enable()


@pytest.fixture(scope="module")
def full() -> RecentWindows:
    return clients_of(usual_names(), MAX_RECENT_BYTES)


QUESTIONS: list[dict[str, str]] = [
    {"limit": "1000"},
    {"limit": "1000", "order": "-requests_per_s"},
    {"limit": "1000", "order": "-fetch_lag"},
    {"limit": "1000", "topic_owner": "team-4*", "order": "-records_per_s"},
    {"limit": "1000", "owner": "team-4"},
]


@pytest.mark.parametrize("parameters", QUESTIONS, ids=" ".join)
def test_an_answer_from_a_full_budget_is_made_in_pieces_of_a_few_milliseconds(
    full: RecentWindows, parameters: dict[str, str]
) -> None:
    question = WindowsQuestion(TRAFFIC_TABLE, TRAFFIC_TABLE.noun.question(parameters), OWNERS)
    part, longest_s = longest_piece_s(windows_part(full, RecentRewinds(), question, NOW))
    page, longest_of_page_s = longest_piece_s(windows_page(question, (part, part, part), ()))

    assert len(page.items) == len(part.rows) > 0
    assert usual_s(max(longest_s, longest_of_page_s)) < SLACK * LONGEST_PIECE_S


def test_a_part_is_written_and_read_in_a_few_milliseconds(full: RecentWindows) -> None:
    question = WindowsQuestion(TRAFFIC_TABLE, TRAFFIC_TABLE.noun.question({"limit": "1000"}), OWNERS)
    part = asyncio.run(windows_part(full, RecentRewinds(), question, NOW))

    began = time.thread_time()
    text = part.model_dump_json()
    written = time.thread_time()
    again = WindowsPart.model_validate_json(text)
    read_s, written_s = time.thread_time() - written, written - began

    assert again == part
    assert usual_s(max(written_s, read_s)) < SLACK * LONGEST_PIECE_S


def groups_of(count: int) -> RecentWindows:
    windows = RecentWindows()
    sender = EventsHead.model_validate(head())
    for seq, first in itertools.product(range(3), range(0, count, 5_000)):
        lags = [behind(f"group-{number:05}", number, committed_lag_ms=number) for number in range(first, first + 5_000)]
        windows.add(sender, WindowTotals.model_validate(window(seq, NOW - seq * LENGTH_MS, groups=lags)), NOW)
    return windows


def test_20_000_groups_find_room_and_are_answered_page_by_page_in_short_pieces() -> None:
    windows = groups_of(20_000)
    seen: list[str] = []
    after: dict[str, str] = {}
    longest_s = 0.0

    while True:
        question = WindowsQuestion(GROUP_TABLE, GROUP_TABLE.noun.question({"limit": "1000", **after}), OWNERS)
        part, of_part_s = longest_piece_s(windows_part(windows, RecentRewinds(), question, NOW))
        page, of_page_s = longest_piece_s(windows_page(question, (part,), ()))
        seen += [json.loads(item)["group_id"] for item in page.items]
        longest_s = max(longest_s, of_part_s, of_page_s)
        assert page.known["matched"] == 20_000
        if page.known["continue"] is None:
            break
        after = {"continue": str(page.known["continue"])}

    assert seen == [f"group-{number:05}" for number in range(20_000)]
    assert windows.left_out == {}
    assert usual_s(longest_s) < SLACK * LONGEST_PIECE_S
