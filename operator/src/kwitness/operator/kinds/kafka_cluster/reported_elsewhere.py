"""Find brokers whose plugin reports to another collector than to the one that acts for the KafkaCluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.environment.clusters import key_of
from kwitness.operator.environment.collectors import acting_collector, collectors_naming
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import CollectorAnswer, Reported
from kwitness.operator.shapes.work import View

__all__ = ["other_collectors", "reported_elsewhere"]


def other_collectors(cluster: KafkaCluster, seen: ClusterDescription, view: View) -> Iterator[CollectorAnswer]:
    """Yield the questions to those that do not act for the cluster, while that one hears not from every broker."""
    if not _unheard(cluster, seen, view):
        return
    at, acting = Key(cluster.metadata.namespace, cluster.metadata.name), acting_collector(cluster, view)
    for collector in collectors_naming(cluster, view):
        if acting is None or key_of(collector) != key_of(acting):
            yield CollectorAnswer(Key(*key_of(collector)), at)


def reported_elsewhere(cluster: KafkaCluster, seen: ClusterDescription, view: View) -> Mapping[Key, tuple[str, ...]]:
    """Return by collector the ids of brokers that only it hears from."""
    unheard, found = _unheard(cluster, seen, view), {}
    for fact in other_collectors(cluster, seen, view):
        answer = view.get(fact)
        state = None if answer is None else answer.value
        brokers = tuple(sorted(unheard & {broker.broker_id for broker in state.brokers})) if state is not None else ()
        if brokers:
            found[fact.collector] = brokers
    return found


def _unheard(cluster: KafkaCluster, seen: ClusterDescription, view: View) -> set[str]:
    """Return ids of brokers that take telemetry and whose heartbeats the acting collector does not have."""
    answer = view.get(Reported(Key(cluster.metadata.namespace, cluster.metadata.name)))
    last = None if answer is None or answer.value is None else answer.value.last
    heard = {broker.broker_id for broker in last.brokers} if last is not None else set()
    return {str(broker.id) for broker in seen.brokers if broker.telemetry} - heard
