"""Cumulative values of plain OTLP: what Prometheus sees rise is what the program counted, after a loss never more."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kwitness.collector.core import ZeroPeriod
from kwitness.collector.events import Event
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.state.collector_state import CollectorState

from tests.collector.collector_process import parse, value
from tests.collector.collector_samples import CREATION_SERIES, CREATION_TOTAL, CUMULATIVE, counter_push

BEGUN_MS = 1_700_000_000_000
INTERVAL_MS = 10_000
HISTORY = 1_000_000_000


class Prometheus:
    """What `increase` is made of: the raw samples of one target, each fall a reset, as far as they were scraped."""

    def __init__(self) -> None:
        self.risen = 0.0
        self._last: float | None = None

    def scrape(self, replica: Replica) -> float | None:
        """Scrape at the time of the last push, and return the sample: what was created up to 3 ms before is 0."""
        page = b"".join(replica.state.core.render(ZeroPeriod(replica.now_ms, 4), openmetrics=False))
        found = value(parse(page.decode()), CREATION_SERIES)
        if found is not None and self._last is not None:
            self.risen += found - self._last if found >= self._last else found
        self._last = found if found is not None else self._last
        return found


class Replica:
    """The state of one replica, which was empty when it began."""

    def __init__(self, folder: Path, begun_ms: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.state = CollectorState(folder, lambda: PythonCore(("client_id",), 1_000), 3)
        self.state.count_from(begun_ms)
        self.now_ms = begun_ms
        self._seq = 0

    def set_clock(self, step_ms: int) -> None:
        """Set the clock that the times come from: from now on they are so much later."""
        steps = [step_ms]
        self.state.clock_step_ms = lambda: steps.pop() if steps else 0

    def take(self, payload: bytes, now_ms: int, instance: str = "a") -> None:
        self._seq += 1
        self.now_ms = now_ms
        identity = {"client_id": "checkout", "client_instance_id": instance}
        self.state.expire(now_ms)
        self.state.apply(Event("otlp/0", 1, self._seq, now_ms, identity, payload), now_ms)


def total(value: int, start_ms: int, now_ms: int) -> bytes:
    return counter_push(value, CREATION_TOTAL, CUMULATIVE, start_ms * 1_000_000, now_ms * 1_000_000)


def after(intervals: float) -> int:
    return BEGUN_MS + int(intervals * INTERVAL_MS)


@pytest.fixture
def replica(tmp_path: Path) -> Replica:
    return Replica(tmp_path, BEGUN_MS - 3_600_000)


def test_what_is_young_counts_from_zero(replica: Replica) -> None:
    prometheus = Prometheus()

    replica.take(total(7, BEGUN_MS, after(1)), after(1))
    assert prometheus.scrape(replica) == 0
    replica.take(total(12, BEGUN_MS, after(2)), after(2))
    prometheus.scrape(replica)

    assert prometheus.risen == 12


def test_the_history_of_what_is_not_young_is_not_new(replica: Replica) -> None:
    prometheus = Prometheus()
    old = BEGUN_MS - 600_000

    for step in range(4):
        replica.take(total(HISTORY + 10 * step, old, after(step)), after(step))
        prometheus.scrape(replica)

    assert prometheus.risen == 30


@pytest.mark.parametrize(("intervals", "risen"), [(1.9, 5), (2.1, 0)])
def test_a_known_sender_is_young_for_two_of_its_intervals(replica: Replica, intervals: float, risen: int) -> None:
    other = "org.apache.kafka.consumer.fetch.manager.records.consumed.total"
    for step in range(3):
        replica.take(total(1, BEGUN_MS, after(step)), after(step))
    now = after(3)
    start_ns = int((now - intervals * INTERVAL_MS) * 1_000_000)

    replica.take(counter_push(5, other, CUMULATIVE, start_ns, now * 1_000_000), now)

    [found] = [one for one in replica.state.core.values("/" + "a") if one.name == other]
    assert found.value == risen


@pytest.mark.parametrize("away", [6, 100])
def test_who_departed_and_comes_back_does_not_count_twice(replica: Replica, away: int) -> None:
    prometheus = Prometheus()
    replica.take(total(400, BEGUN_MS, after(1)), after(1))
    replica.take(total(500, BEGUN_MS, after(1) + 2), after(1) + 2)
    prometheus.scrape(replica)
    replica.take(total(1_000, BEGUN_MS, after(3)), after(3))
    prometheus.scrape(replica)
    replica.state.expire(after(3 + away))
    assert prometheus.scrape(replica) is None

    replica.take(total(1_001, BEGUN_MS, after(3 + away)), after(3 + away))
    prometheus.scrape(replica)
    replica.take(total(1_005, BEGUN_MS, after(4 + away)), after(4 + away))
    prometheus.scrape(replica)

    assert prometheus.risen == 1_004


def test_a_program_that_is_started_again_while_it_is_taken_for_gone_counts_from_zero(replica: Replica) -> None:
    prometheus = Prometheus()
    for step in (1, 2, 3):
        replica.take(total(10 * step, BEGUN_MS, after(step)), after(step))
        prometheus.scrape(replica)
    replica.state.expire(after(8))

    replica.take(total(3, after(7.5), after(8.5)), after(8.5))
    prometheus.scrape(replica)
    replica.take(total(4, after(7.5), after(9.5)), after(9.5))
    prometheus.scrape(replica)

    assert prometheus.risen == 30 + 4


@pytest.mark.parametrize("instances", ["a", "abc"])
@pytest.mark.parametrize("age", [1.5, 100])
def test_a_lost_state_makes_nothing_new(tmp_path: Path, age: float, instances: str) -> None:
    began = after(-age)
    replica = Replica(tmp_path / "one", began - 1)
    prometheus = Prometheus()
    for instance in instances:
        replica.take(total(1, began, began + 1), began + 1, instance)
    prometheus.scrape(replica)
    for instance in instances:
        replica.take(total(1_000, began, after(0)), after(0), instance)
    prometheus.scrape(replica)
    assert prometheus.risen == 1_000 * len(instances)

    lost = Replica(tmp_path / "two", after(0.5))
    for value_, step in ((1_001, 1), (1_004, 2)):
        for instance in instances:
            lost.take(total(value_, began, after(step)), after(step), instance)
            prometheus.scrape(lost)

    assert prometheus.risen == 1_003 * len(instances)


def test_a_client_that_moves_is_not_counted_by_both(tmp_path: Path) -> None:
    old, new = Replica(tmp_path / "old", BEGUN_MS - 3_600_000), Replica(tmp_path / "new", BEGUN_MS - 3_600_000)
    before, after_ = Prometheus(), Prometheus()
    old.take(total(50, after(-1), after(0)), after(0))
    before.scrape(old)
    old.take(total(60, after(-1), after(0.1)), after(0.1))
    before.scrape(old)

    new.state.count_from(after(0.5))
    new.take(total(61, after(-1), after(1)), after(1))
    after_.scrape(new)
    new.take(total(70, after(-1), after(2)), after(2))
    after_.scrape(new)

    assert 60 + 9 <= before.risen + after_.risen <= 70


def test_a_clock_that_is_set_back_hides_nothing(replica: Replica) -> None:
    prometheus = Prometheus()
    for step in (1, 2):
        replica.take(total(10 * step, BEGUN_MS, after(step)), after(step))
        prometheus.scrape(replica)

    back = after(-360)
    for step in (1, 2, 3):
        replica.take(total(5 * step, back, back + step * INTERVAL_MS), after(2 + step))
        prometheus.scrape(replica)

    assert prometheus.risen == 20 + 15


@pytest.mark.parametrize("step_ms", [-3_600_000, 3_600_000])
@pytest.mark.parametrize(("began", "risen"), [(-3, 5), (0.2, 12)])
def test_a_collector_whose_clock_is_set_counts_what_began_before_it_no_more_and_no_less(
    tmp_path: Path, step_ms: int, began: float, risen: int
) -> None:
    replica = Replica(tmp_path, BEGUN_MS)
    prometheus = Prometheus()
    replica.set_clock(step_ms)

    for amount, step in ((7, 1), (12, 2)):
        replica.take(total(amount, after(began), after(step)), after(step) + step_ms)
        prometheus.scrape(replica)

    assert prometheus.risen == risen


@pytest.mark.parametrize("step_ms", [-600_000, 600_000])
def test_who_comes_back_after_the_clock_was_set_does_not_count_twice(replica: Replica, step_ms: int) -> None:
    prometheus = Prometheus()
    for amount, step in ((400, 1), (1_000, 2)):
        replica.take(total(amount, BEGUN_MS, after(step)), after(step))
        prometheus.scrape(replica)
    replica.state.expire(after(8))
    assert prometheus.scrape(replica) is None
    replica.set_clock(step_ms)

    for amount, step in ((1_001, 9), (1_005, 10)):
        replica.take(total(amount, BEGUN_MS, after(step)), after(step) + step_ms)
        prometheus.scrape(replica)

    assert prometheus.risen == 1_004


def test_processes_that_say_that_they_are_the_same_add_up(replica: Replica) -> None:
    prometheus = Prometheus()
    for step in range(1, 6):
        replica.take(total(10 * step, BEGUN_MS, after(step)), after(step))
        replica.take(total(3 * step, BEGUN_MS + 17, after(step) + 3), after(step) + 3)
        prometheus.scrape(replica)

    assert prometheus.risen == 50 + 15


def _exports(*values: tuple[int, int]) -> list[int]:
    """The values of two processes in turn."""
    return [value for pair in values for value in pair]


@pytest.mark.parametrize(
    ("values", "risen"),
    [
        (_exports((100, 5), (110, 6), (120, 7), (130, 8)), 33),
        (_exports((100, 50), (110, 90), (120, 115)), 20 + 65),
        ([50, 60, 3, 5, 9], 10 + 6),
        ([50, 50, 60, 60, 60], 10),
    ],
)
@pytest.mark.parametrize("step_ms", [1, 0])
def test_values_without_a_start_are_compared_with_what_they_may_follow(
    replica: Replica, values: list[int], risen: int, step_ms: int
) -> None:
    prometheus = Prometheus()
    for turn, amount in enumerate(values, start=1):
        payload = counter_push(amount, CREATION_TOTAL, CUMULATIVE, 0, (BEGUN_MS + turn) * step_ms * 1_000_000)
        replica.take(payload, after(1) + turn)
        prometheus.scrape(replica)

    assert prometheus.risen == risen


def test_an_export_that_comes_again_or_late_adds_nothing(replica: Replica) -> None:
    prometheus = Prometheus()
    for turn, step in enumerate((1, 2, 2, 1, 3, 2, 3)):
        replica.take(total(10 * step, BEGUN_MS, after(step)), after(3) + turn)
        prometheus.scrape(replica)

    assert prometheus.risen == 30


STEPS = st.lists(
    st.sampled_from(["export", "export", "export", "scrape", "scrape", "restart", "lose", "load", "silence"]),
    min_size=1,
    max_size=40,
)


@settings(deadline=None)
@given(STEPS, st.integers(1, 3))
def test_whatever_happens_no_more_is_seen_than_was_counted(steps: list[str], programs: int) -> None:
    """Programs that share a series count; either side is started again; the collector keeps its state or loses it."""
    with TemporaryDirectory() as folder:
        now, lost = BEGUN_MS, 0
        replica = Replica(Path(folder, "0"), now - 3_600_000)
        prometheus = Prometheus()
        started, running, counted = [now] * programs, [0] * programs, 0
        for turn, step in enumerate(steps):
            now += INTERVAL_MS // 2
            which = turn % programs
            match step:
                case "export":
                    running[which] += turn
                    counted += turn
                    replica.take(total(running[which], started[which], now), now, str(which))
                case "scrape":
                    replica.state.expire(now)
                    prometheus.scrape(replica)
                case "restart":
                    started[which], running[which] = now, 0
                case "lose":
                    lost += 1
                    replica = Replica(Path(folder, str(lost)), now)
                case "load":
                    replica.state.save()
                    kept = Replica(Path(folder, str(lost)), 0)
                    kept.state.load()
                    kept._seq = replica._seq
                    replica = kept
                case "silence":
                    now += 4 * INTERVAL_MS

        assert prometheus.risen <= counted
        if not {"lose", "silence"} & {*steps}:
            replica.now_ms = now + 4
            assert prometheus.scrape(replica) in {None, counted}
