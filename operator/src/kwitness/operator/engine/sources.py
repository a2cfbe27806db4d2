"""Where answers come from: what the operator has in memory, and what has to be asked for."""

from __future__ import annotations

from typing import Any, Final

from kwitness.operator.context import Context
from kwitness.operator.engine.known_clusters import OF_CLUSTERS, recall_of_cluster
from kwitness.operator.model.pod_marks import PodMarks, pod_marks
from kwitness.operator.model.pod_starts import PodStart, pod_start
from kwitness.operator.model.references import cluster_of
from kwitness.operator.reconcile.broker_configs import ask_collector, read_configs
from kwitness.operator.reconcile.cluster_looks import look_at_brokers
from kwitness.operator.reconcile.collector_answers import answer_of
from kwitness.operator.reconcile.declared_owners import declared_entries
from kwitness.operator.reconcile.drivers import ask_driver
from kwitness.operator.reconcile.forsaken_clusters import is_being_cleaned
from kwitness.operator.reconcile.namespaces import enabled_namespaces, labels_of_namespace
from kwitness.operator.reconcile.orphans import complete_names
from kwitness.operator.reconcile.pod_addresses import pod_addresses
from kwitness.operator.shapes.facts import (
    Body,
    BrokersSeen,
    CollectorAnswer,
    DeclaredOwners,
    DriverAnswer,
    EnabledNamespaces,
    Every,
    Fact,
    InterceptedStarts,
    KafkaState,
    Labelled,
    Labels,
    LivePods,
    NamedObject,
    PodAddresses,
    Referring,
    Refusals,
    RunningPods,
    Watched,
)
from kwitness.operator.shapes.subscription_facts import AskedCollector, BrokerConfigs, CleanedUp, CompleteNames, Deleted

__all__ = ["fetch", "is_in_memory", "is_known", "recall"]

Labelling = tuple[tuple[str, str], ...]
"""Labels that have to be there, each with its value."""

_IN_MEMORY: Final = (Watched, Referring, Every, Deleted, Refusals, *OF_CLUSTERS)
_RUNNING: Final = "status.phase!=Succeeded,status.phase!=Failed"


def is_in_memory(fact: Fact[Any]) -> bool:
    """Whether a fact is known without asking anybody; whoever changes it tells the engine."""
    return isinstance(fact, _IN_MEMORY)


def is_known(context: Context, fact: Fact[Any]) -> bool:
    """Whether a fact in memory has been found out since the process began; whoever finds it out tells the engine."""
    if not isinstance(fact, KafkaState | CleanedUp) or context.store.get("KafkaCluster", fact.cluster) is None:
        return True
    facts = context.clusters.get(fact.cluster)
    if isinstance(fact, CleanedUp):
        # What is on the brokers changes at this moment.
        return not is_being_cleaned(context, fact.cluster, None if facts is None else facts.cluster_id)
    return facts is not None and facts.checked


def recall(context: Context, fact: Fact[Any]) -> Any:
    """The value of a fact that is in memory."""
    match fact:
        case Watched(kind, key):
            return context.store.get(kind, key)
        case Referring(kind, cluster):
            return tuple(body for key, body in sorted(context.store.items(kind)) if cluster_of(key, body) == cluster)
        case Every(kind):
            return tuple(body for _, body in sorted(context.store.items(kind)))
        case Refusals():
            return dict(context.refusals)
        case Deleted(kind):
            return frozenset(key for key, _ in context.store.deleted(kind))
        case _:
            return recall_of_cluster(context, fact)


async def fetch(context: Context, fact: Fact[Any]) -> Any:
    """Ask for the value of a fact that is not in memory.

    Raises
    ------
    OperatorError
        It could not be found out.
    """
    match fact:
        case NamedObject(kind, key):
            return await context.kubernetes.get(kind, key.namespace, key.name)
        case Labels(namespace):
            return await labels_of_namespace(context, namespace)
        case EnabledNamespaces():
            return await enabled_namespaces(context)
        case Labelled(kind, namespace, labels):
            return await _labelled(context, kind, namespace, labels)
        case RunningPods() | InterceptedStarts() | LivePods() | PodAddresses() | DriverAnswer():
            return await _fetch_of_pods(context, fact)
        case _:
            return await _fetch_of_clusters(context, fact)


async def _fetch_of_clusters(context: Context, fact: Fact[Any]) -> Any:
    match fact:
        case BrokersSeen():
            return await look_at_brokers(context, fact)
        case BrokerConfigs(cluster):
            return await read_configs(context, cluster)
        case AskedCollector(cluster):
            return await ask_collector(context, cluster)
        case CollectorAnswer():
            return await answer_of(context, fact)
        case DeclaredOwners():
            return await declared_entries(context, fact)
        case CompleteNames(namespace):
            return await complete_names(context, namespace)
        case _:
            raise TypeError(f"{fact} cannot be asked for")


async def _fetch_of_pods(
    context: Context, fact: RunningPods | InterceptedStarts | LivePods | PodAddresses | DriverAnswer
) -> Any:
    if isinstance(fact, DriverAnswer):
        return await ask_driver(context, fact.job)
    if isinstance(fact, RunningPods):
        return await _pods(context, fact.namespace)
    if isinstance(fact, PodAddresses):
        return await pod_addresses(context, fact.namespace)
    if isinstance(fact, InterceptedStarts):
        return await _starts(context, fact)
    found = context.kubernetes.metadata("Pod", fact.namespace, labels=_selector(fact.labels), fields=_RUNNING)
    return tuple([one["name"] async for one in found])


async def _labelled(context: Context, kind: str, namespace: str, labels: Labelling) -> tuple[Body, ...]:
    found = await context.kubernetes.list(kind, namespace, labels=_selector(labels))
    bare = ({name: value for name, value in one["metadata"].items() if name != "managedFields"} for one in found)
    bodies = [{**one, "metadata": metadata} for one, metadata in zip(found, bare, strict=True)]
    return tuple(sorted(bodies, key=lambda one: str(one["metadata"]["name"])))


def _selector(labels: Labelling) -> str:
    return ",".join(f"{name}={value}" for name, value in labels)


async def _pods(context: Context, namespace: str) -> tuple[PodMarks, ...]:
    found = []
    async for metadata in context.kubernetes.metadata("Pod", namespace, fields=_RUNNING):
        marks = pod_marks(metadata)
        if marks is not None:
            found.append(marks)
    return tuple(found)


async def _starts(context: Context, fact: InterceptedStarts) -> tuple[PodStart, ...]:
    found = context.kubernetes.objects("Pod", fact.namespace, labels=fact.selector, fields=_RUNNING)
    return tuple([start async for pod in found if (start := pod_start(pod)) is not None])
