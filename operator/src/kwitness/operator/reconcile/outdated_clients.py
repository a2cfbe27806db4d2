"""Clients below the least versions that KafkaClusters ask for, of all clusters: what the metric shows."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.context import Context
from kwitness.operator.desired.client_versions import ClientVersions, client_versions
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key

__all__ = ["connections_below", "versions_of_clients"]

_KIND = "KafkaCluster"
_MOST: Final = 50
"""Versions of one Kafka cluster that have a series of their own: clients choose what they announce."""
_OTHER: Final = "other"


def versions_of_clients(context: Context, key: Key) -> ClientVersions:
    """Compare the clients of a cluster with its policy; nothing is found where either is not known."""
    body, facts = context.store.get(_KIND, key), context.clusters.get(key)
    if body is None or facts is None or facts.inventory is None:
        return ClientVersions()
    try:
        cluster = parse_resource(KafkaCluster, body)
    except OperatorError:
        return ClientVersions()
    return client_versions(cluster.spec.client_policy, facts.inventory.software)


def connections_below(context: Context) -> dict[tuple[str, str, str], int]:
    """Open connections by cluster id, software name and version, as far as collectors answer now.

    Two KafkaClusters may lead to one Kafka cluster: the larger number counts, not the sum.
    """
    by_cluster: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for key, facts in sorted(context.clusters.items()):
        known = facts.inventory_verdict is not None and facts.inventory_verdict.status == "True"
        if not known or facts.cluster_id is None:
            continue
        found = by_cluster[facts.cluster_id]
        for one in versions_of_clients(context, key).below:
            software = (one.name, one.version)
            found[software] = max(found.get(software, 0), one.connections)
    return {
        (cluster_id, *software): connections
        for cluster_id, found in by_cluster.items()
        for software, connections in _bounded(found).items()
    }


def _bounded(found: dict[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    ranked = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    bounded = dict(ranked[:_MOST])
    if rest := sum(connections for _, connections in ranked[_MOST:]):
        bounded[_OTHER, _OTHER] = bounded.get((_OTHER, _OTHER), 0) + rest
    return bounded
