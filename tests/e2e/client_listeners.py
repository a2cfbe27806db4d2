"""Listeners of the development Kafka that the demo's KafkaCluster does not name, named for the length of a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from kwitness.demo.platform import CLUSTER, KAFKA, NAMESPACE, Platform

from tests.e2e import subscriptions

KIND: Final = "kafkacluster"
SIGNED_IN: Final[dict[str, Any]] = {
    "name": "SASL_PLAINTEXT_PLAIN",
    "bootstrapServers": [f"{KAFKA}.{NAMESPACE}.svc:9097"],
    "security": "SaslPlaintext",
    "mechanisms": ["PLAIN"],
}
"""Clients without TLS that sign in by PLAIN; nothing of the demo observes them."""


@contextmanager
def named(platform: Platform, listener: dict[str, Any]) -> Iterator[None]:
    """Have an entry in spec.listeners, which an ObserverDeployment may then refer to."""
    _patch(platform, {"op": "add", "path": "/spec/listeners/-", "value": listener})
    try:
        yield
    finally:
        known = subscriptions.found(platform, CLUSTER, KIND)["spec"]["listeners"]
        at = [one["name"] for one in known].index(listener["name"])
        _patch(platform, {"op": "remove", "path": f"/spec/listeners/{at}"})


def _patch(platform: Platform, operation: dict[str, Any]) -> None:
    platform.cluster.objects.patch(KIND, CLUSTER, NAMESPACE, [operation], how="json")
