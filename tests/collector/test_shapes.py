"""The short way for pushes that look like the one before gives what the long way gives."""

from __future__ import annotations

import json
import math
import struct
from collections import Counter as Counting

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.otlp import shapes
from kwitness.collector.otlp.decode import decode
from kwitness.collector.otlp.shapes import shape_of
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.prometheus.series import Counter, cost

from tests.collector.collector_samples import (
    CREATION_SERIES,
    CREATION_TOTAL,
    CUMULATIVE,
    DELTA,
    LATENCY_AVG,
    add_number,
    counter_push,
    gauge_push,
    java_push,
    librdkafka_push,
)
from tests.collector.core_exposition import NO_ZEROS

WHO = {"client_id": "orders"}


def scraped(core: PythonCore) -> str:
    return b"".join(core.render(NO_ZEROS, openmetrics=False)).decode()


def learned(*payloads: bytes) -> PythonCore:
    core = PythonCore(("client_id",), 1_000)
    for payload in payloads:
        core.apply("a", WHO, payload)
    return core


@pytest.mark.parametrize("make", [java_push, librdkafka_push])
def test_the_third_push_of_a_kafka_client_goes_the_short_way(make) -> None:
    core = learned(make(1, 10), make(2, 20))
    assert core.clients["a"].shape is not None

    applied = core.apply("a", WHO, make(3, 30))

    assert applied.points == 2
    assert applied.metrics == (CREATION_TOTAL, LATENCY_AVG)
    assert f'{CREATION_SERIES}{{client_id="orders"}} {6 if make is librdkafka_push else 6.0}' in scraped(core)
    assert 'avg_seconds{client_id="orders",node_id="1"} 0.03' in scraped(core)


names = st.sampled_from([CREATION_TOTAL, LATENCY_AVG, "app.depth", "app.count", "app-depth"])
points = st.tuples(
    names,
    st.sampled_from([None, DELTA, CUMULATIVE]),
    st.one_of(st.integers(-5, 2**40), st.floats(allow_nan=True, allow_infinity=True)),
    st.sampled_from(["", "ms", "s", "1"]),
    st.dictionaries(st.sampled_from(["node_id", "topic"]), st.sampled_from(["1", "2", ""]), max_size=2),
    st.integers(0, 2),
)


def build(content) -> bytes:
    data = MetricsData()
    for name, temporality, number, unit, attributes, start in content:
        add_number(
            data, name, number, unit=unit, attributes=attributes, temporality=temporality, start_ns=start * 1_000
        )
    return data.SerializeToString()


events = st.one_of(
    st.tuples(st.just("push"), st.sampled_from("ab"), st.integers(0, 2)),
    st.tuples(st.just("depart"), st.sampled_from("ab"), st.just(0)),
    st.tuples(st.sampled_from(["restart", "scrape"]), st.just(""), st.just(0)),
)


def restarted(core: PythonCore) -> PythonCore:
    fresh = PythonCore(("client_id",), core.max_series)
    fresh.load(json.loads(json.dumps(list(core.dump()))), 0)
    return fresh


def check_counts(core: PythonCore) -> None:
    shown = [series for family in core.register.families for series in family.series.values()]
    slots = [slot for client in core.clients.values() for slot in client.slots.values()]
    held = Counting(id(slot.series) for slot in slots)
    assert core.room.shares.taken == sum(cost(series) for series in shown) <= core.max_series
    assert core.slots.taken == len(slots)
    assert [s.references for s in shown if isinstance(s, Counter)] == [
        held[id(s)] for s in shown if isinstance(s, Counter)
    ]


@settings(max_examples=3 * settings.default.max_examples, deadline=None)
@given(
    contents=st.lists(st.lists(points, max_size=5), min_size=1, max_size=3),
    order=st.lists(events, max_size=40),
    budget=st.sampled_from([3, 8, 100]),
)
@example(
    contents=[[("app.depth", None, 1, "", {}, 0), ("app.depth", DELTA, 1, "", {}, 0)]],
    order=[("push", "a", 0)] * 3,
    budget=8,
)
@pytest.mark.slow
def test_whatever_happens_both_ways_give_the_same_and_what_is_held_is_counted(contents, order, budget) -> None:
    payloads = [build(content) for content in contents]
    short, long = PythonCore(("client_id",), budget), PythonCore(("client_id",), budget)

    for event, client, index in order:
        if event == "push":
            payload = payloads[index % len(payloads)]
            if client in long.clients:
                long.clients[client].shape = None
            fast, slow = (core.apply(client, {"client_id": client}, payload) for core in (short, long))
            assert fast == slow
        elif event == "depart":
            short.depart(client)
            long.depart(client)
        elif event == "restart":
            short, long = restarted(short), restarted(long)
        else:
            assert scraped(short) == scraped(long)
        check_counts(short)

    assert scraped(short) == scraped(long)


@settings(max_examples=3 * settings.default.max_examples, deadline=None)
@given(st.lists(points, min_size=1, max_size=6), st.data())
@pytest.mark.slow
def test_one_changed_byte_is_either_a_value_or_another_shape(content, data) -> None:
    payload = build(content)
    shape = shape_of(payload, decode(payload))
    if shape is None:
        return
    changed = bytearray(payload)
    place = data.draw(st.integers(0, len(payload) - 1))
    changed[place] ^= data.draw(st.integers(1, 255))

    values = shape.values(bytes(changed))

    if values is not None:
        decoded = decode(bytes(changed))
        assert [repr(value) for value in values] == [repr(v) for one in decoded.metrics for _, v, _, _ in one.points]
        assert shape.metrics == tuple(metric.name for metric in decoded.metrics)


def test_a_client_whose_slots_were_swept_does_not_feed_dead_series() -> None:
    gauge = gauge_push("app.depth", 4.0)
    core = learned(gauge, gauge)
    for number in range(40):
        core.apply("a", WHO, counter_push(number))
    assert "app_depth" not in scraped(core)

    core.apply("a", WHO, gauge)

    assert 'app_depth{client_id="orders"} 4.0' in scraped(core)


def test_a_restored_client_finds_the_short_way_again() -> None:
    core, restored = learned(java_push(), java_push()), PythonCore(("client_id",), 1_000)
    restored.load(core.dump(), 0)

    for _ in range(2):
        restored.apply("a", WHO, java_push())

    assert restored.clients["a"].shape is not None
    assert f'{CREATION_SERIES}{{client_id="orders"}} 4.0' in scraped(restored)


def test_clients_with_the_same_metrics_share_one_shape() -> None:
    core = PythonCore(("client_id",), 1_000)
    for client in ("a", "b"):
        for _ in range(2):
            core.apply(client, WHO, java_push())

    assert core.clients["a"].shape is core.clients["b"].shape is not None


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        counter_push(1, temporality=CUMULATIVE),
        gauge_push("x" * (shapes.MAX_BYTES + 1), 1.0),
        java_push() + b"\x13\x14",
    ],
)
def test_what_is_not_certain_has_no_shape(payload: bytes) -> None:
    try:
        decoded = decode(payload)
    except ValueError:
        return
    shape = shape_of(payload, decoded)
    assert shape is None or shape.values(payload) == ()


def test_integers_stay_integers() -> None:
    payload = librdkafka_push(2**60 + 1)
    shape = shape_of(payload, decode(payload))
    assert shape is not None
    values = shape.values(payload)
    assert values is not None
    assert values[0] == 2**60 + 1
    assert math.isclose(struct.unpack("<d", struct.pack("<d", values[1]))[0], 12)
