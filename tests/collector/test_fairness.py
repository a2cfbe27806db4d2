"""One client, or one that plays many, cannot take from the others what all share; and what is added stays exact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.events import Event, ForwardedBatch, of_batch, to_bodies
from kwitness.collector.fairness import NOBODY, Shares, holder_of
from kwitness.collector.inventory import clients as clients_module
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.prometheus.families import MAX_UNREGISTERED
from kwitness.collector.state.collector_state import CollectorState

from tests.collector.collector_process import parse, value
from tests.collector.collector_samples import (
    CREATION_SERIES,
    CUMULATIVE,
    DELTA,
    LATENCY_SERIES,
    add_number,
    counter_push,
    gauge_push,
    java_push,
)
from tests.collector.core_exposition import NO_ZEROS

LABELS = ("client_id",)
GREEDY, HONEST = "principal User:greedy", "principal User:honest"
BUDGET = 100_000


def samples(core: PythonCore) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
    """The second scrape, at which counters have their value."""
    b"".join(core.render(NO_ZEROS, openmetrics=False))
    return parse(b"".join(core.render(NO_ZEROS, openmetrics=False)).decode())


def sums(names: range, *, temporality: int | None = DELTA, metric: str = "app.made.up") -> bytes:
    """A push with one point of the value 1 for each of so many attribute values."""
    data = MetricsData()
    add_number(data, metric, 1, temporality=temporality)
    sent = data.resource_metrics[0].scope_metrics[0].metrics[0]
    points = sent.gauge.data_points if temporality is None else sent.sum.data_points
    first = points[0]
    for number in names:
        attribute = points.add(as_int=1).attributes.add()
        attribute.key, attribute.value.string_value = "n", str(number)
    points.remove(first)
    return data.SerializeToString()


def histogram(count: int, name: str = "app.duration", temporality: int = DELTA, bounds: int = 9) -> bytes:
    data = MetricsData()
    metric = data.resource_metrics.add().scope_metrics.add().metrics.add()
    metric.name = name
    metric.histogram.aggregation_temporality = temporality
    point = metric.histogram.data_points.add()
    point.explicit_bounds.extend(range(bounds))
    point.bucket_counts.extend([count] + [0] * bounds)
    point.count, point.sum = count, 0.0
    return data.SerializeToString()


@pytest.mark.parametrize(
    ("identity", "caller", "holder"),
    [
        ({"principal": "User:alice", "client_address": "10.0.0.7"}, None, "principal User:alice"),
        ({"principal": "User:ANONYMOUS", "client_address": "10.0.0.7"}, None, "address 10.0.0.7"),
        ({"client_address": "10.0.0.7"}, None, "address 10.0.0.7"),
        ({"principal": "User:alice"}, "system:serviceaccount:a:b", "caller system:serviceaccount:a:b"),
        ({"client_id": "anything", "client_instance_id": "rotates"}, None, NOBODY),
    ],
)
def test_a_share_is_of_whom_the_client_cannot_choose(identity: dict[str, str], caller: str | None, holder: str) -> None:
    assert holder_of(identity, caller) == holder


def test_a_name_as_long_as_a_book_is_remembered_shortly_and_told_from_others() -> None:
    one, other = (holder_of({"principal": "x" * 30_000 + end}, None) for end in "ab")

    assert one != other
    assert len(one) < 100


def test_a_share_is_a_tenth_and_what_is_free_of_half_is_anybodys() -> None:
    shares = Shares(100)
    first = 0
    while shares.has_room("a"):
        shares.take("a")
        first += 1
    others = []
    for name in "bcdefg":
        held = 0
        while shares.has_room(name):
            shares.take(name)
            held += 1
        others.append(held)

    assert (first, others) == (50, [10, 10, 10, 10, 10, 0])
    assert not shares.has_room(NOBODY)
    shares.take("a", -50)
    assert shares.has_room("g")


def test_who_gave_everything_back_leaves_nothing_behind() -> None:
    shares = Shares(100)
    shares.take("a", 7)
    shares.move("a", "b", 7)
    shares.take("b", -7)

    assert (shares.taken, shares._held) == (0, {})


def test_twenty_pushes_of_five_thousand_attribute_values_blind_nobody() -> None:
    core = PythonCore(LABELS, BUDGET)
    for first in range(0, BUDGET, 5_000):
        core.apply("greedy", {"client_id": "greedy"}, sums(range(first, first + 5_000)), GREEDY)
    taken = core.room.shares.taken

    core.apply("honest", {"client_id": "honest"}, java_push(5, 10.0), HONEST)
    core.apply("honest", {"client_id": "honest"}, java_push(2, 12.0), HONEST)

    page = b"".join(core.render(NO_ZEROS, openmetrics=False)).decode()
    lines = page.splitlines()  # parsed as a whole it takes seconds
    assert f'{CREATION_SERIES}{{client_id="honest"}} 7.0' in lines
    assert f'{LATENCY_SERIES}{{client_id="honest",node_id="1"}} 0.012' in lines
    assert taken == BUDGET // 2
    assert sum(line.startswith('app_made_up_total{client_id="greedy",') for line in lines) == BUDGET // 2
    assert f'app_made_up_total{{client_id="other"}} {BUDGET // 2}' in lines


def test_beyond_the_share_increments_are_added_exactly_and_the_rest_is_left_out_and_counted() -> None:
    core = PythonCore(LABELS, 100)
    who = {"client_id": "greedy"}
    core.apply("greedy", who, sums(range(50), temporality=None), GREEDY)

    for _ in range(3):
        assert core.apply("greedy", who, sums(range(30), metric="app.delta"), GREEDY).left_out == {}
    applied = core.apply("greedy", who, sums(range(20), metric="app.total", temporality=CUMULATIVE), GREEDY)
    gauges = core.apply("greedy", who, sums(range(7), metric="app.level", temporality=None), GREEDY)

    found = samples(core)
    assert value(found, "app_delta_total") == value(found, "app_delta_total", client_id="other") == 90
    assert (applied.left_out, gauges.left_out) == ({"budget": 20}, {"budget": 7})
    assert "app_total" not in found
    assert core.counts().overflowed == {"slots": 30}  # series, and of one push, as they cannot be told apart


def test_series_that_found_no_slot_count_once_however_often_they_are_sent() -> None:
    core = PythonCore(LABELS, 100)
    core.apply("greedy", {}, sums(range(50), metric="app.first"), GREEDY)

    for _ in range(4):
        core.apply("greedy", {}, sums(range(12)), GREEDY)

    assert core.counts().overflowed == {"slots": 12}
    assert value(samples(core), "app_made_up_total") == 48


def test_increments_are_added_where_slots_are_used_up_and_nothing_was_shared_before() -> None:
    core = PythonCore(LABELS, 10)
    core.apply("early", {}, sums(range(40), temporality=None, metric="app.level"), NOBODY)
    assert not core.slots.has_room(NOBODY)

    for _ in range(300):
        core.apply("late", {"client_id": "late"}, counter_push(1), NOBODY)

    assert value(samples(core), CREATION_SERIES) == 300


def test_two_thousand_made_up_names_leave_room_for_others_names() -> None:
    core = PythonCore(LABELS, BUDGET)
    for number in range(MAX_UNREGISTERED):
        core.apply("greedy", {}, counter_push(1, f"made.up.{number}"), GREEDY)

    core.apply("honest", {"client_id": "honest"}, counter_push(3, name="app.things"), HONEST)
    core.apply("honest", {"client_id": "honest"}, gauge_push("app.level", 4.0), HONEST)

    found = samples(core)
    assert value(found, "app_things_total", client_id="honest") == 3
    assert value(found, "app_level", client_id="honest") == 4
    assert sum(name.startswith("made_up") for name in found) == MAX_UNREGISTERED // 2


def test_a_name_that_was_refused_to_one_is_not_refused_to_another() -> None:
    core = PythonCore(LABELS, BUDGET)
    for number in range(MAX_UNREGISTERED // 2):
        core.apply("greedy", {}, gauge_push(f"made.up.{number}", 1.0), GREEDY)
    assert core.apply("greedy", {}, gauge_push("app.level", 1.0), GREEDY).left_out == {"families": 1}

    assert core.apply("honest", {"client_id": "honest"}, gauge_push("app.level", 4.0), HONEST).left_out == {}

    assert value(samples(core), "app_level") == 4


def test_made_up_names_of_those_that_left_are_anybodys_again() -> None:
    core = PythonCore(LABELS, BUDGET)
    for number in range(MAX_UNREGISTERED // 2 + 1):
        core.apply("greedy", {}, gauge_push(f"made.up.{number}", 1.0), GREEDY)

    core.depart("greedy")
    samples(core)

    assert core.apply("greedy", {}, gauge_push("app.level", 1.0), GREEDY).left_out == {}


def test_a_push_of_a_client_without_room_adds_its_increments_and_leaves_nothing() -> None:
    core = PythonCore(LABELS, BUDGET)
    core.apply("honest", {"client_id": "honest"}, java_push(1, 5.0), HONEST)

    for _ in range(3):
        assert core.add(java_push(4, 9.0), GREEDY, 0).left_out == {"budget": 1}
    assert core.add(counter_push(4, temporality=CUMULATIVE), GREEDY, 0).left_out == {"budget": 1}
    assert core.add(b"garbage", GREEDY, 0).malformed is not None

    found = samples(core)
    assert value(found, CREATION_SERIES, client_id="other") == 12
    assert value(found, CREATION_SERIES) == 13
    assert value(found, LATENCY_SERIES) == pytest.approx(0.005)
    assert value(found, "kwitness_client_instances") == 1
    assert core.slots.taken == 2


def test_what_left_gives_back_what_it_held() -> None:
    core = PythonCore(LABELS, 100)
    for client in ("a", "b"):
        core.apply(client, {"client_id": client}, sums(range(25)), GREEDY)
    core.apply("late", {"client_id": "late"}, sums(range(20)), GREEDY)
    assert value(samples(core), "app_made_up_total", client_id="other") == 20

    core.depart("a")
    core.apply("late", {"client_id": "late"}, sums(range(20)), GREEDY)

    found = samples(core)
    assert value(found, "app_made_up_total", client_id="late") == 20
    assert value(found, "app_made_up_total", client_id="other") == 20
    for client in ("b", "late"):
        core.depart(client)
    assert (core.room.shares.taken, core.slots.taken, core.room.shares._held, core.slots._held) == (0, 0, {}, {})


def test_after_a_restart_series_count_for_nobody_until_their_client_pushes() -> None:
    before, after = PythonCore(LABELS, 100), PythonCore(LABELS, 100)
    before.apply("greedy", {"client_id": "greedy"}, sums(range(50)), GREEDY)
    after.load(json.loads(json.dumps(list(before.dump()))), 0)
    assert (after.room.shares.taken, after.room.shares._held) == (50, {})

    after.apply("greedy", {"client_id": "greedy"}, sums(range(60)), GREEDY)

    assert after.room.shares._held == after.slots._held == {GREEDY: 50}
    assert value(samples(after), "app_made_up_total") == 110


def test_histograms_of_what_did_not_fit_are_bounded_too_and_what_they_leave_out_is_counted() -> None:
    core = PythonCore(LABELS, 100)
    core.apply("early", {}, sums(range(100), temporality=None), NOBODY)

    first = core.add(histogram(3, "app.first", bounds=6), NOBODY, 0)
    others = [core.add(histogram(3, f"app.more.{number}", bounds=500), NOBODY, 0) for number in range(40)]

    found = samples(core)
    assert first.left_out == {}
    assert value(found, "app_first_count", client_id="other") == 3
    assert all(one.left_out == {"budget": 1} for one in others)
    assert sum(map(len, found.values())) < 100 + 20


def test_there_are_no_more_counts_of_instances_than_series() -> None:
    core = PythonCore(LABELS, 10)
    for number in range(30):
        core.apply(f"c{number}", {"client_id": f"client-{number}"}, b"", NOBODY)

    found = samples(core)["kwitness_client_instances"]
    assert len(found) == 11
    assert value({"n": found}, "n") == 30
    assert value({"n": found}, "n", client_id="other") == 20


def event(number: int, client: str, payload: bytes, **identity: str) -> Event:
    who = {"client_instance_id": client, "client_id": client, **identity}
    return Event("c/1", 1, number, 0, who, payload, 60_000)


def test_who_rotates_instance_ids_evicts_nobody_and_is_summed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 100)
    state = CollectorState(tmp_path, lambda: PythonCore(LABELS, BUDGET), 3)
    honest = {"principal": "User:honest"}
    state.apply(event(1, "honest", java_push(5, 10.0), **honest), 0)

    for number in range(2, 502):
        state.apply(event(number, f"made-up-{number}", java_push(1, 50.0), principal="User:greedy"), 0)
    state.apply(event(502, "honest", java_push(2, 10.0), **honest), 1)
    state.apply(event(503, "late", java_push(2, 10.0), principal="User:late"), 1)

    assert isinstance(state.core, PythonCore)
    found = samples(state.core)
    assert value(found, CREATION_SERIES, client_id="honest") == 7
    assert value(found, CREATION_SERIES, client_id="late") == 2
    assert value(found, CREATION_SERIES) == 500 + 9
    assert value(found, CREATION_SERIES, client_id="other") == 500 - 49
    assert value(found, LATENCY_SERIES, client_id="honest") == pytest.approx(0.01)
    assert len(state.clients) == 51
    assert state.clients.left_out == {"clients": 451}
    assert state.parser_errors == {"points_budget": 451}


def test_between_replicas_it_stays_known_who_brought_a_push() -> None:
    one = Event("otlp/0", 1, 1, 0, {"client_id": "a", "cluster_id": "c"}, b"", caller="system:serviceaccount:a:b")

    [(_, body)] = to_bodies([one], 1_000_000)
    [again], _ = of_batch(ForwardedBatch.model_validate_json(body))

    assert again.holder == one.holder == "caller system:serviceaccount:a:b"
