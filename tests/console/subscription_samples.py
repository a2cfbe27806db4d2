"""Subscriptions in a real API server, with what the operator writes into their statuses, and those of others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from kwitness.e2e.api_server import ApiServer

from tests.cli.conftest import cluster, ready
from tests.console.fleet_samples import HOSTILE

__all__ = ["BATCH", "KIND", "PRODUCER", "apply_subscriptions", "subscription"]

KIND: Final = "ClientMetricsSubscription"
PRODUCER: Final = "org.apache.kafka.producer."
BATCH: Final = "org.apache.kafka.producer.batch."
FOREIGN: Final = {
    "name": HOSTILE,
    "owner": "Foreign",
    "interval": "5m",
    "metrics": ["*"],
    "match": [{"selector": "clientId", "pattern": "<b>pay.*"}],
}
OF_ANOTHER: Final = {
    "name": "kwitness.other.shop.all",
    "owner": "OtherInstallation",
    "interval": "1m",
    "metrics": [PRODUCER, BATCH],
    "metricsLeftOut": 3,
}


def subscription(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    """Return a subscription as it is applied."""
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": KIND,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterRef": {"name": "orders"}, "metrics": [PRODUCER], **spec},
    }


def apply_subscriptions(api: ApiServer, namespace: str) -> None:
    """Apply a KafkaCluster, a subscription that is on the brokers, one that is refused, and one that is new."""
    slow = subscription("slow-orders", namespace, metrics=[PRODUCER, BATCH], expireAfter="10m")
    slow["spec"]["match"] = [{"selector": "clientId", "pattern": "orders-7"}]
    lost = subscription("lost", namespace, clusterRef={"name": "elsewhere"})
    api.objects.apply(cluster("orders", namespace), slow, lost, subscription("new", namespace, metrics=["*"]))

    def write(kind: str, name: str, **status: Any) -> None:
        api.objects.patch(kind, name, namespace, {"status": status}, subresource="status")

    ends = (datetime.now(UTC) + timedelta(seconds=590)).isoformat(timespec="seconds").replace("+00:00", "Z")
    write(
        KIND,
        "slow-orders",
        conditions=ready("True", "Applied", "it is on the brokers"),
        brokerResource=f"kwitness.it.{namespace}.slow-orders",
        clients={"asking": 4, "matching": 3, "pushing": 2, "silent": 1, "source": "Observer"},
        unsentPrefixes=[BATCH],
        expiresAt=ends,
        silentSoftware=[
            {"clientSoftwareName": "kgo", "clientSoftwareVersion": "1", "connections": 2, "reason": "NotAsking"}
        ],
        silentClients=[{"clientId": HOSTILE[:64], "clientAddress": "10.0.0.7", "reason": "TooOld"}],
        atRiskClients=[
            {
                "clientSoftwareName": "librdkafka",
                "clientSoftwareVersion": "2.4.0",
                "librdkafkaVersion": "2.4.0",
                "lastSeen": ends,
            }
        ],
    )
    write(KIND, "lost", conditions=ready("False", "ClusterNotReady", "there is no KafkaCluster elsewhere"))
    own = {"name": f"kwitness.it.{namespace}.slow-orders", "owner": "Ours", "interval": "5m"}
    own["resource"] = {"namespace": namespace, "name": "slow-orders"}
    counts = {"ours": 1, "otherInstallations": 1, "foreign": 1, "prefix": "kwitness.it."}
    write("KafkaCluster", "orders", subscriptions={**counts, "first": [FOREIGN, OF_ANOTHER, own]})
