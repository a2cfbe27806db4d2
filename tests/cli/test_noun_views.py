"""Nouns of the collector: their options, their rows, their order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.answers.views.amounts import amount_text, lag_text
from kwitness.answers.views.ordering import ordered
from kwitness.answers.views.topic_rows import TOPIC_FIELDS, TOPIC_ORDERS, TopicRow, topic_rows
from kwitness.answers.views.traffic_rows import THROTTLE_FIELDS, TRAFFIC_ORDERS, throttled
from kwitness.cli.question_options import FILTERS
from kwitness.contracts.envelopes import TrafficItem
from kwitness.contracts.nouns import NOUNS, TRAFFIC


def test_every_filter_of_every_noun_has_an_option_and_no_two_have_the_same() -> None:
    assert set(FILTERS) == {field for noun in NOUNS for field in noun.filters}
    assert len({known.option for known in FILTERS.values()}) == len(FILTERS)


def test_fields_that_the_command_names_are_those_of_traffic() -> None:
    required = {name for name, field in TrafficItem.model_fields.items() if field.is_required()}

    for fields in (TOPIC_FIELDS, THROTTLE_FIELDS):
        assert required <= set(fields) <= set(TRAFFIC.fields)
    assert set(TRAFFIC_ORDERS) < set(TRAFFIC.orders)
    assert set(TOPIC_ORDERS) < set(TopicRow.model_fields)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (None, None),
        (0, "0"),
        (0.5, "0.5"),
        (0.00012345, "0.000123"),
        (999, "999"),
        (999.6, "1k"),
        (1_234, "1.23k"),
        (2_500_000, "2.5M"),
        (1e21, "1000E"),
    ],
)
def test_an_amount_has_three_digits(amount: float | None, text: str | None) -> None:
    assert amount_text(amount) == text


def test_lag_is_a_time_or_else_records() -> None:
    assert [lag_text(12_000, 70), lag_text(None, 1_500), lag_text(None, None)] == ["12s", "1.5k records", None]


def item(api: str, client_id: str, topic: str | None = "orders", **more: float | None) -> TrafficItem:
    known = {"cluster_id": "c", "until_ms": 1}
    return TrafficItem.model_validate({**known, "api": api, "client_id": client_id, "topic": topic, **more})


def test_a_client_that_fetches_in_two_ways_is_one_reader() -> None:
    items = [item("Fetch", "a", record_bytes_per_s=1.5), item("ShareFetch", "a", record_bytes_per_s=2), item("x", "b")]
    [row] = topic_rows(items)

    assert (row.readers, row.writers, row.bytes_out_per_s, row.fetch_lag) == (1, 0, 3.5, None)


def test_items_without_a_topic_are_no_topic_and_clusters_stay_apart() -> None:
    other = item("Fetch", "a").model_copy(update={"cluster_id": "d"})

    assert [row.cluster_id for row in topic_rows([item("Fetch", "a", None), item("Fetch", "a"), other])] == ["c", "d"]


def test_a_throttle_time_is_of_the_same_client_and_request() -> None:
    of_requests = [item("Fetch", "a", None, throttle_ms=5), item("Produce", "a", None, throttle_ms=7)]

    found = throttled([item("Fetch", "a"), item("Fetch", "b")], of_requests)

    assert [known.throttle_ms for known in found] == [5, None]


@given(st.lists(st.one_of(st.none(), st.integers(0, 9))), st.sampled_from([-1, 1]))
def test_items_without_a_value_come_last_and_equals_stay_in_place(lags: list[int | None], sign: int) -> None:
    items = [item("Fetch", str(number), fetch_lag=lag) for number, lag in enumerate(lags)]

    found = ordered(items, "-fetch_lag" if sign < 0 else "fetch_lag")

    assert found == sorted(items, key=lambda known: (known.fetch_lag is None, sign * (known.fetch_lag or 0)))
