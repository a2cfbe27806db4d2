"""Checks names of families: their translation, two types or two names for one family, and names that are ours."""

from __future__ import annotations

import json

import pytest
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.prometheus.families import MAX_UNREGISTERED

from tests.collector.collector_process import value
from tests.collector.collector_samples import DELTA, add_number, counter_push, gauge_push
from tests.collector.core_exposition import WHO, core, samples, scrape


def test_one_unregistered_name_with_two_types_is_split_and_counted() -> None:
    one = core()
    one.apply("a", WHO, gauge_push("app.thing", 1.0))
    one.apply("b", WHO, counter_push(2, name="app.thing"))

    found = samples(one)
    assert value(found, "app_thing") == 1
    assert value(found, "app_thing_counter_total") == 2
    assert one.counts().conflicts == 1


def test_one_name_with_two_types_in_one_push_keeps_the_first_and_counts_the_other() -> None:
    one = core()
    data = MetricsData()
    add_number(data, "app.thing", 2, temporality=DELTA)
    add_number(data, "app.thing", 7, temporality=None)

    for _ in range(5):
        assert one.apply("a", WHO, data.SerializeToString()).left_out == {"conflict": 1}

    assert value(samples(one), "app_thing_total") == 10


def test_two_names_that_translate_alike_are_split() -> None:
    one = core()
    one.apply("a", WHO, gauge_push("app.thing", 1.0))
    one.apply("a", WHO, gauge_push("app-thing", 2.0))

    families = [name for name in samples(one) if name.startswith("app_thing")]
    assert len(families) == 2
    assert one.counts().conflicts == 1


@pytest.mark.parametrize("name", ["kwitness_ledger_epoch", "kafka_client_connections", "kafka.client.connections"])
def test_a_client_cannot_write_into_our_own_families(name: str) -> None:
    one = core()
    one.apply("a", WHO, gauge_push(name, 99.0))

    assert value(samples(one), name.replace(".", "_")) is None


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("app.latency", "ms", "app_latency_milliseconds"),
        ("app.latency_ms", "ms", "app_latency_milliseconds"),
        ("app.latency.milliseconds", "ms", "app_latency_milliseconds"),
        ("app.load", "1", "app_load_ratio"),
        ("app.rate", "By/s", "app_rate_bytes_per_second"),
        ("app.things", "{things}", "app_things"),
        ("2nd", "", "_2nd"),
        ("über.größe", "", "ber_gr_e"),
    ],
)
def test_names_outside_the_registry_follow_the_standard_translation(name: str, unit: str, expected: str) -> None:
    one = core()
    one.apply("a", WHO, gauge_push(name, 1.0, unit))

    assert expected in samples(one)


def test_names_nobody_sends_any_more_make_room_for_new_ones() -> None:
    one = core(max_series=10_000)
    for number in range(MAX_UNREGISTERED):
        one.apply("hostile", WHO, gauge_push(f"made.up.{number}", 1.0))
    applied = one.apply("sound", WHO, gauge_push("app.thing", 7.0))
    assert applied.left_out == {"families": 1}

    one.depart("hostile")
    scrape(one)
    one.apply("sound", WHO, counter_push(7, name="app.thing"))
    scrape(one)

    assert value(samples(one), "app_thing_total") == 7
    again = core(max_series=10_000)
    again.load(json.loads(json.dumps(list(one.dump()))), 0)
    assert value(samples(again), "app_thing_total") == 7
