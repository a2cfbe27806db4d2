"""Conversion of TelemetryCollectors."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.conversion.v1alpha1 import to_v1beta1

METADATA = {"name": "main", "namespace": "kwitness"}
INGEST = {"tls": {"secretRef": {"name": "kwitness-tls"}}}


def converted(**spec: Any) -> dict[str, Any]:
    """The spec of v1beta1 of a collector whose further fields are ``spec``."""
    resource = {
        "apiVersion": "kwitness.dev/v1alpha1",
        "kind": "TelemetryCollector",
        "metadata": METADATA,
        "spec": {"clusterRef": {"name": "orders"}, "ingest": INGEST, **spec},
        "status": {"clients": 5},
    }
    found = to_v1beta1(resource)
    assert found == {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "TelemetryCollector",
        "metadata": METADATA,
        "spec": found["spec"],
    }
    return dict(found["spec"])


def test_what_has_not_changed_stays() -> None:
    assert converted(replicas=3) == {"clusterRef": {"name": "orders"}, "ingest": INGEST, "replicas": 3}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            {"insecurePlaintext": False, "secretRef": {"name": "kwitness-a"}, "caConfigMapRef": {"name": "kwitness-b"}},
            {"secretRef": {"name": "kwitness-a"}, "caConfigMapRef": {"name": "kwitness-b"}},
        ),
        ({"insecurePlaintext": True, "caConfigMapRef": {"name": "kwitness-b"}}, {"mode": "Disabled"}),
    ],
)
def test_plaintext_is_a_mode_without_certificate_authority(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert converted(ingest={"tls": before})["ingest"] == {"tls": after}


def test_senders_and_readers_that_are_written_twice_are_written_once() -> None:
    reader = {"serviceAccount": "console", "namespace": "tools"}
    senders = [{"serviceAccount": "app", "source": source} for source in ("Otlp", "Interceptor", "Otlp")]

    ingest = converted(ingest={**INGEST, "senders": senders, "readers": [reader, reader]})["ingest"]

    assert ingest == {**INGEST, "senders": senders[:2], "readers": [reader]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"serviceMonitor": {"enabled": False, "interval": "15s"}}, {"scrapeInterval": "15s"}),
        ({"serviceMonitor": {"enabled": True}, "maxSeries": 500}, {"serviceMonitor": {}, "maxSeries": 500}),
        (
            {"serviceMonitor": {"enabled": True, "labels": {"release": "a"}, "interval": "1m"}},
            {"serviceMonitor": {"labels": {"release": "a"}}, "scrapeInterval": "1m"},
        ),
    ],
)
def test_a_service_monitor_is_there_if_it_was_enabled(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert converted(prometheus=before)["prometheus"] == after


@pytest.mark.parametrize(
    ("before", "mode"), [({"enabled": True}, "Write"), ({}, "Write"), ({"enabled": False}, "Disabled")]
)
def test_the_topic_has_a_mode(before: dict[str, Any], mode: str) -> None:
    assert converted(kafkaTopic=before)["kafkaTopic"] == {"mode": mode}


@pytest.mark.parametrize(
    ("endpoint", "before", "after"),
    [
        ("https://otlp:4318/v1/metrics", {"insecurePlaintext": True}, {}),
        (
            "https://otlp:4318/v1/metrics",
            {"insecurePlaintext": False, "caSecretRef": {"name": "ca"}},
            {"tls": {"caSecretRef": {"name": "ca"}}},
        ),
        (
            "http://otlp:4318/v1/metrics",
            {"insecurePlaintext": True, "caSecretRef": {"name": "ca"}, "headersSecretRef": {"name": "kwitness-otlp"}},
            {"tls": {"mode": "Disabled"}, "headersSecretRef": {"name": "kwitness-otlp"}},
        ),
    ],
)
def test_the_mode_of_a_forward_is_that_of_its_endpoint(
    endpoint: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    at = {"name": "backend", "endpoint": endpoint}

    assert converted(forward=[{**at, **before}])["forward"] == [{**at, **after}]


def test_identity_is_a_list() -> None:
    assert converted(identity={"clientId": "Hash"})["identity"] == [{"key": "client_id", "treatment": "Hash"}]
