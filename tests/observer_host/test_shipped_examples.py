"""The two observers that are shipped, with recorded events."""

from __future__ import annotations

import json

import pytest
from prometheus_client import CollectorRegistry

from kwitness.observer.examples.audit_log import AuditLog
from kwitness.observer.examples.traffic_metrics import TrafficMetrics
from kwitness.observer.loading import UnusableObserverError
from kwitness.observer.testing import RECORDED, read_events, replay

from tests.observer_host.event_lines import event


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> CollectorRegistry:
    own = CollectorRegistry()
    monkeypatch.setattr(TrafficMetrics, "registry", own)
    return own


def told(kind: str, api: str) -> list[int]:
    """Messages with records, records and bytes of the recorded events of one kind and API."""
    events = [one for one in read_events(RECORDED) if (one.kind, one.api) == (kind, api)]
    parts = [part for one in events for part in one.partitions]
    full = [one for one in events if any(part.bytes for part in one.partitions)]
    return [len(full), sum(part.records or 0 for part in parts), sum(part.bytes for part in parts)]


def sample(registry: CollectorRegistry, name: str, api: str, topic: str, principal: str) -> float | None:
    return registry.get_sample_value(
        f"kafka_observed_{name}_total", {"api": api, "topic": topic, "principal": principal}
    )


def test_traffic_is_counted_by_api_topic_and_principal(registry: CollectorRegistry) -> None:
    replay(TrafficMetrics)

    produced, fetched = ("Produce", "orders", "User:checkout"), ("Fetch", "orders", "User:billing")
    names = ("messages", "records", "record_bytes")
    assert [sample(registry, name, *produced) for name in names] == told("request", "Produce")
    assert [sample(registry, name, *fetched) for name in names] == told("response", "Fetch")
    assert min(told("request", "Produce") + told("response", "Fetch")) > 0


def test_topics_beyond_the_bound_are_counted_together(registry: CollectorRegistry) -> None:
    partitions = [{"topic": f"t{number}", "partition": 0, "bytes": 10, "records": None} for number in range(5)]

    replay(TrafficMetrics, [event(0, partitions=partitions)], config={"maxSeries": "2"})

    assert sample(registry, "record_bytes", "Produce", "t1", "User:alice") == 10
    assert sample(registry, "record_bytes", "Produce", "t2", "User:alice") is None
    assert sample(registry, "record_bytes", "Produce", "(others)", "(others)") == 30
    assert sample(registry, "records", "Produce", "(others)", "(others)") == 0


@pytest.mark.parametrize("config", [{"maxSeries": "0"}, {"maxSeries": "many"}, {"series": "1"}])
def test_settings_that_cannot_be_are_refused(registry: CollectorRegistry, config: dict[str, str]) -> None:
    with pytest.raises(UnusableObserverError, match="maxSeries"):
        replay(TrafficMetrics, config=config)


def test_the_audit_log_has_a_line_for_each_request_and_response(capsys: pytest.CaptureFixture[str]) -> None:
    replay(AuditLog)

    lines = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert [one["audit"] for one in lines] == [one.kind for one in read_events(RECORDED)]
    created = next(one for one in lines if one["audit"] == "request" and one["api"] == "CreateTopics")
    assert created.keys() == {
        "audit",
        "occurred_at_ms",
        "api",
        "principal",
        "client_address",
        "client_id",
        "api_version",
        "correlation_id",
        "topics",
    }
    assert (created["principal"], created["topics"]) == ("User:alice", ["orders"])
    refused = [dict(one.errors) for one in read_events(RECORDED) if one.errors]
    assert refused
    assert [one["errors"] for one in lines if one.get("errors")] == refused


def test_it_can_be_told_which_requests_count(capsys: pytest.CaptureFixture[str]) -> None:
    replay(AuditLog, config={"apis": "CreateTopics, DeleteTopics"})

    apis = [json.loads(text)["api"] for text in capsys.readouterr().out.splitlines()]
    assert apis == [one.api for one in read_events(RECORDED) if one.api in {"CreateTopics", "DeleteTopics"}]
    assert "CreateTopics" in apis


def test_it_refuses_a_setting_that_it_does_not_have() -> None:
    with pytest.raises(UnusableObserverError, match="there is no setting api: remove it, or write apis"):
        replay(AuditLog, config={"api": "Produce"})
