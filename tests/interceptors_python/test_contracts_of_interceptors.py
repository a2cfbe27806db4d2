"""What the injected code does by hand is what contracts/ say: the same examples run in every runtime."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kwitness.contracts import interceptor_settings
from kwitness.contracts.records.offset_ranges import MAX_OFFSET_RANGES
from kwitness.contracts.records.sketch import SKETCH_BOUNDS
from kwitness_interceptors import ProducerInterceptor
from kwitness_interceptors.measures.failure_reasons import failure_reason
from kwitness_interceptors.measures.offset_ranges import MOST_RANGES, OffsetRanges
from kwitness_interceptors.measures.sketch import BOUNDS, Sketch
from kwitness_interceptors.profile import PRODUCER, Profile
from kwitness_interceptors.reporting.answer import owner_of, parse_answer
from kwitness_interceptors.reporting.identity import SETTINGS_VARIABLE
from kwitness_interceptors.reporting.rows import LATENCY_BOUNDS_US, SIZE_BOUNDS_BYTES
from kwitness_interceptors.settings import (
    Settings,
    SettingsError,
    ThroughObserver,
    is_selected,
    parse_settings,
    settings_hash,
)
from kwitness_interceptors.through_observer import way_through

from tests.vectors import documents, vectors

OBSERVERS = documents("through_observer")["observers"]
LEAST = vectors("interceptor_settings", "valid")[1]["settings"]


def plain(settings: Settings) -> dict[str, Any]:
    """Settings as the file has them when it leaves nothing out."""
    entries = []
    for one in settings.interceptors:
        entry: dict[str, Any] = {"name": one.name, "type": one.type}
        if one.type == "Cardinality":
            entry["window_ms"] = one.window_ms
        if one.type == "Custom":
            entry |= {"class_name": one.class_name, "settings": dict(one.settings)}
        if one.type == "Stamp":
            entry["stamps"] = [{"key": key, "from": source, "value": value} for key, source, value in one.stamps]
        if one.type in {"Tracing", "Checksum"}:
            entry["header"] = one.header
        entries.append(entry)
    fields = settings._asdict()
    del fields["hash"]
    collector, through, headers = settings.collector, settings.through_observer, settings.headers
    return fields | {
        "interceptors": entries,
        "topics": list(settings.topics),
        "limits": settings.limits._asdict(),
        "collector": None if collector is None else collector._asdict(),
        "through_observer": None if through is None else {**through._asdict(), "addresses": sorted(through.addresses)},
        "headers": None
        if headers is None
        else {
            "keys": [one._asdict() for one in headers.keys],
            "prefixes": [one._asdict() for one in headers.prefixes],
            "unregistered": headers.unregistered,
            "values_of": list(headers.values_of),
        },
        "identity": None
        if settings.identity is None
        else {
            **settings.identity._asdict(),
            **{key: sorted(getattr(settings.identity, key)) for key in ("drop", "hash")},
        },
    }


@pytest.mark.parametrize("one", vectors("interceptor_settings", "valid"), ids=lambda one: one["name"])
def test_settings_are_read_as_they_are_written(one: dict[str, Any]) -> None:
    assert plain(parse_settings(json.dumps(one["settings"]))) == one["settings"]


@pytest.mark.parametrize("one", vectors("interceptor_settings", "defaults"))
def test_what_is_left_out_has_the_value_that_the_contract_says(one: dict[str, Any]) -> None:
    assert plain(parse_settings(json.dumps(one["settings"]))) == one["means"]


@pytest.mark.parametrize("one", vectors("interceptor_settings", "refused"), ids=lambda one: str(one["change"])[:60])
def test_settings_that_cannot_be_used_are_refused(one: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        parse_settings(json.dumps(LEAST | one["change"]))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"installation": 1}', "null"])
def test_what_is_no_settings_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        parse_settings(text)


def test_hashes_and_selections_are_those_of_the_contract() -> None:
    for one in vectors("interceptor_settings", "hashes"):
        assert settings_hash(one["text"]) == one["hash"]
    for one in vectors("interceptor_settings", "selected"):
        assert is_selected(one["topic"], tuple(one["topics"])) is one["selected"]
    assert interceptor_settings.SETTINGS_VARIABLE == SETTINGS_VARIABLE


@pytest.mark.parametrize("one", vectors("through_observer", "clients"), ids=lambda one: one["name"])
def test_clients_connect_to_an_observer_as_the_contract_has_it(one: dict[str, Any]) -> None:
    settings = parse_settings(json.dumps(LEAST | {"through_observer": OBSERVERS[one["observer"]]}))
    assert settings.through_observer is not None

    assert way_through(settings.through_observer, one["config"]) == (one["becomes"], one["reason"])


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"security.protocol": "SSL", "ssl.context": object()}, "client_certificate"),
        ({"security.protocol": "SSL", "ssl.certfile": "/etc/tls.crt"}, "client_certificate"),
        ({"security.protocol": "SSL", "ssl.certificate.pem": "PEM"}, "client_certificate"),
        ({"security.protocol": "SSL", "ssl.cafile": "/etc/ca.crt"}, None),
    ],
    ids=str,
)
def test_certificates_are_found_by_the_names_that_clients_in_python_give_them(
    config: dict[str, Any], reason: str | None
) -> None:
    through = ThroughObserver("127.0.0.1:19092", frozenset({"kafka:9093"}), {"SSL": "PLAINTEXT"})

    for servers in ({"bootstrap.servers": ["kafka:9093"]}, {"metadata.broker.list": "kafka:9093"}):
        assert way_through(through, {**servers, **config}).reason == reason


def test_distributions_are_those_of_the_contract() -> None:
    assert tuple(BOUNDS) == SKETCH_BOUNDS
    assert list(LATENCY_BOUNDS_US) == vectors("interception_aggregates", "latency_bounds_us")
    assert list(SIZE_BOUNDS_BYTES) == vectors("interception_aggregates", "size_bounds_bytes")
    for one in vectors("interception_aggregates", "sketches"):
        sketch = Sketch()
        for value in one["values"]:
            sketch.add(value)
        assert {str(bucket): count for bucket, count in sketch.buckets.items()} == one["buckets"]
        assert sketch.sum == one["sum"]
        assert sketch.by_bounds(LATENCY_BOUNDS_US) == one["by_latency_bounds"]


def test_ranges_are_those_of_the_contract() -> None:
    assert MOST_RANGES == MAX_OFFSET_RANGES
    for one in vectors("interception_aggregates", "offset_ranges"):
        ranges, singly = OffsetRanges(), OffsetRanges()
        for first, last in one["added"]:
            ranges.add_range(first, last)
            if last - first < 100:
                for offset in range(first, last + 1) if first >= 0 else ():
                    singly.add(offset)
        assert [list(pair) for pair in ranges.ranges] == one["ranges"]
        assert ranges.merged == one["merged"]
        if not one["merged"] and all(last - first < 100 for first, last in one["added"]):
            assert singly.ranges == ranges.ranges


@pytest.mark.parametrize(
    ("key", "replicas", "owner"),
    [
        ("team-a/edge-0", 1, 0),
        ("team-a/edge-0", 3, 0),
        ("team-a/edge-1", 3, 2),
        ("shop/kwitness-gateway-front-1", 5, 3),
    ],
)
def test_owners_are_those_that_the_collector_computes(key: str, replicas: int, owner: int) -> None:
    assert owner_of(key, replicas) == owner


@pytest.mark.parametrize(
    "body",
    [
        *(b"<html>", b"{}", b"null", b"[]", b'{"protocol":1,"collector":"n/c","replica":0}'),
        *(
            b'{"protocol":2,"collector":"n/c","replica":0,"accepted":"x"}',
            b'{"protocol":"2","collector":"n/c","replica":0}',
            b'{"protocol":2,"collector":"n/c","replica":0,"retry_after_ms":Infinity}',
            b'{"protocol":' + b"[" * 100_000,
        ),
    ],
)
def test_a_page_of_somebody_else_is_no_answer(body: bytes) -> None:
    assert parse_answer(body) is None


def test_what_a_collector_says_counts_until_the_settings_that_say_so_are_in_force() -> None:
    profile = Profile(parse_settings(json.dumps(LEAST | {"suspend": False})))
    assert not profile.is_suspended

    profile.told("new", True)
    assert profile.is_suspended
    profile.renew(profile.settings._replace(hash="new"))
    assert not profile.is_suspended
    profile.told(None, True)
    assert not profile.is_suspended


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("REQUEST_TIMED_OUT", "REQUEST_TIMED_OUT"),
        ("_MSG_TIMED_OUT", "timed_out"),
        ("ORDER 4711 IS NOT SENT", "other"),
        ("A" * 65, "other"),
        ("", "other"),
    ],
)
def test_reasons_are_names_of_errors_and_nothing_that_an_application_says(message: str, reason: str) -> None:
    error = Exception()
    error.message = message  # type: ignore[attr-defined] # as kafka-python's and aiokafka's errors have it

    assert failure_reason(error) == reason


def test_an_interceptor_that_settings_have_no_more_is_not_said_to_be_unusable() -> None:
    entries = [{"name": name, "type": "Custom", "class_name": "no.such:Class"} for name in ("one", "two")]
    profile = Profile(parse_settings(json.dumps(LEAST | {"interceptors": entries})))
    assert profile.interceptors(PRODUCER, {}, None) == []
    assert set(profile.unusable) == {"one", "two"}

    profile.renew(parse_settings(json.dumps(LEAST | {"interceptors": entries[1:]})))

    assert set(profile.unusable) == {"two"}


class Unconfigured(ProducerInterceptor):
    """Says in its error what it was given."""

    def configure(self, config: Any) -> None:
        raise ValueError(f"cannot sign in with {config['sasl.password']}")


def test_what_configure_raises_is_in_the_log_alone(caplog: pytest.LogCaptureFixture) -> None:
    entry = {"name": "own", "type": "Custom", "class_name": f"{__name__}:Unconfigured"}
    profile = Profile(parse_settings(json.dumps(LEAST | {"interceptors": [entry]})))

    assert profile.interceptors(PRODUCER, {"sasl.password": "hunter2"}, None) == []

    assert profile.unusable == {"own": "configure raised ValueError: see the program's log"}
    assert "cannot sign in" in caplog.text
