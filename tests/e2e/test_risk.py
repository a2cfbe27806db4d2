"""librdkafka 2.5.0 to 2.5.2 abort when a subscription asks for nothing they know. The platform holds such a one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kwitness.demo import manifests, up
from kwitness.demo.platform import APPS, SUBSCRIPTION, Platform
from kwitness.demo.toolbox import Toolbox

from tests.e2e import subscriptions
from tests.e2e.eventually import eventually
from tests.eventually import remains

pytestmark = pytest.mark.needs(up.clients)

FATAL = ["org.apache.kafka.producer.request.latency."]
"""Known to Java's clients alone."""
PAIR = ["org.apache.kafka.producer.connection.creation.", "org.apache.kafka.consumer.connection.creation."]
"""Each is known to one role; such a client takes only one of the two into account."""
SAFE = ["org.apache.kafka."]
ABORTED = 134


@contextmanager
def old_client(platform: Platform) -> Iterator[str]:
    """A producer on confluent-kafka 2.5.0."""
    text = manifests.client("old-python-producer", platform.images)
    text = text.replace("old-python-producer", "fragile-producer").replace("confluent-2.10.1", "confluent-2.5.0")
    platform.cluster.apply(text, namespace=APPS)
    try:
        eventually(lambda: platform.query('kafka_client_connections{client_software_version=~"2[.]5[.]0.*"}'), bool)
        yield "fragile-producer"
    finally:
        platform.cluster.delete("deployment", "fragile-producer", namespace=APPS)


@contextmanager
def demo_subscription_for_newer_clients(platform: Platform) -> Iterator[None]:
    """Without the demo's own subscription for the old client, so that what it is asked for is the test's alone."""
    newer = [{"selector": "clientSoftwareVersion", "pattern": "(4[.]|2[.]1).*"}]
    subscriptions.change(platform, subscriptions.KIND, SUBSCRIPTION, match=newer)
    subscriptions.reason_becomes(platform, SUBSCRIPTION, "Applied")
    try:
        yield
    finally:
        subscriptions.change(platform, subscriptions.KIND, SUBSCRIPTION, match=None)
        subscriptions.reason_becomes(platform, SUBSCRIPTION, "Applied")


def test_a_subscription_that_would_crash_a_connected_client_is_held_until_told_otherwise(
    platform: Platform, toolbox: Toolbox
) -> None:
    with (
        demo_subscription_for_newer_clients(platform),
        old_client(platform) as client,
        subscriptions.applied(platform, subscriptions.manifest("fatal", FATAL)) as name,
    ):
        condition = subscriptions.reason_becomes(platform, name, "ClientsAtRisk")
        remains(toolbox.subscriptions, lambda now: not any(one.endswith(".fatal") for one in now), seconds=10)

        assert "make spec.metrics just org.apache.kafka. or *" in condition["message"]
        risky = subscriptions.found(platform, name)["status"]["atRiskClients"]
        assert any(one["clientSoftwareVersion"].startswith("2.5.0") for one in risky)
        platform.cluster.apply_objects(subscriptions.manifest(name, PAIR))
        subscriptions.reason_becomes(platform, name, "ClientsAtRisk")
        platform.cluster.apply_objects(subscriptions.manifest(name, SAFE))
        subscriptions.reason_becomes(platform, name, "Applied")
        assert _exit_codes(platform, client) == set()

        platform.cluster.apply_objects(subscriptions.manifest(name, FATAL, riskPolicy="Apply"))
        subscriptions.reason_becomes(platform, name, "ClientsAtRisk")
        with subscriptions.cluster_with(platform, riskPolicy="Apply"):
            subscriptions.reason_becomes(platform, name, "Applied")
            # A client that was told of no subscription asks again after five minutes only; a new one asks at once.
            platform.cluster.restart(client, namespace=APPS)
            eventually(lambda: _exit_codes(platform, client), lambda codes: ABORTED in codes)


def _exit_codes(platform: Platform, name: str) -> set[int]:
    """Exit codes of a client's containers so far."""
    codes = set()
    for pod in platform.cluster.pods(APPS, f"app.kubernetes.io/name={name}"):
        for status in pod["status"].get("containerStatuses", []):
            for state in (status.get("state", {}), status.get("lastState", {})):
                ended: dict[str, Any] | None = state.get("terminated")
                if ended:
                    codes.add(int(ended["exitCode"]))
    return codes
