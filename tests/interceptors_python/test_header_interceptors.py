"""The interceptor Headers judges, counts and removes as contracts/ say; the same examples run in every runtime."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from pydantic import TypeAdapter

from kwitness.contracts.envelopes.header_totals import HeaderTotals
from kwitness.contracts.header_rules import HEADER_PROBLEMS
from kwitness_interceptors.measures.header_counts import MOST_ROWS
from kwitness_interceptors.measures.header_interceptors import ConsumerHeaders, ProducerHeaders
from kwitness_interceptors.profile import CONSUMER, PRODUCER, Profile
from kwitness_interceptors.records import ConsumerRecord, Header, ProducerRecord
from kwitness_interceptors.reporting.client_window import ClientWindow
from kwitness_interceptors.reporting.header_rows import header_totals
from kwitness_interceptors.reporting.identity_policy import IdentityPolicy
from kwitness_interceptors.settings import parse_settings

from .sent_headers import LEAST, counts, headers_of, judge, rows, sent
from tests.vectors import vectors

RECORDS = vectors("header_rules", "records")
TOTALS = TypeAdapter(list[HeaderTotals])


@pytest.mark.parametrize("one", RECORDS, ids=lambda one: one["name"])
def test_headers_are_judged_and_removed_as_elsewhere(one: dict[str, Any]) -> None:
    made = judge(one["rules"])
    headers = headers_of(one)

    for header, wanted in zip(headers, one["headers"], strict=True):
        known = made.of(header.key)
        problems = known.problems_of(header.value)
        assert (list(problems), known.is_removed(problems)) == (wanted["problems"], wanted["removed"]), wanted
        assert known.registered is wanted["registered"]
    _, [kept] = sent(one["rules"], headers)
    assert list(kept) == [
        header for header, wanted in zip(headers, one["headers"], strict=True) if not wanted["removed"]
    ]


@pytest.mark.parametrize("one", RECORDS, ids=lambda one: one["name"])
def test_rows_count_what_examples_say(one: dict[str, Any]) -> None:
    own, _ = sent(one["rules"], headers_of(one))

    found = {row.key: row for row in rows(own)}

    assert {key for key, row in found.items() if row.missing} == set(one["missing"])
    for key in {header["key"] for header in one["headers"]}:
        wanted = [header for header in one["headers"] if header["key"] == key]
        row = found[key]
        assert (row.headers, row.registered, row.seen_by) == (len(wanted), wanted[0]["registered"], "python")
        assert row.removed == sum(header["removed"] for header in wanted)
        for problem in HEADER_PROBLEMS[1:-1]:
            assert getattr(row, problem) == sum(problem in header["problems"] for header in wanted)
        values = [header["counted_value"] for header in wanted if header["counted_value"] is not None]
        assert {value.value: value.records for value in row.values} == {value: values.count(value) for value in values}


def test_a_record_that_nothing_is_removed_from_is_the_one_that_was_given() -> None:
    record = ProducerRecord("orders", b"v", headers=(Header("a", b"x"),))

    assert ProducerHeaders(lambda: judge(None), None, lambda _: True).on_send(record) is record


def test_headers_are_removed_also_where_nobody_is_told_of_the_counts() -> None:
    interceptor = ProducerHeaders(lambda: judge({"unregistered": "Deny"}), None, lambda _: True)

    changed = interceptor.on_send(ProducerRecord("orders", None, b"k", headers=(Header("a", b"x"),)))

    assert (changed.headers, changed.key, changed.value) == ((), b"k", None)


def test_a_consumer_counts_and_removes_nothing() -> None:
    own = counts(CONSUMER)
    records = [ConsumerRecord("orders", 0, 0, headers=(Header("a", b"xy"),)), ConsumerRecord("payments", 0, 0)]

    kept = ConsumerHeaders(lambda: judge({"unregistered": "Deny"}), own, lambda topic: topic == "orders").on_consume(
        records
    )

    assert kept is records
    [row] = rows(own)
    assert (row.side, row.topic, row.key, row.headers, row.bytes, row.removed) == ("consumer", "orders", "a", 1, 2, 0)
    assert (row.records_passed, row.records_looked_at) == (1, 1)


def test_records_without_headers_and_batches_that_cannot_be_looked_at_are_counted_in_a_row_without_a_key() -> None:
    own, _ = sent(None, (), ())
    ProducerHeaders(lambda: judge(None), own, lambda _: True).on_send_batch("orders", 0, 5)

    [row] = rows(own)

    assert (row.topic, row.key, row.headers) == ("orders", None, 0)
    assert (row.records_passed, row.records_looked_at) == (7, 2)


def test_keys_beyond_the_bound_share_a_row_that_names_none_of_them() -> None:
    rules = {"prefixes": [{"prefix": "k", "type": "String"}], "values_of": ["k300"]}
    own, _ = sent(rules, *[(Header(f"k{number}", b"x"),) for number in range(400)])

    found = rows(own)

    [shared] = [row for row in found if row.overflowed]
    assert len(found) <= MOST_ROWS + 1
    assert (shared.topic, shared.key, shared.registered, shared.values) == (None, None, False, ())
    assert sum(row.headers for row in found) == sum(row.bytes for row in found) == 400


def test_values_beyond_the_bounds_are_left_out_and_a_long_key_is_cut() -> None:
    rules = {"prefixes": [{"prefix": "a", "type": "Bytes"}], "values_of": ["a"]}
    values = [str(number).encode() for number in range(40)]
    own, _ = sent(
        rules, *[(Header("a", value),) for value in [*values, b"0", b"x" * 65, None]], (Header("a" * 200, b""),)
    )

    found = {row.key: row for row in rows(own)}

    assert len(found["a"].values) == 32
    assert found["a"].values_left_out == 9
    assert found["a"].values[0].records == 2
    assert "a" * 128 in found


def test_totals_are_those_of_all_windows_by_client_topic_and_key() -> None:
    rules = {"keys": [{"name": "a", "type": "Int32", "policy": "Deny", "required": True}]}
    own, _ = sent(rules, (Header("a", b"x"),), (Header("b", b"yy"),), ())
    own.closed = True
    windows = [ClientWindow.from_counts(own, window, IdentityPolicy(None)) for window in own.finished(0, {})]

    totals = TOTALS.validate_json(json.dumps(header_totals([*windows, *windows])))

    shown = {one.key: (one.headers, one.bytes, dict(one.problems), one.removed, one.registered) for one in totals}
    assert shown == {
        "a": (2, 2, {"wrong_type": 2, "missing": 4}, 2, True),
        "b": (2, 4, {"unregistered": 2}, 0, False),
    }
    assert {(one.side, one.topic, one.client_id) for one in totals} == {("producer", "orders", "c")}


def test_a_warning_is_logged_once_a_minute_for_each_key_and_problem_without_a_value(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rules = {
        "keys": [{"name": "warned", "type": "Int32", "policy": "Warn", "required": True}],
        "unregistered": "Report",
    }
    caplog.set_level(logging.WARNING, "kwitness.interceptors")

    sent(rules, *[(Header("warned", b"hunter2"),)] * 5, (Header("silent", b"x"),), topic="of-warnings")

    lines = [record.getMessage() for record in caplog.records]
    assert [line.partition(" (")[0] for line in lines] == [
        "Header 'warned' of a record of topic of-warnings is wrong_type",
        "Header 'warned' of a record of topic of-warnings is missing",
    ]
    assert "hunter2" not in caplog.text


def test_rules_of_settings_that_are_read_again_hold_for_clients_that_are_open() -> None:
    entries = {"suspend": False, "interceptors": [{"name": "headers", "type": "Headers"}]}
    profile = Profile(parse_settings(json.dumps(LEAST | entries)))
    [(_, interceptor)] = profile.interceptors(PRODUCER, {}, None)
    record = ProducerRecord("orders", b"v", headers=(Header("a", b"x"),))
    assert interceptor.on_send(record) is record  # type: ignore[union-attr] # it is a producer's

    profile.renew(parse_settings(json.dumps(LEAST | entries | {"headers": {"unregistered": "Deny"}})))

    assert interceptor.on_send(record).headers == ()  # type: ignore[union-attr] # likewise
