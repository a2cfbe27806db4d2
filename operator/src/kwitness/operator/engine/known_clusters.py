"""What is known of Kafka clusters in this process: from looks at their brokers, their collectors, and subscriptions."""

from __future__ import annotations

from typing import Any, Final

from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.model.certificates import certificates_of
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.inventory import crashing_software
from kwitness.operator.reconcile.orphans import known_id
from kwitness.operator.shapes.facts import (
    AskedFor,
    ClusterKnowledge,
    CollectorReport,
    Fact,
    HeldBack,
    Inventory,
    KafkaState,
    Reported,
    SameKafka,
)
from kwitness.operator.shapes.subscription_facts import BrokerWrites, CleanedUp, ClientSightings, KnownId, Sightings

__all__ = ["OF_CLUSTERS", "recall_of_cluster"]

OF_CLUSTERS: Final = (
    KafkaState,
    SameKafka,
    KnownId,
    Inventory,
    Reported,
    Sightings,
    AskedFor,
    HeldBack,
    BrokerWrites,
    CleanedUp,
)
"""Facts that looks at the clusters leave in this process."""


def recall_of_cluster(context: Context, fact: Any) -> Any:
    """The value of one of `OF_CLUSTERS`."""
    match fact:
        case SameKafka(cluster_id):
            return _same_kafka(context, cluster_id)
        case KafkaState(cluster):
            return _cluster_knowledge(context, cluster)
        case KnownId(cluster):
            return known_id(context, cluster)
        case CleanedUp(cluster):
            return frozenset(context.removed.get(cluster, ()))
        case _:
            facts = context.clusters.get(fact.cluster)
            return None if facts is None else _of_facts(facts, fact)


def _same_kafka(context: Context, cluster_id: str) -> tuple[Key, ...]:
    found = []
    for key, body in context.store.items("KafkaCluster"):
        facts = context.clusters.get(key)
        known = None if facts is None else facts.cluster_id
        if (known or (body.get("status") or {}).get("clusterId")) == cluster_id:
            found.append(key)
    return tuple(sorted(found))


def _cluster_knowledge(context: Context, cluster: Key) -> ClusterKnowledge | None:
    facts = context.clusters.get(cluster)
    if facts is None or not facts.checked:
        return None
    # A broker's trouble must not take down what stands already, so the status serves where the process does not know.
    status = (context.store.get("KafkaCluster", cluster) or {}).get("status") or {}
    brokers = facts.seen.brokers if facts.seen else ()
    addresses = tuple(sorted((broker.id, broker.host, broker.port) for broker in brokers))
    nodes = [broker.id for broker in brokers] or status.get("brokers", {}).get("nodeIds", ())
    cluster_id = facts.cluster_id or status.get("clusterId")
    tls = facts.connection.tls if facts.connection is not None else None
    authority = certificates_of(tls.ca_certificates) if tls is not None and tls.ca_certificates else None
    return ClusterKnowledge(cluster_id, tuple(sorted(nodes)), facts.trouble, authority, facts.listeners, addresses)


def _of_facts(facts: ClusterFacts, fact: Fact[Any]) -> Any:
    match fact:
        case BrokerWrites():
            return facts.writes
        case Sightings():
            software = tuple(crashing_software(facts))
            return ClientSightings(software, facts.unknown, facts.inventory_verdict, facts.subscription_states)
        case Inventory():
            verdict = facts.inventory_verdict
            return facts.inventory if verdict is not None and verdict.status == "True" else None
        case Reported():
            return CollectorReport(facts.inventory_verdict, facts.inventory)
        case AskedFor():
            return facts.subscriptions
        case HeldBack():
            return facts.deletion_held
        case _:
            raise TypeError(f"{fact} is not in memory")
