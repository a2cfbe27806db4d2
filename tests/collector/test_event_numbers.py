"""Numbers of observers' events count once, in whatever order requests arrive and whichever answers are lost."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kwitness.collector.event_lines import read_events
from kwitness.collector.event_numbers import AHEAD, EventNumbers, SourceNumbers
from kwitness.collector.ledger import EVENTS, Ledger
from kwitness.collector.observation import Observation
from kwitness.collector.origin import Sender
from kwitness.collector.pipeline import Pipeline
from kwitness.collector.privacy.privacy import Privacy
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.state.collector_state import CollectorState
from kwitness.contracts.collector_config import CollectorConfig
from kwitness.contracts.envelopes import ClusterSubscriptions, EventsAnswer

from tests.collector.collector_process import GATEWAY_SOURCE
from tests.collector.collector_samples import CLUSTER
from tests.collector.core_exposition import NO_ZEROS
from tests.collector.event_samples import head, request, row, totals

SENDER = Sender(GATEWAY_SOURCE, CLUSTER, "gateway")


class Alone:
    """A collector of one replica."""

    own = 0

    def owner(self, _: str) -> int:
        return 0

    async def hand_over(self, ordinal: int, events: Any) -> Any:
        raise AssertionError(f"{ordinal} is given {events}")

    async def hand_over_gauges(self, ordinal: int, snapshot: Any) -> None:
        raise AssertionError(f"{ordinal} is given {snapshot}")


def observation(folder: Path = Path("/nonexistent"), max_series: int = 1_000) -> Observation:
    config = CollectorConfig.model_validate(
        {
            "cluster_id": CLUSTER,
            "namespace": "kwitness",
            "name": "main",
            "kafka": {"bootstrap_servers": ["127.0.0.1:1"]},
            "prometheus": {"max_series": max_series},
        }
    )
    state = CollectorState(folder, lambda: PythonCore((), 100), 3)
    return Observation(
        Pipeline(state, Ledger(1), Alone(), Privacy(config)), config, lambda: ClusterSubscriptions(hash="none")
    )


def numbers_of(text: str) -> set[int]:
    found: set[int] = set()
    for first, _, last in re.findall(r"(\d+)(-(\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def counters(door: Observation) -> dict[str, float]:
    text = b"".join(door.totals.render(NO_ZEROS, openmetrics=False)).decode()
    lines = re.findall(r"^(\w+)\{.*\} (\S+)$", text, re.MULTILINE)
    return {name: sum(float(value) for one, value in lines if one == name) for name, _ in lines}


STEPS = st.lists(
    st.tuples(st.sampled_from(["new", "again", "lost", "late"]), st.integers(1, 5), st.integers(0, 2**16)),
    min_size=1,
    max_size=30,
)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_any_order_of_requests_repeats_and_lost_answers_counts_everything_once(
    steps: list[tuple[str, int, int]],
) -> None:
    door = observation()
    held: dict[int, int] = {}
    sent: list[bytes] = []
    made = 0

    def post(body: bytes) -> EventsAnswer:
        return asyncio.run(door.accept(read_events(body), SENDER))

    def settle(answer: EventsAnswer) -> None:
        for number in numbers_of(answer.accepted) | numbers_of(answer.duplicates):
            held.pop(number, None)
        assert not answer.rejected

    def everything_held() -> bytes:
        settled = min(held, default=made + 1)
        rows = [row(number) for number in held if number % 3 == 0]
        windows = [totals(number, records) for number, records in held.items() if number % 3]
        return request(rows, totals=windows, settled=settled)

    for step, count, chance in steps:
        if step == "late" and sent:
            post(sent[chance % len(sent)])  # a copy that was long under way; nobody waits for its answer
            continue
        for _ in range(count if step == "new" else 0):
            made += 1
            held[made] = chance % 97 + 1
        sent.append(everything_held())
        answer = post(sent[-1])
        if step != "lost":
            settle(answer)
    settle(post(everything_held()))

    assert held == {}
    assert numbers_of(post(request(settled=0)).accepted) == set()
    hop = next(hop for hop in door._pipeline.ledger.hops() if hop.name == EVENTS)
    assert hop.delivered == made
    assert hop.accepted == hop.delivered + sum(hop.dropped.values())
    assert hop.queued == 0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=40), st.integers(20, 60))
def test_the_sum_is_exact_within_the_budget_and_beyond(amounts: list[int], max_series: int) -> None:
    door = observation(max_series=max_series)
    body = [totals(seq, records, client_id=f"client-{seq}") for seq, records in enumerate(amounts)]

    for window in body * 2:
        asyncio.run(door.accept(read_events(request(totals=[window])), SENDER))

    shown = counters(door)
    assert shown.get("kafka_client_records_total", 0) == sum(amounts)
    assert shown["kafka_client_requests_total"] == 3 * len(amounts)
    assert shown["kafka_client_response_time_seconds_count"] == 3 * len(amounts)
    assert door.totals.series <= max_series // 2


async def test_a_number_in_work_comes_later() -> None:
    numbers = SourceNumbers()
    first = numbers.claim([1, 2])

    again = numbers.claim([1, 2, 3])

    assert (again.fresh, again.later) == ({3}, {1, 2})
    numbers.take([1])
    numbers.release(first.fresh)
    assert numbers.claim([1, 2]) == ({2}, {1}, frozenset())


def test_a_leap_of_settled_forgets_what_lies_below_and_costs_nothing() -> None:
    numbers = SourceNumbers()
    numbers.take(numbers.claim([0, 5, AHEAD - 1]).fresh)

    numbers.settle(2**61)
    numbers.settle(3)

    assert numbers.settled == 2**61
    assert numbers.claim([5, 2**61 - 1, 2**61, 2**61 + AHEAD]) == (
        {2**61},
        {5, 2**61 - 1},
        {2**61 + AHEAD},
    )


def test_sources_are_bounded_and_one_at_work_is_never_forgotten() -> None:
    all_numbers = EventNumbers(max_sources=2)
    busy = all_numbers.of("shop/a", 1)
    busy.claim([1])
    idle = all_numbers.of("shop/b", 1)
    idle.take(idle.claim([1]).fresh)

    all_numbers.of("shop/c", 1)

    assert all_numbers.of("shop/a", 1) is busy
    assert all_numbers.of("shop/b", 1) is not idle


@pytest.mark.parametrize("newline", [b"", b"\n"])
def test_the_last_line_may_end_without_a_line_feed(newline: bytes) -> None:
    entry, line = row(1)
    body = json.dumps(head(rows=[entry])).encode() + b"\n" + line + newline

    assert read_events(body).rows[1][1] == line
