"""Checks the values of one client: its own part of shared counters, and which values are absent."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.prometheus.accumulate import PythonCore

from tests.collector.collector_samples import (
    CREATION_TOTAL,
    CUMULATIVE,
    DELTA,
    LATENCY_AVG,
    add_number,
    counter_push,
    gauge_push,
    java_push,
)


def applied_values(core: PythonCore, client: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], Any]:
    return {(one.name, one.attributes): one for one in core.values(client)}


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 1000), st.sampled_from([DELTA, CUMULATIVE])), max_size=30)
)
def test_what_clients_added_of_a_shared_counter_is_what_it_adds_up_to(
    pushes: list[tuple[str, int, int]],
) -> None:
    core = PythonCore(("client_id",), 1_000)
    running = {"a": 0, "b": 0}
    sent = {"a": 0, "b": 0}
    for client, amount, temporality in pushes:
        name = f"app.{temporality}"
        running[client] += amount if temporality == CUMULATIVE else 0
        value = running[client] if temporality == CUMULATIVE else amount
        core.apply(client, {"client_id": "x"}, counter_push(value, name, temporality, start_ns=1))
        sent[client] += amount

    for client, total in sent.items():
        assert sum(one.value for one in core.values(client)) == total


def test_pushes_of_one_shape_count_for_their_client_too() -> None:
    core = PythonCore(("client_id",), 1_000)
    for _ in range(10):
        core.apply("a", {"client_id": "x"}, java_push(2))
        core.apply("b", {"client_id": "x"}, java_push(5))

    assert core.clients["a"].shape is not None
    assert applied_values(core, "a")[CREATION_TOTAL, ()].value == 20
    assert applied_values(core, "b")[CREATION_TOTAL, ()].value == 50


def test_what_the_newest_push_did_not_hold_has_no_time_of_its_own() -> None:
    core = PythonCore(("client_id",), 1_000)
    core.apply("a", {}, java_push())
    core.apply("a", {}, gauge_push("app.thing", 1.0, unit="s"))

    found = applied_values(core, "a")
    assert found[CREATION_TOTAL, ()].is_newest is False
    thing = found["app.thing", ()]
    assert (thing.is_newest, thing.unit, thing.exposed) == (True, "s", "app_thing_seconds")


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_no_number_is_absent(number: float) -> None:
    core = PythonCore((), 1_000)
    core.apply("a", {}, gauge_push("app.thing", number))

    [one] = core.values("a")
    assert one.value is None


def test_where_series_are_short_counters_are_told_and_gauges_are_absent() -> None:
    core = PythonCore(("client_id",), 1)
    core.apply("a", {"client_id": "a"}, counter_push(1))
    data = MetricsData()
    add_number(data, CREATION_TOTAL, 4.0, temporality=DELTA)
    add_number(data, LATENCY_AVG, 1.0)
    core.apply("b", {"client_id": "b"}, data.SerializeToString())

    assert {one.name: one.value for one in core.values("b")} == {CREATION_TOTAL: 4, LATENCY_AVG: None}
    assert list(core.values("nobody")) == []
