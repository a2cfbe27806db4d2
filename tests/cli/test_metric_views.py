"""Values with units and changes, and when to look at a client again."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.answers.views.client_facts import SYMPTOMS, facts_of
from kwitness.answers.views.following import changed_since, next_look_ms, point_line
from kwitness.answers.views.metric_values import (
    begins_with,
    by_series,
    change_between,
    metric_cells,
    name_with_attributes,
    value_text,
)
from kwitness.contracts.client_metrics import PREFIX, lookup
from kwitness.contracts.envelopes import ClientItem, ClientMetrics, ClientMetricValue

NOW = 1_700_000_000_000
LATENCY = f"{PREFIX}producer.node.request.latency.avg"
TOTAL = f"{PREFIX}producer.connection.creation.total"


def point(value: float | None = 12.5, **changes: Any) -> ClientMetricValue:
    known = {
        "name": LATENCY,
        "prometheus_name": LATENCY.replace(".", "_"),
        "type": "gauge",
        "unit": "ms",
        "attributes": {"node_id": "1"},
        "value": value,
        "at_ms": NOW - 4_000,
    }
    return ClientMetricValue.model_validate({**known, **changes})


def answer(*points: ClientMetricValue, interval: int | None = 10_000, last: int | None = NOW - 4_000) -> ClientMetrics:
    client = ClientItem(client_id="orders-7", first_seen_ms=1, last_push_ms=last, push_interval_ms=interval)
    return ClientMetrics(client=client, metrics=points)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"value": 12.0}, "12"),
        ({"value": 12.3456789}, "12.3457"),
        ({"value": 0.00012345678}, "0.000123457"),
        ({"value": 1234567890123.0}, "1234567890123"),
        ({"value": math.nan}, "NaN"),
        ({"value": -math.inf}, "-Inf"),
        ({"value": None}, None),
        ({"type": "histogram", "value": None, "count": 4, "sum": 10}, "4 measured, mean 2.5"),
        ({"type": "histogram", "value": None, "count": 0, "sum": 0}, "0 measured"),
        ({"type": "histogram", "value": None}, "0 measured"),
    ],
)
def test_a_value_is_shown_with_the_digits_that_mean_something(changes: dict[str, Any], text: str | None) -> None:
    assert value_text(point(**changes)) == text


def test_attributes_stand_as_in_promql_and_in_one_order() -> None:
    shown = name_with_attributes(point(attributes={"topic": "orders", "node_id": "1"}))

    assert shown == f'{LATENCY}{{node_id="1",topic="orders"}}'
    assert name_with_attributes(point(attributes={})) == LATENCY


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (None, point(), "new"),
        (point(10.0, at_ms=1), point(12.5), "+2.5"),
        (point(12.5, at_ms=1), point(10.0), "-2.5"),
        (point(10.0), point(10.0), None),
        (point(10.0, at_ms=1), point(10.0), "+0"),
        (point(None, at_ms=1), point(10.0), None),
        (point(1.0, at_ms=1), point(None), None),
        (point(math.nan, at_ms=1), point(1.0), None),
        (point(5, at_ms=1, type="counter"), point(9, type="counter"), "+4"),
        (point(5, at_ms=1, type="counter"), point(2, type="counter"), "+2"),
    ],
)
def test_what_changed_is_told(before: ClientMetricValue | None, after: ClientMetricValue, change: str | None) -> None:
    assert change_between(before, after) == change


def test_a_line_has_the_change_only_where_there_was_a_look_before() -> None:
    once = metric_cells(point(), NOW, None)
    again = metric_cells(point(), NOW, by_series([point(10.0, at_ms=1)]))

    assert once == (f'{LATENCY}{{node_id="1"}}', "12.5", "ms", "4s ago")
    assert again == (f'{LATENCY}{{node_id="1"}}', "12.5", "ms", "+2.5", "4s ago")
    assert metric_cells(point(unit="1"), NOW, None)[2] == ""


@pytest.mark.parametrize("prefix", [LATENCY, "producer.node", PREFIX, "kafka_client_producer_node", ""])
def test_a_prefix_may_be_written_in_three_ways(prefix: str) -> None:
    one = point(prometheus_name="kafka_client_producer_node_request_latency_avg_seconds")

    assert begins_with(one, prefix)
    assert not begins_with(one, "consumer.")


def test_a_look_comes_shortly_after_the_next_push_is_due() -> None:
    assert next_look_ms(answer(), NOW) == 6_250
    assert next_look_ms(answer(last=NOW), NOW) == 10_000
    assert next_look_ms(answer(interval=100, last=NOW), NOW) == 500
    assert next_look_ms(answer(interval=300_000, last=NOW), NOW) == 60_000
    assert next_look_ms(answer(interval=None, last=None), NOW) == 60_000


@given(st.integers(1, 3_600_000), st.integers(0, 2 * NOW) | st.none())
def test_one_neither_spins_nor_passes_an_interval_over(interval: int, last: int | None) -> None:
    assert 500 <= next_look_ms(answer(interval=interval, last=last), NOW) <= max(500, interval)


def test_only_what_was_pushed_since_is_followed() -> None:
    old, fresh = point(), point(13.0, attributes={"node_id": "2"}, at_ms=NOW)
    first = changed_since(None, answer(old))
    second = changed_since(by_series([old]), answer(old, fresh))

    assert first == [old]
    assert second == [fresh]
    assert changed_since(by_series([old, fresh]), answer(old, fresh)) == []
    assert changed_since(None, answer(point(at_ms=None))) == []


def test_a_line_of_a_record_has_time_client_metric_and_value() -> None:
    assert point_line(point(), "orders-7") == f'22:13:16.000 orders-7 {LATENCY}{{node_id="1"}} 12.5 ms'
    assert point_line(point(None, at_ms=None, unit="", attributes={}), "x") == f"- x {LATENCY} -"


def test_symptoms_name_metrics_that_clients_send() -> None:
    names = [name for symptom in SYMPTOMS for name in symptom.metrics]

    assert [name for name in names if lookup(PREFIX + name) is None] == []


def test_of_several_brokers_the_greatest_value_is_told_and_one_that_measured_nothing_is_left_out() -> None:
    facts = facts_of(
        [
            point(3.0),
            point(8.0, attributes={"node_id": "2"}),
            point(math.nan, attributes={"node_id": "3"}),
            point(None, name=f"{PREFIX}producer.record.retry.rate"),
            point(0.0, name=f"{PREFIX}producer.record.error.rate", unit="1", attributes={}),
        ]
    )

    assert facts == [
        f"Records that it gave up: 0 ({PREFIX}producer.record.error.rate).",
        f'How long its requests take: 8 ms at most ({LATENCY}{{node_id="2"}}).',
    ]
