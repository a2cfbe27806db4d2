"""Increments as the sums that they add up to at the collector: equal to its page's, over restarts, bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.core import Cumulative
from kwitness.collector.prometheus.accumulate import PythonCore

from tests.collector.collector_process import value
from tests.collector.collector_samples import (
    CREATION_SERIES,
    CREATION_TOTAL,
    CUMULATIVE,
    DELTA,
    add_number,
    counter_push,
    gauge_push,
    histogram_push,
    java_push,
)
from tests.collector.core_exposition import WHO, samples
from tests.collector.core_exposition import core as new_core

NOW_MS = 1_700_000_000_000
SECOND_NS = 1_000_000_000


def restarted(core: PythonCore) -> PythonCore:
    """The core that goes on after a restart."""
    following = new_core()
    following.load(list(core.dump()), NOW_MS)
    return following


def pushed(core: PythonCore, payload: bytes, client: str = "a") -> Cumulative:
    """Apply a push, and return it with sums."""
    assert core.apply(client, WHO, payload).malformed is None
    return core.cumulative(client, payload, NOW_MS)


def points(cumulative: Cumulative) -> list[tuple[float, int, int]]:
    """Value, start and time of each point of a sum, each of which is cumulative."""
    found = []
    for resource in MetricsData.FromString(cumulative.payload).resource_metrics:
        for metric in (metric for scope in resource.scope_metrics for metric in scope.metrics):
            assert metric.sum.aggregation_temporality == CUMULATIVE
            found += [
                (getattr(point, point.WhichOneof("value")), point.start_time_unix_nano, point.time_unix_nano)
                for point in metric.sum.data_points
            ]
    return found


PUSHES = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2**40), st.booleans()), min_size=1, max_size=20)


@given(PUSHES)
def test_sums_of_clients_add_up_to_the_page_and_go_on_after_restarts(pushes: list[tuple[str, int, bool]]) -> None:
    core = new_core()
    last: dict[str, tuple[float, int]] = {}
    for number, (client, amount, restarts) in enumerate(pushes, 1):
        time_ns = number * SECOND_NS
        payload = counter_push(amount, start_ns=time_ns - 7, time_ns=time_ns)

        [(total, start_ns, at_ns)] = points(pushed(core, payload, client))

        before, began_ns = last.get(client, (0, time_ns - 7))
        assert (total - before, start_ns, at_ns) == (amount, began_ns, time_ns)
        last[client] = (total, start_ns)
        core = restarted(core) if restarts else core
    assert value(samples(core), CREATION_SERIES) == sum(total for total, _ in last.values())


def test_pushes_of_one_shape_add_up_too() -> None:
    core = new_core()
    for _ in range(5):
        written = pushed(core, java_push(2))

    assert core.clients["a"].shape is not None
    [metric, gauge] = MetricsData.FromString(written.payload).resource_metrics[0].scope_metrics[0].metrics
    assert metric.sum.data_points[0].as_double == 10
    assert gauge.WhichOneof("data") == "gauge"


def test_a_client_that_comes_back_begins_again() -> None:
    core = new_core()
    pushed(core, counter_push(5, start_ns=1, time_ns=2))
    core.depart("a")

    assert points(pushed(core, counter_push(3, start_ns=8, time_ns=9))) == [(3, 8, 9)]


def test_a_clock_that_was_set_back_gives_no_sum_a_start_after_its_time() -> None:
    core = new_core()
    pushed(core, counter_push(5, start_ns=100, time_ns=200))

    assert points(pushed(core, counter_push(3, start_ns=10, time_ns=20))) == [(8, 20, 20)]


def test_points_without_times_have_the_time_of_their_arrival() -> None:
    core = new_core()
    now_ns = NOW_MS * 1_000_000

    assert points(pushed(core, counter_push(5))) == [(5, now_ns, now_ns)]


def test_a_histogram_has_the_buckets_of_all_its_increments() -> None:
    core = new_core()
    pushed(core, histogram_push([1, 0, 2], 9))
    core = restarted(core)

    written = pushed(core, histogram_push([0, 1, 1], 4.5))

    [metric] = MetricsData.FromString(written.payload).resource_metrics[0].scope_metrics[0].metrics
    [point] = metric.histogram.data_points
    assert metric.histogram.aggregation_temporality == CUMULATIVE
    assert (list(point.bucket_counts), point.count, point.sum) == ([1, 1, 3], 5, 13.5)


def test_the_state_of_an_earlier_version_has_sums_of_counters_and_no_buckets() -> None:
    core, following = new_core(), new_core()
    pushed(core, counter_push(5, start_ns=1, time_ns=2))
    pushed(core, histogram_push([1, 0, 2], 9))
    rows = [row[:13] if row[0] == "slot" else row for row in core.dump()]
    assert rows[0][1] == 5
    rows[0][1] = 4

    following.load(rows, NOW_MS)

    assert points(pushed(following, counter_push(3, start_ns=8, time_ns=9))) == [(8, 9, 9)]
    assert pushed(following, histogram_push([0, 1, 1], 4.5)).left_out == 1


def test_other_bounds_than_those_of_the_series_are_left_out() -> None:
    core = new_core()
    pushed(core, histogram_push([1, 0, 2], 9))

    written = pushed(core, histogram_push([1, 0, 2], 9, bounds=(2, 3)))

    assert written.left_out == 1
    assert not MetricsData.FromString(written.payload).resource_metrics[0].scope_metrics[0].metrics


def test_a_level_is_the_sum_of_its_changes() -> None:
    core = new_core()
    for change in (5, -2):
        data = MetricsData()
        add_number(data, "app.waiting", change, temporality=DELTA, monotonic=False, start_ns=1, time_ns=9)
        written = pushed(core, data.SerializeToString())

    assert points(written) == [(3, 1, 9)]


def test_attributes_that_come_twice_in_one_push_are_one_point() -> None:
    core = new_core()
    data = MetricsData()
    for amount in (1, 2):
        add_number(data, CREATION_TOTAL, amount, temporality=DELTA, start_ns=1, time_ns=9)

    assert points(pushed(core, data.SerializeToString())) == [(3, 1, 9)]


def test_a_push_without_increments_stays_byte_by_byte() -> None:
    core = new_core()
    for payload in (gauge_push("app.thing", 1.0), counter_push(5, temporality=CUMULATIVE, start_ns=1), b""):
        assert pushed(core, payload) == Cumulative(payload, 0)
    assert core.cumulative("a", b"\xff", NOW_MS) == Cumulative(b"\xff", 0)


def test_what_found_no_room_in_the_budget_of_series_is_left_out_and_counted() -> None:
    core = new_core(max_series=2)
    data = MetricsData()
    for number in range(100):
        add_number(data, CREATION_TOTAL, 1, attributes={"n": str(number)}, temporality=DELTA, start_ns=1, time_ns=9)

    written = pushed(core, data.SerializeToString())

    kept = points(written)
    assert written.left_out > 0
    assert len(kept) + written.left_out == 100
    assert set(kept) == {(1, 1, 9)}
    assert core.cumulative("unknown", data.SerializeToString(), NOW_MS).left_out == 100


@pytest.mark.parametrize("amount", [2**62, 1e300])
def test_a_sum_beyond_64_bits_is_a_double(amount: float) -> None:
    core = new_core()
    for _ in range(3):
        written = pushed(core, counter_push(amount, start_ns=1, time_ns=9))

    [(total, _, _)] = points(written)
    assert total == pytest.approx(3 * amount)
