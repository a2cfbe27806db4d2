from __future__ import annotations

import base64

import pytest

from kwitness.jobs.analyses.client_inventory.push import metric_names, push_row
from kwitness.jobs.analyses.client_inventory.row import MAX_TEXT, as_columns
from kwitness.jobs.analyses.client_inventory.transform import rows_of
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.rejection import MAX_FIELD_BYTES, MAX_HEADERS, MAX_VALUE_BYTES, RejectedRecordError, rejection

from tests.jobs.traffic import KINDS, bad_records, otlp, push, snapshot


@pytest.mark.parametrize("record", bad_records(), ids=lambda record: str(record.offset))
def test_a_bad_record_is_rejected_and_never_quoted(record: KafkaRecord) -> None:
    with pytest.raises(RejectedRecordError) as caught:
        rows_of(record, KINDS[record.topic])

    assert caught.value.reason
    assert "garbage" not in caught.value.message
    assert "yesterday" not in caught.value.message


@pytest.mark.parametrize("value", [None, b""])
def test_an_empty_push_says_that_the_client_is_there(value: bytes | None) -> None:
    row = push_row(push(value=value, terminating="true"))

    assert row.metrics == frozenset()
    assert row.terminated


def test_the_last_of_two_headers_of_one_name_counts() -> None:
    record = push()
    twice = record._replace(headers=(*record.headers, ("client_id", b"second")))

    assert as_columns(push_row(twice))["client_id"] == "second"


def test_headers_that_nobody_reads_may_hold_anything() -> None:
    record = push()
    odd = record._replace(headers=(*record.headers, ("traceparent", b"\xff\xfe"), ("event_seq", None)))

    assert push_row(odd) == push_row(record)


def test_a_client_that_calls_itself_something_endless_is_kept_short() -> None:
    row = push_row(push(client_id="x" * 32_768))

    assert len(as_columns(row)["client_id"]) == MAX_TEXT


def test_names_of_metrics_are_kept_short() -> None:
    assert max(len(name) for name in metric_names(otlp(["m" * 5_000, "n"]))) == MAX_TEXT


def test_events_of_single_connections_are_passed_over() -> None:
    assert rows_of(snapshot(kind="opened"), "connections") == []


def test_an_observer_cannot_pass_its_record_off_as_a_snapshot() -> None:
    for value in (snapshot().value, b"no JSON"):
        record = snapshot()._replace(value=value, headers=(("reported_by", b"pod"),))

        assert rows_of(record, "connections") == []


def test_a_software_that_has_no_connection_is_not_connected() -> None:
    record = snapshot(connections=[{"listener": "L", "client_software_name": "a", "connections": 0}])

    assert rows_of(record, "connections") == []


def test_quarantine_keeps_a_bounded_part_and_the_true_size() -> None:
    value = b"v" * 1_000_000
    headers = tuple((f"h{number}" * 200, b"x" * 5_000) for number in range(200))
    record = KafkaRecord("t", 1, 2, 3, b"k" * 5_000, value, headers)

    row = rejection(record, RejectedRecordError("MalformedPayload", "m" * 5_000))

    assert row["value_bytes"] == len(value)
    assert base64.b64decode(row["value_base64"]) == value[:MAX_VALUE_BYTES]
    assert len(base64.b64decode(row["key_base64"])) == MAX_FIELD_BYTES
    assert len(row["headers"]) == MAX_HEADERS
    assert max(len(one["key"]) for one in row["headers"]) == MAX_FIELD_BYTES
    assert len(row["message"]) < 1_000
