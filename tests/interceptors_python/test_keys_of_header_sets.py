"""The interceptor Headers evaluates and counts keys of compact sets as it does others, as far as readers get."""

from __future__ import annotations

import json
import logging
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness_interceptors.headers import SET_HEADER, STRING, HeaderKey, HeaderReader, decode_set, encode_set
from kwitness_interceptors.measures.header_interceptors import ConsumerHeaders
from kwitness_interceptors.measures.set_keys import MOST_SET_KEYS
from kwitness_interceptors.profile import CONSUMER, PRODUCER, Profile
from kwitness_interceptors.records import ConsumerRecord, Header, ProducerRecord
from kwitness_interceptors.settings import parse_settings

from .sent_headers import LEAST, counts, headers_of, judge, rows, sent
from tests.vectors import vectors

A = {"name": "a", "type": "String", "id": 7, "required": True}


def set_of(keys: dict[int, bytes]) -> Header:
    return Header(SET_HEADER, encode_set(keys))


def counted(row: Any) -> dict[str, Any]:
    """A row as the examples have it."""
    problems = {name: getattr(row, name) for name in ("wrong_type", "too_large", "deprecated", "testing_id", "missing")}
    if row.headers and not row.registered:
        problems["unregistered"] = row.headers
    return {
        "key": row.key,
        "registered": row.registered,
        "headers": row.headers,
        "bytes": row.bytes,
        "problems": {name: count for name, count in problems.items() if count},
        "removed": row.removed,
        "values": {value.value: value.records for value in row.values},
    }


def by_key(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(found, key=lambda row: str(row["key"]))


@pytest.mark.parametrize("example", vectors("header_rules", "sets"), ids=itemgetter("name"))
def test_keys_of_sets_are_evaluated_and_removed_as_elsewhere(example: dict[str, Any]) -> None:
    own, [kept] = sent(example["rules"], headers_of(example))

    assert by_key([counted(row) for row in rows(own)]) == by_key(example["counted"])
    assert kept == headers_of({"headers": example["left"]})


@pytest.mark.parametrize("example", vectors("header_rules", "sets"), ids=itemgetter("name"))
def test_a_consumer_counts_the_same_and_removes_nothing(example: dict[str, Any]) -> None:
    own, records = counts(CONSUMER), [ConsumerRecord("orders", 0, 0, headers=headers_of(example))]

    kept = ConsumerHeaders(lambda: judge(example["rules"]), own, lambda _: True).on_consume(records)

    assert kept is records
    assert by_key([counted(row) for row in rows(own)]) == by_key([key | {"removed": 0} for key in example["counted"]])


@given(st.binary(max_size=64) | st.dictionaries(st.integers(0, 9), st.binary(max_size=3)).map(encode_set))
def test_keys_count_as_present_exactly_where_a_reader_finds_them(data: bytes) -> None:
    header = Header(SET_HEADER, data)
    own, [kept] = sent({"keys": [A]}, (header,))

    try:
        is_found = HeaderKey("a", STRING, 7) in HeaderReader((header,))
    except ValueError:
        is_found = False
    [row] = [row for row in rows(own) if row.key == "a"]
    assert (row.headers, row.missing) == ((1, 0) if is_found else (0, 1))
    assert kept == (header,)


def test_keys_beyond_the_bound_of_a_record_are_not_evaluated_and_none_is_called_missing() -> None:
    last = {"name": "last", "type": "String", "id": 2**31 - 1, "required": True}
    most = dict.fromkeys(range(MOST_SET_KEYS), b"")

    own, _ = sent({"keys": [last]}, (set_of(most),), (set_of(most | {2**31 - 1: b"x"}),))

    found = rows(own)
    assert sum(row.headers for row in found if row.key != SET_HEADER) == 2 * MOST_SET_KEYS
    [whole] = [row for row in found if row.key == SET_HEADER]
    assert (whole.headers, whole.too_large, whole.wrong_type) == (2, 1, 0)
    assert sum(row.missing for row in found) == 1, "of the first record alone"


def test_a_set_with_keys_that_nobody_evaluates_is_not_sent_where_unregistered_keys_are_denied() -> None:
    rules = {"keys": [A | {"required": False}, {"name": SET_HEADER, "type": "Bytes"}], "unregistered": "Deny"}
    beyond = set_of(dict.fromkeys(range(MOST_SET_KEYS + 1), b""))

    _, [kept] = sent({"keys": rules["keys"][:1], "unregistered": "Deny"}, (beyond, Header("a", b"x")))
    _, [as_registered] = sent(rules, (beyond,))

    assert kept == (Header("a", b"x"),)
    assert as_registered == (beyond,)


def test_the_bound_is_of_all_sets_of_a_record() -> None:
    half = set_of(dict.fromkeys(range(MOST_SET_KEYS // 2), b""))

    own, _ = sent({"keys": [A]}, (half, half), (half, half, set_of({7: b""})))

    [whole] = [row for row in rows(own) if row.key == SET_HEADER]
    assert (whole.headers, whole.too_large) == (5, 1)


@pytest.mark.parametrize("tail", [b"", b"\xff\xff\xff", b"\xff" * 8])
def test_a_set_of_64_kib_is_evaluated_and_never_raises(tail: bytes) -> None:
    data = encode_set(dict.fromkeys(range(248), b"x" * 256)) + tail

    own, [kept] = sent({"keys": [A]}, (Header(SET_HEADER, data),))

    found = rows(own)
    [whole] = [row for row in found if row.key == SET_HEADER]
    assert (whole.bytes, whole.wrong_type) == (len(data), int(bool(tail)))
    assert sum(row.headers for row in found) == 249
    assert kept[0].value == data


def test_a_key_in_a_set_has_the_row_that_it_has_in_a_header_so_that_its_owner_is_charged() -> None:
    rules = {"keys": [{"name": "charge.tag", "type": "String", "id": 7, "required": True}], "values_of": ["charge.tag"]}

    natively, _ = sent(rules, (Header("charge.tag", b"red"),))
    in_the_set, _ = sent(rules, (set_of({7: b"red"}),))

    [expected] = rows(natively)
    assert {value.value: value.records for value in expected.values} == {"red": 1}
    assert [row for row in rows(in_the_set) if row.key != SET_HEADER] == [expected]


def test_a_number_that_no_key_has_is_logged_where_that_warns(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "kwitness.interceptors")

    sent({"keys": [A], "unregistered": "Warn"}, (set_of({7: b"", 41: b"hunter2"}),), topic="of-sets")

    [line] = [record.getMessage() for record in caplog.records]
    assert line.startswith("Header '#41' of a record of topic of-sets is unregistered")
    assert "hunter2" not in caplog.text


def test_a_profile_removes_a_number_from_the_set_of_a_record() -> None:
    entries = {"suspend": False, "interceptors": [{"name": "headers", "type": "Headers"}]}
    rules = {"headers": {"keys": [A], "unregistered": "Deny"}}
    [(_, interceptor)] = Profile(parse_settings(json.dumps(LEAST | entries | rules))).interceptors(PRODUCER, {}, None)

    changed = interceptor.on_send(  # type: ignore[union-attr] # it is a producer's
        ProducerRecord("orders", b"v", headers=(set_of({7: b"x", 9: b"y"}), Header(SET_HEADER, None)))
    )

    [first, second] = changed.headers
    assert (first.key, decode_set(first.value or b"")) == (SET_HEADER, {7: b"x"})
    assert second == Header(SET_HEADER, None)
