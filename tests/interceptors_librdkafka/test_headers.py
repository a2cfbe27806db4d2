"""Headers that the plugin judges, removes and adds, on three releases of librdkafka and in Debian's kcat."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest

from tests.interceptors_librdkafka.interceptors_server import InterceptorsServer
from tests.interceptors_librdkafka.plugin_library import RELEASES, Intercepted

pytestmark = pytest.mark.slow

Headers = Sequence[tuple[str, str | int | None]]

MEGABYTE: Final = 1_000_000
JUDGED: Final = {"type": "Headers", "name": "headers"}
STAMPED: Final = {
    "type": "Stamp",
    "name": "stamp",
    "stamps": [
        {"key": "tenant", "from": "Value", "value": "nobody"},
        {"key": "shop.pod", "from": "Pod"},
        {"key": "shop.client", "from": "ClientId"},
        {"key": "shop.id", "from": "UniqueId"},
    ],
}
RULES: Final = {
    "keys": [
        {"name": "tenant", "type": "String", "required": True},
        {"name": "size", "type": "Int32", "policy": "Deny"},
        {"name": "blob", "type": "Bytes", "max_bytes": 1_000},
        {"name": "card", "type": "String", "sensitivity": "Secret"},
    ],
    "prefixes": [{"prefix": "shop.", "type": "String", "policy": "Deny"}],
    "unregistered": "Deny",
    "values_of": ["tenant", "card"],
}


def record(headers: Headers = (), *, key: str | None = "key", value: str | int | None = "value", **more: int) -> object:
    return {"key": key, "value": value, "headers": headers, **more}


def run(intercepted: Intercepted, *records: object, most: int = 4 * MEGABYTE, lock: str | None = None) -> list[Any]:
    """What a consumer gets of them."""
    program = intercepted.run("headers", json.dumps(records), str(most), lock=lock)
    assert program["failed"] == []
    got: list[Any] = program["got"]
    return got


def texts(got: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The headers, the unique one without its value."""
    return [(name, None if name == "shop.id" else value) for name, value in got["headers"]]


def count(collector: InterceptorsServer, count: str, **members: object) -> int:
    return sum(row.get(count, 0) for row in collector.of_headers(**members))


STAMPS: Final = [("shop.pod", "orders-1"), ("shop.client", "orders-writer"), ("shop.id", None)]


@pytest.mark.parametrize("release", RELEASES)
def test_what_is_denied_is_removed_and_stamps_arrive(
    intercepted: Intercepted, collector: InterceptorsServer, release: str
) -> None:
    intercepted.tell(collector.url, interceptors=[JUDGED, STAMPED], headers=RULES)

    got = run(
        intercepted,
        record([("x", "1"), ("tenant", "acme"), ("x", "2"), ("y", None)]),
        record(key=None, value=None),
        record([("size", "four"), ("size", "wrong"), ("tenant", None)]),
        record([("blob", MEGABYTE), ("x", MEGABYTE)]),
        lock=release,
    )

    assert [(one["key"], one["value"]) for one in got] == [("key", "value"), (None, None), *[("key", "value")] * 2]
    nobody = ("tenant", "nobody")
    assert texts(got[0]) == [("tenant", "acme"), *STAMPS]
    assert texts(got[1]) == [nobody, *STAMPS]
    assert texts(got[2]) == [("size", "four"), ("size", "wrong"), ("tenant", None), *STAMPS]
    assert texts(got[3]) == [("blob", MEGABYTE), nobody, *STAMPS]
    ids = [uuid.UUID(dict(one["headers"])["shop.id"]) for one in got]
    assert [(one.version, one.variant) for one in ids] == [(7, uuid.RFC_4122)] * 4
    assert len(set(ids)) == 4
    producer = {"side": "producer", "topic": "orders", "seen_by": "librdkafka"}
    assert (count(collector, "headers", key="x", **producer), count(collector, "removed", key="x", **producer)) == (
        3,
        3,
    )
    assert count(collector, "bytes", key="x", **producer) == 2 + MEGABYTE
    assert count(collector, "removed", **producer) == 4
    assert (count(collector, "wrong_type", key="size", **producer), count(collector, "too_large", key="blob")) == (1, 2)
    rows = collector.of_kind("topic", side="producer")
    anomalies = [row["anomalies"] for row in rows if "anomalies" in row]
    assert anomalies == [{"not_removable": 1}]


def test_a_consumer_counts_and_changes_nothing(intercepted: Intercepted, collector: InterceptorsServer) -> None:
    intercepted.tell(collector.url, interceptors=[JUDGED], headers=RULES | {"unregistered": "Report"})

    run(intercepted, record([("x", "1"), ("card", "4711")]), record())

    for side in ("producer", "consumer"):
        assert count(collector, "headers", side=side, key="x") == 1
        assert count(collector, "missing", side=side, key="tenant") == 2
        assert count(collector, "removed", side=side) == 0
        looked_at = {row["window_start_ms"]: row["records_looked_at"] for row in collector.of_headers(side=side)}
        assert sum(looked_at.values()) == 2
    assert {row.get("registered", False) for row in collector.of_headers(key="card")} == {True}
    assert {row.get("registered", False) for row in collector.of_headers(key="x")} == {False}
    assert [row for row in collector.of_headers() if "values" in row] == []
    assert "4711" not in json.dumps(collector.rows)


def test_heads_say_what_is_new_and_rows_are_sealed(intercepted: Intercepted, collector: InterceptorsServer) -> None:
    intercepted.tell(collector.url, interceptors=[{"type": "Audit", "name": "audit"}, JUDGED], headers=RULES)

    run(intercepted, record([("x", "1"), ("tenant", "acme")]), record([("x", None), ("tenant", "acme")]))

    of_x = [one for one in collector.header_totals if one.get("key") == "x"]
    assert {(one["side"], one["topic"], one["client_id"]) for one in of_x} == {("producer", "orders", "orders-writer")}
    assert sum(one["headers"] for one in of_x) == sum(one["removed"] for one in of_x) == 2
    assert sum(one["problems"]["unregistered"] for one in of_x) == 2
    values = [one for row in collector.of_headers(side="producer", key="tenant") for one in row["values"]]
    assert (sum(one["records"] for one in values), {one["value"] for one in values}) == (2, {"acme"})
    for topic in ("headers", "interceptions"):
        numbers = {row["event_seq"] for row in collector.rows if row["schema"] == f"kwitness.{topic}/1"}
        seals = [row for row in collector.rows if row["schema"] == "kwitness.seals/1" and row["topic"] == topic]
        sealed = [set(range(seal["first_seq"], seal["last_seq"] + 1)) for seal in seals]
        assert set().union(*sealed) == numbers
        assert [len(part) for part in sealed] == [seal["count"] for seal in seals]


def test_no_record_grows_beyond_what_the_client_may_send(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    intercepted.tell(collector.url, interceptors=[STAMPED])
    most = 10_000

    # What librdkafka itself counts of a record without headers is 36 bytes more than its key and value.
    got = run(intercepted, record(value=most - 36 - len("key")), record(), most=most)

    assert [len(one["headers"]) for one in got] == [0, 4]
    assert sum(row.get("anomalies", {}).get("no_room", 0) for row in collector.of_kind("topic")) == 1


def test_a_record_that_is_refused_after_the_hook_is_the_applications_as_before(
    intercepted: Intercepted, collector: InterceptorsServer
) -> None:
    intercepted.tell(collector.url, interceptors=[JUDGED, STAMPED], headers=RULES)
    refused = [record([("x", "1"), ("tenant", "a")], partition=99), record(partition=99)]

    program = intercepted.run("headers", json.dumps([*refused * 20, record()]), "1000000")

    assert program["failed"] == ["_UNKNOWN_PARTITION"] * 40
    assert [len(one["headers"]) for one in program["got"]] == [4]


def test_debians_kcat_has_its_headers_judged(
    intercepted: Intercepted, collector: InterceptorsServer, kcat: str
) -> None:
    intercepted.tell(collector.url, interceptors=[JUDGED, STAMPED], headers=RULES)
    options = [
        "-X",
        f"plugin.library.paths={intercepted.plugin}",
        "-X",
        "client.id=kcat",
        "-H",
        "x=1",
        "-H",
        "tenant=acme",
    ]

    program = intercepted.run("headers", "[]", "1000000", kcat, "-P", "-t", "orders", "-p", "0", *options, "-b")

    assert program["got"][0]["value"] == "by a command"
    assert texts(program["got"][0]) == [("tenant", "acme"), STAMPS[0], ("shop.client", "kcat"), STAMPS[2]]
    assert count(collector, "removed", client_id="kcat", key="x") == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"suspend": True, "interceptors": [JUDGED, STAMPED]},
        {"topics": ["payments"], "interceptors": [JUDGED, STAMPED]},
        {"interceptors": [{"type": "Tracing", "name": "tracing"}, {"type": "Checksum", "name": "checksum"}]},
    ],
)
def test_headers_are_left_alone_where_nothing_asks_for_more(
    intercepted: Intercepted, collector: InterceptorsServer, changes: dict[str, object]
) -> None:
    intercepted.tell(collector.url, headers=RULES, **changes)

    got = run(intercepted, record([("x", "1")]))

    assert texts(got[0]) == [("x", "1")]
    assert collector.of_headers() == []
