"""Answers the facts that a decision needs from what a golden's input says."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.envelopes import ClusterState, DriverStatus, SubscriptionState
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.desired.subscription_plan import (
    ObservedSoftware,
)
from kwitness.operator.engine.reading import Reading
from kwitness.operator.model.broker_listeners import BrokerListener
from kwitness.operator.model.cluster_description import BrokerDescription, ClusterDescription, TopicDescription
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.declared_owners import DeclaredEntries, DeclaredReading
from kwitness.operator.model.errors import OperatorError, TerminalError, TransientError
from kwitness.operator.model.pod_marks import pod_marks
from kwitness.operator.model.pod_starts import pod_start
from kwitness.operator.model.references import cluster_of
from kwitness.operator.model.refusals import refusal_of
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import (
    Answer,
    AskedFor,
    Attempt,
    BrokersSeen,
    ClusterKnowledge,
    CollectorAnswer,
    CollectorReport,
    DeclaredOwners,
    DriverAnswer,
    EnabledNamespaces,
    Every,
    Fact,
    HeldBack,
    InterceptedStarts,
    Inventory,
    KafkaState,
    Labelled,
    Labels,
    LivePods,
    NamedObject,
    Referring,
    Refusals,
    Reported,
    RunningPods,
    SameKafka,
    TopicsCreated,
    Watched,
)
from kwitness.operator.shapes.subscription_facts import (
    BrokerConfigs,
    BrokerWrites,
    CleanedUp,
    ClientSightings,
    CompleteNames,
    Deleted,
    KnownId,
    SetConfigs,
    Sightings,
    WriteRecord,
    WriteResult,
)
from kwitness.operator.shapes.work import KindSpec, Need, Unit, View
from kwitness.subscriptions.broker_subscription import parse

SETTINGS = {
    "namespace": "kwitness",
    "watchNamespaces": ["kwitness"],
    "images": {"collector": "kwitness/collector:1", "observer": "kwitness/observer:1", "spark": "kwitness/spark:1"},
    "analytics": {"namespaces": ["kwitness"], "tableClaim": "tables"},
}


CLUSTER = {
    "metadata": {"name": "main", "namespace": "kwitness", "uid": "c-1"},
    "spec": {"bootstrapServers": ["kafka:9092"]},
}


def settings_of_case(case: dict[str, Any]) -> OperatorSettings:
    return OperatorSettings.model_validate({**SETTINGS, **case.get("settings", {})})


def cluster_of_case(case: dict[str, Any]) -> KafkaCluster:
    return KafkaCluster.model_validate(case.get("cluster", CLUSTER))


def subscriptions(configs: dict[str, dict[str, str]]):
    return [parse(name, values) for name, values in sorted(configs.items())]


def _view(case: dict[str, Any], needed: frozenset[Need]) -> View:
    """Facts as a case has them; those that were not needed cannot be read."""
    now_ms = case.get("nowMs", 1_000_000)
    facts = frozenset(need.fact for need in needed)
    return Reading(lambda fact: _answer(case, fact, now_ms), facts, now_ms=now_ms, settings=settings_of_case(case))


def with_its_needs(spec: KindSpec, unit: Unit, case: dict[str, Any]) -> tuple[frozenset[Need], View]:
    needed: frozenset[Need] = frozenset()
    while (found := spec.needs(unit, _view(case, needed))) != needed:
        needed = found
    return needed, _view(case, needed)


def _answer(case: dict[str, Any], fact: Fact[Any], now_ms: int) -> Answer[Any] | None:
    if isinstance(fact, BrokersSeen | TopicsCreated):
        return _answer_of_brokers(case, fact, now_ms)
    if not isinstance(fact, Attempt):
        refused = isinstance(fact, DeclaredOwners) and fact.source in case.get("forbidden", [])
        return Answer(_value(case, fact), now_ms, TransientError("KubernetesForbidden", "refused") if refused else None)
    tried = case.get("tried", {})
    name = fact.of.key.name
    if name not in tried:
        return Answer(None, 0)
    return Answer(None if tried[name] is None else TerminalError(tried[name], "refused"), now_ms - 1000)


def _answer_of_brokers(case: dict[str, Any], fact: BrokersSeen | TopicsCreated, now_ms: int) -> Answer[Any] | None:
    if isinstance(fact, TopicsCreated):
        if "creationFails" in case:
            return Answer(None, now_ms, TransientError(*case["creationFails"]))
        error = TransientError(*case["topicError"]) if "topicError" in case else None
        at_ms = 0 if case.get("neverTried") else now_ms
        return Answer({topic.name: error for topic in fact.of.topics} if at_ms else None, at_ms)
    if "unreachable" in case:
        return Answer(None, now_ms, TransientError(*case["unreachable"]))
    return Answer(_seen(case), now_ms - 1000) if "brokers" in case else None


def _seen(case: dict[str, Any]) -> ClusterDescription:
    return ClusterDescription(
        cluster_id="cluster-id",
        brokers=tuple(BrokerDescription(**{"rack": None, **broker}) for broker in case["brokers"]),
        lower_bound=case["lowerBound"],
        topics={name: TopicDescription(**topic) for name, topic in case.get("topics", {}).items()},
        subscriptions={},
        refused=TransientError(*case["refused"]) if "refused" in case else None,
        hidden_topics=frozenset(case.get("hiddenTopics", [])),
    )


def _value(case: dict[str, Any], fact: Fact[Any]) -> Any:
    objects = [{**body, "metadata": {"uid": "u", **body["metadata"]}} for body in case.get("objects", [])]
    match fact:
        case Watched(kind, key) | NamedObject(kind, key):
            at = [one for one in objects if one["kind"] == kind and key_of(one) == key]
            return at[0] if at else None
        case Referring(kind, cluster):
            return tuple(one for one in objects if one["kind"] == kind and cluster_of(key_of(one), one) == cluster)
        case KafkaState(cluster):
            known = case.get("others", {}).get(str(cluster), case.get("kafka"))
            return _knowledge(known) if known else None
        case CollectorAnswer() | Inventory():
            collectors, cluster_state = case.get("collectors", {}), case.get("state")
            state = collectors.get(str(fact.collector)) if isinstance(fact, CollectorAnswer) else cluster_state
            return None if state is None else ClusterState.model_validate(state)
        case Labels(namespace):
            return case.get("labels", {}).get(namespace)
        case _:
            return _value_for_sidecars(case, fact, objects)


def _declared(case: dict[str, Any], fact: DeclaredOwners, objects: list[dict[str, Any]]) -> DeclaredEntries | None:
    if fact.source in case.get("notServed", []):
        return DeclaredEntries(is_served=False)
    if fact.source in case.get("forbidden", []):
        return None
    reading = DeclaredReading(fact.source, fact.team_key, fact.contact_key)
    for body in objects:
        if body["kind"] == fact.source and body["metadata"].get("namespace", "") == fact.namespace:
            reading.add(body)
    return reading.entries()


def _knowledge(known: dict[str, Any]) -> ClusterKnowledge:
    listeners = known.get("listeners")
    told = None if listeners is None else tuple(BrokerListener(**one) for one in listeners)
    addresses = tuple((node, host, port) for node, host, port in known.get("addresses", ()))
    tuples = {"node_ids": tuple(known["node_ids"]), "listeners": told, "addresses": addresses}
    return ClusterKnowledge(**{**known, **tuples})


def _value_for_sidecars(case: dict[str, Any], fact: Fact[Any], objects: list[dict[str, Any]]) -> Any:
    match fact:
        case Every(kind):
            return tuple(sorted((one for one in objects if one["kind"] == kind), key=key_of))
        case EnabledNamespaces():
            return case.get("enabled", {"kwitness": {}})
        case AskedFor():
            return tuple(subscriptions(case["subscriptions"])) if "subscriptions" in case else None
        case RunningPods(namespace):
            marks = [pod_marks(one) for one in case.get("pods", [])]
            return tuple(one for one in marks if one is not None and one.namespace == namespace)
        case InterceptedStarts(namespace, selector):
            pods = [
                pod
                for pod in case.get("pods", [])
                if dict(pair.split("=") for pair in selector.split(",")).items() <= pod.get("labels", {}).items()
            ]
            starts = [pod_start({"metadata": pod, "status": pod.get("status")}) for pod in pods]
            return tuple(start for start in starts if start is not None and start.namespace == namespace)
        case _:
            return _value_for_jobs(case, fact, objects)


def _value_for_jobs(case: dict[str, Any], fact: Fact[Any], objects: list[dict[str, Any]]) -> Any:
    match fact:
        case Refusals():
            found = [refusal_of(event) for event in case.get("events", [])]
            return {one.namespace: one for one in found if one is not None}
        case Labelled(kind, namespace, labels):
            those = [one for one in objects if (one["kind"], one["metadata"]["namespace"]) == (kind, namespace)]
            return tuple(one for one in those if dict(labels).items() <= one["metadata"].get("labels", {}).items())
        case LivePods(namespace, labels):
            live = [one for one in case.get("pods", []) if one["namespace"] == namespace]
            return tuple(one["name"] for one in live if dict(labels).items() <= one["labels"].items())
        case DriverAnswer():
            return DriverStatus.model_validate(case["driver"]) if "driver" in case else None
        case DeclaredOwners():
            return _declared(case, fact, objects)
        case _:
            return _value_for_clusters(case, fact)


def _value_for_clusters(case: dict[str, Any], fact: Fact[Any]) -> Any:
    match fact:
        case SameKafka():
            return tuple(Key(*one.split("/")) for one in ["kwitness/main", *case.get("sharedWith", [])])
        case HeldBack():
            return tuple(case.get("deletionHeld", ()))
        case Reported():
            verdict = Verdict("InventoryAvailable", *case["collector"]) if "collector" in case else None
            return CollectorReport(verdict, ClusterState.model_validate(case["state"]) if "state" in case else None)
        case _:
            return _value_for_subscriptions(case, fact)


def _value_for_subscriptions(case: dict[str, Any], fact: Fact[Any]) -> Any:
    match fact:
        case BrokerConfigs():
            return SetConfigs(case.get("present", {}), _refusal(case.get("unreadable")))
        case BrokerWrites():
            refused = case.get("refused", {})
            targets = {name: case["targets"][name] for name in refused}
            results = {name: WriteResult(targets[name], _refusal(why)) for name, why in refused.items()}
            results |= {name: WriteResult(None, None) for name in case.get("removed", ())}
            at_ms = case.get("nowMs", 1_000_000) if refused else 0
            return WriteRecord(results, at_ms=at_ms, applied=case.get("applied", {}))
        case Sightings(cluster):
            entries = case.get("seenBy", {}).get(str(cluster), case.get("seen", []))
            seen = tuple(ObservedSoftware(**entry) for entry in entries)
            numbers = {name: SubscriptionState.model_validate(one) for name, one in case.get("numbers", {}).items()}
            return ClientSightings(seen, case.get("unknown"), Verdict(*case["inventory"]), numbers)
        case _:
            return _value_of_what_is_gone(case, fact)


def _value_of_what_is_gone(case: dict[str, Any], fact: Fact[Any]) -> Any:
    match fact:
        case CleanedUp():
            return frozenset(case.get("cleaned", []))
        case Deleted():
            return frozenset(Key("kwitness", name) for name in case.get("deleted", []))
        case CompleteNames(namespace):
            return frozenset(case["complete"][namespace]) if namespace in case.get("complete", {}) else None
        case KnownId(cluster):
            return case.get("ids", {}).get(str(cluster))


def _refusal(why: str | None) -> OperatorError | None:
    return None if why is None else TerminalError(why, "refused")


def key_of(body: dict[str, Any]) -> Key:
    return Key(body["metadata"]["namespace"], body["metadata"]["name"])
