"""Decides which pods a TelemetryCollector attributes clients to, by their addresses."""

from __future__ import annotations

from typing import NamedTuple

from kwitness.contracts.envelopes import MAX_CLIENT_PODS, ClientPods, ClusterState
from kwitness.contracts.namespaces import ANY_NAMESPACE, contains_namespace
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.environment.collectors import ServingCollector, acts_for_all, collector_of
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.shapes.actions import SendClientPods
from kwitness.operator.shapes.facts import PodAddresses
from kwitness.operator.shapes.work import View

__all__ = ["FoundPods", "client_pods", "pod_facts"]


class FoundPods(NamedTuple):
    """Pods to send, none where the collector has them or they could not be listed, and the condition that says so."""

    sends: tuple[SendClientPods, ...] = ()
    conditions: tuple[Verdict, ...] = ()


def pod_facts(collector: TelemetryCollector, cluster: KafkaCluster, view: View) -> tuple[PodAddresses, ...]:
    """Return the namespaces whose pods are listed: all allowed ones for the collector of a cluster, else its own.

    An account that may create a KafkaCluster outside the operator's namespace learns of no further pods by it.
    """
    allowed = set(view.settings.collector.client_pods)
    if not _listeners(cluster) or collector.spec.suspend:
        return ()
    own = collector.metadata.namespace
    if cluster.metadata.namespace != view.settings.namespace or not acts_for_all(collector, cluster, view):
        return (PodAddresses(own),) if contains_namespace(allowed, own) else ()
    if ANY_NAMESPACE in allowed:
        return (PodAddresses(None),)
    return tuple(map(PodAddresses, sorted(allowed)))


def client_pods(
    collector: TelemetryCollector, cluster: KafkaCluster, state: ClusterState | None, view: View
) -> FoundPods:
    """Return the pods as they were listed last; ``state`` is the collector's last report.

    Raises
    ------
    TerminalError
        CollectorNotReady: its certificate authority is missing.
    """
    if not _listeners(cluster) or collector.spec.suspend:
        return FoundPods()
    answers = [view[fact] for fact in pod_facts(collector, cluster, view)]
    if not answers:
        message = "clients are not attributed to pods: name their namespaces in the Helm value collector.clientPods"
        return FoundPods((), (Verdict("PodsKnown", "False", "PodsNotListed", message),))
    failure = next((answer.failure for answer in answers if answer.failure is not None), None)
    if failure is not None:
        message = (
            f"clients are not attributed to pods: {failure.message}; name their namespaces in the Helm value"
            " collector.clientPods"
        )
        return FoundPods((), (Verdict("PodsKnown", "False", "PodsNotListed", message),))
    pods = [pod for answer in answers for pod in answer.value or ()]
    if len(pods) > MAX_CLIENT_PODS:
        message = (
            f"clients are not attributed to pods: there are more than {MAX_CLIENT_PODS}; give namespaces collectors of"
            " their own, or remove clientPods from spec.listeners of the KafkaCluster"
        )
        return FoundPods((), (Verdict("PodsKnown", "False", "TooManyPods", message),))
    found = 0 if state is None else state.clients_in_pods
    message = f"{found} client instances are attributed to pods, of {len(pods)} pods with an address of their own"
    known = (Verdict("PodsKnown", "True", "PodsKnown", message),)
    listed_at_ms = min(answer.at_ms for answer in answers)
    if state is None or state.pods_listed_at_ms >= listed_at_ms:
        return FoundPods((), known)
    serving = collector_of(collector.metadata.namespace, cluster, view)
    table = ClientPods(listed_at_ms=listed_at_ms, listeners=_listeners(cluster), pods=tuple(pods))
    return FoundPods((_send(serving, table),), known)


def _send(collector: ServingCollector, pods: ClientPods) -> SendClientPods:
    return SendClientPods(
        collector=collector.key,
        encrypted=collector.encrypted,
        authority=collector.authority,
        pods=pods,
    )


def _listeners(cluster: KafkaCluster) -> tuple[str, ...]:
    return tuple(listener.name for listener in cluster.spec.listeners if listener.client_pods)
