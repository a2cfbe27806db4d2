"""Every pure decision of the operator, as files: see goldens/README.md."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from kwitness.contracts.envelopes import ClusterState, DriverStatus, SubscriptionState
from kwitness.contracts.owners import Owners
from kwitness.contracts.resources.client_metrics_subscription import (
    ClientMetricsSubscription,
    ClientMetricsSubscriptionStatus,
)
from kwitness.contracts.resources.kafka_cluster import KafkaCluster, KafkaClusterStatus
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.contracts.yaml_file import read_yaml
from kwitness.operator.context import Clock
from kwitness.operator.desired.subscription_plan import (
    ObservedSoftware,
    Wanted,
    broker_name,
    desired_subscription,
    plan,
)
from kwitness.operator.desired.subscription_reach import narrowing
from kwitness.operator.desired.subscription_status import (
    at_risk_entries,
    held_verdict,
    live_fields,
    unknown_risk_verdict,
)
from kwitness.operator.kinds.analytics_job.kind import ANALYTICS_JOB
from kwitness.operator.kinds.client_metrics_subscription.kind import CLIENT_METRICS_SUBSCRIPTION
from kwitness.operator.kinds.header_registry.kind import HEADER_REGISTRY
from kwitness.operator.kinds.interceptor_profile.kind import INTERCEPTOR_INJECTIONS, INTERCEPTOR_PROFILE
from kwitness.operator.kinds.kafka_cluster.kind import KAFKA_CLUSTER
from kwitness.operator.kinds.observer_deployment.kind import OBSERVER_DEPLOYMENT
from kwitness.operator.kinds.observer_deployment.sidecars.kind import INJECTIONS
from kwitness.operator.kinds.telemetry_collector.kind import TELEMETRY_COLLECTOR
from kwitness.operator.kinds.telemetry_collector.objects import collector_objects, service_monitor
from kwitness.operator.kinds.telemetry_collector.reporters import Reporters
from kwitness.operator.kinds.telemetry_collector.status import collector_status, collector_verdicts
from kwitness.operator.model.broker_listeners import BrokerListener
from kwitness.operator.model.cluster_description import BrokerDescription, ClusterDescription, TopicDescription
from kwitness.operator.model.conditions import Verdict, conditions_of, failure
from kwitness.operator.model.errors import OperatorError, TerminalError, TransientError
from kwitness.operator.model.found_owners import FoundOwners
from kwitness.operator.model.pod_marks import pod_marks
from kwitness.operator.model.references import cluster_of
from kwitness.operator.model.refusals import refusal_of
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.actions import ApplyAlone
from kwitness.operator.shapes.facts import (
    Answer,
    AskedFor,
    Attempt,
    BrokersSeen,
    ClusterKnowledge,
    CollectorReport,
    DriverAnswer,
    EnabledNamespaces,
    Every,
    Fact,
    HeldBack,
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

GOLDENS = Path(__file__).parent / "goldens"
CASES = sorted(folder.name for folder in GOLDENS.iterdir() if folder.is_dir())
NOW = "2026-01-02T03:04:05Z"
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


def _settings(case: dict[str, Any]) -> OperatorSettings:
    return OperatorSettings.model_validate({**SETTINGS, **case.get("settings", {})})


def _cluster(case: dict[str, Any]) -> KafkaCluster:
    return KafkaCluster.model_validate(case.get("cluster", CLUSTER))


def _subscriptions(configs: dict[str, dict[str, str]]):
    return [parse(name, values) for name, values in sorted(configs.items())]


def _collector_objects(case: dict[str, Any]) -> Any:
    collector = TelemetryCollector.model_validate(case["collector"])
    monitor = service_monitor(collector)
    children = collector_objects(
        collector,
        _cluster(case),
        "cluster-id",
        _subscriptions(case.get("subscriptions", {})),
        _settings(case),
        reporters=Reporters(
            gateways=tuple(Key(*one) for one in case.get("gateways", [])),
            namespaces=tuple(case.get("podNamespaces", [])),
            intercepted=tuple(case.get("interceptedNamespaces", [])),
        ),
        owners=_owners(case).owners,
    )
    return children if monitor is None else [*children, monitor]


def _owners(case: dict[str, Any]) -> FoundOwners:
    owners = read_yaml(Owners, yaml.safe_dump({"owners": case["owners"]})) if "owners" in case else None
    return FoundOwners(owners, case.get("ownersTrouble"))


def _declared(model: type[BaseModel], status: dict[str, Any]) -> dict[str, Any]:
    """The status, all fields of which the schema has: the API server would drop others without a word."""
    known = model.model_validate(status).model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert json.loads(json.dumps(status)) == known
    return status


@pytest.mark.parametrize("status", [{"clusterID": "typo"}, {"brokers": [{"id": 1, "hots": "typo"}]}], ids=str)
def test_a_golden_refuses_a_field_that_no_status_has(status):
    brokers = [{"host": "kafka", "port": 9092, **one} for one in status.get("brokers", ())]
    with pytest.raises(AssertionError):
        _declared(KafkaClusterStatus, {**status, **({"brokers": brokers} if brokers else {})})


def _collector(case: dict[str, Any]) -> Any:
    """A collector that is decided on as a whole; its children are shown by name, and what is told from what stands."""
    collector = {"kind": "TelemetryCollector", **case["collector"]}
    cluster = {"kind": "KafkaCluster", **CLUSTER}
    known = {"cluster_id": "cluster-id", "node_ids": [0], "trouble": None}
    everything = {"kafka": known, **case, "objects": [collector, cluster, *case.get("objects", [])]}
    unit = Unit(TELEMETRY_COLLECTOR.kind, _key_of(collector))
    needed, view = _with_its_needs(TELEMETRY_COLLECTOR, unit, everything)
    needs = sorted(f"{need.fact} within {need.max_age_s} s" for need in needed)
    outcomes = TELEMETRY_COLLECTOR.decide(unit, view).outcomes
    if not outcomes:
        return {"needs": needs, "decided": "nothing yet"}
    outcome = outcomes[unit.key]
    children = outcome.children
    made = {one["kind"]: one for one in children or ()}
    return {
        "needs": needs,
        "conditions": [f"{one.type}={one.status} {one.reason}: {one.message}" for one in outcome.verdicts],
        "children": None if children is None else [f"{one['kind']} {one['metadata']['name']}" for one in children],
        "replicas": made["StatefulSet"]["spec"]["replicas"] if made else None,
        "storage": made["StatefulSet"]["spec"].get("volumeClaimTemplates") if made else None,
        "subscriptions": made["ConfigMap"]["data"]["subscriptions.json"] if made else None,
        "senders": _senders(made["ConfigMap"]) if made else None,
        "attempts": [
            f"apply {one.body['kind']} {one.body['metadata']['name']}" if isinstance(one, ApplyAlone) else str(one)
            for one in outcome.attempts
        ],
        "actions": [str(one) for one in outcome.actions],
        "kept": [f"{one.kind} {one.key}" for one in outcome.kept],
    }


def _senders(config_map: dict[str, Any]) -> list[str]:
    senders = json.loads(config_map["data"]["config.json"])["ingest"]["senders"]
    return [f"{one['namespace']}/{one['service_account']}: {one['source']}" for one in senders]


def _collector_status(case: dict[str, Any]) -> Any:
    collector = TelemetryCollector.model_validate(case["collector"])
    state = ClusterState.model_validate(case["state"]) if "state" in case else None
    ready = case["readyReplicas"]
    revisions = {"currentRevision": "1", "updateRevision": "1" if case.get("current", True) else "2"}
    # Nothing of what is empty is written.
    empty = () if state is not None else ("ledger",)
    stands = {"status": {"replicas": case.get("replicas", ready), "readyReplicas": ready, **revisions}}
    return {
        **collector_status(collector, stands, state).model_dump(
            mode="json", by_alias=True, exclude_none=True, exclude={"conditions", "observed_generation", *empty}
        ),
        "conditions": conditions_of(
            collector_verdicts(collector, stands, state, owners=_owners(case)),
            previous=case.get("previous", []),
            generation=1,
            now=NOW,
        ),
    }


def _job(case: dict[str, Any]) -> Any:
    """A job with what it needs in its namespace; its children are shown by name unless the case wants the whole."""
    claim = {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "tables", "namespace": "kwitness"},
        "spec": {"accessModes": ["ReadWriteMany"]},
    }
    job = {"kind": "AnalyticsJob", **case["job"]}
    cluster = {"kind": "KafkaCluster", **case.get("cluster", CLUSTER)}
    known = {"cluster_id": "cluster-id", "node_ids": [0], "trouble": None}
    everything = {"kafka": known, **case, "objects": [job, cluster, claim, *case.get("objects", [])]}
    unit = Unit(ANALYTICS_JOB.kind, _key_of(job))
    needed, view = _with_its_needs(ANALYTICS_JOB, unit, everything)
    outcome = ANALYTICS_JOB.decide(unit, view).outcomes[unit.key]
    children = outcome.children
    file = _what_a_driver_reads(children or ()) if case.get("file") else {}
    if not case.get("whole") and children is not None:
        children = tuple(f"{one['kind']} {one['metadata']['name']}" for one in children)
    return {
        "needs": sorted(f"{need.fact} within {need.max_age_s} s" for need in needed),
        "status": outcome.status.model_dump(
            mode="json", by_alias=True, exclude_none=True, exclude={"conditions", "observed_generation"}
        ),
        "conditions": [f"{one.type}={one.status} {one.reason}: {one.message}" for one in outcome.verdicts],
        "children": children,
        **file,
        **({"removals": [f"{one.kind} {one.key} {one.uid}" for one in outcome.removals]} if outcome.removals else {}),
        **({"notes": [one._asdict() for one in outcome.notes]} if outcome.notes else {}),
    }


def _what_a_driver_reads(children: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of job.json what few types have; and what is mounted."""
    files = {one["kind"]: one for one in children}
    told = json.loads(files["ConfigMap"]["data"]["job.json"])
    runner = next(one for kind, one in files.items() if kind in {"StatefulSet", "CronJob", "Job"})
    spec = runner["spec"].get("jobTemplate", runner)["spec"]["template"]["spec"]
    return {
        "job.json": {name: told[name] for name in ("input_tables", "owners", "rate_card", "second") if name in told},
        "volumes": [one for one in spec["volumes"] if "secret" in one or "projected" in one],
        "mounts": [one["mountPath"] for one in spec["containers"][0]["volumeMounts"]],
        "executor.yaml": "secret" in files["ConfigMap"]["data"]["executor.yaml"],
    }


def _kafka_cluster(case: dict[str, Any]) -> Any:
    """A KafkaCluster of which its brokers, its collector and others tell what the case says."""
    body = {"kind": "KafkaCluster", **case.get("cluster", CLUSTER)}
    settings = {"installation": "inst", **case.get("settings", {})}
    everything = {**case, "settings": settings, "objects": [body, *case.get("objects", [])]}
    unit = KAFKA_CLUSTER.unit(_key_of(body))
    needed, view = _with_its_needs(KAFKA_CLUSTER, unit, everything)
    decided = KAFKA_CLUSTER.decide(unit, view)
    found: dict[str, Any] = {"needs": sorted(_need_of_a_cluster(need) for need in needed)}
    if decided.creates is not None:
        found["creates"] = [
            {
                "name": topic.name,
                "partitions": topic.partitions,
                "replicationFactor": topic.replication_factor,
                "configs": dict(topic.configs),
            }
            for topic in decided.creates.topics
        ]
    for outcome in decided.outcomes.values():
        found["status"] = outcome.status.model_dump(
            mode="json", by_alias=True, exclude_none=True, exclude={"conditions", "observed_generation"}
        )
        found["conditions"] = [f"{one.type}={one.status} {one.reason}: {one.message}" for one in outcome.verdicts]
    return found


def _need_of_a_cluster(need: Need) -> str:
    fact = f"TopicsCreated of {len(need.fact.of.topics)}" if isinstance(need.fact, TopicsCreated) else str(need.fact)
    return f"{fact} within {need.max_age_s} s{'' if need.awaited else ', not awaited'}"


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


def _subscription_plan(case: dict[str, Any]) -> Any:
    resources = [ClientMetricsSubscription.model_validate(body) for body in case["subscriptions"]]
    cluster = _cluster(case)
    wanted, errors = [], {}
    for resource in resources:
        key = Key(resource.metadata.namespace, resource.metadata.name)
        try:
            subscription = desired_subscription(
                broker_name("inst", key),
                resource,
                restriction=narrowing(cluster, key.namespace, case.get("labels", {}).get(key.namespace)),
                min_interval="1s",
            )
        except TerminalError as error:
            errors[str(key)] = failure(error).reason + ": " + error.message
            continue
        wanted.append(
            Wanted(
                key=key,
                subscription=subscription,
                accepts_risk=resource.spec.risk_policy == "Apply",
                risk_window_ms=case.get("riskWindowMs", 1000),
                suspended=resource.spec.suspend,
                expired=str(key) in case.get("expired", []),
            )
        )
    decided = plan(
        wanted=wanted,
        present=case.get("present", {}),
        orphans=case.get("orphans", []),
        applied=case.get("applied", {}),
        seen=[ObservedSoftware(**entry) for entry in case.get("seen", [])],
        now_ms=10_000,
        known="unknown" not in case,
    )
    return {
        "changes": {name: None if configs is None else dict(configs) for name, configs in decided.changes.items()},
        "drifted": sorted(decided.drifted),
        "held": {
            name: held_verdict(software, "1 h").message + f" {at_risk_entries(software, Clock().rfc3339)}"
            for name, software in decided.held.items()
        },
        "retained": sorted(decided.retained),
        "waiting": {
            name: unknown_risk_verdict(case["unknown"], stands=name in case.get("present", {})).message
            for name in sorted(decided.waiting)
        },
        "errors": errors,
    }


def _live_numbers(case: dict[str, Any]) -> Any:
    return _declared(ClientMetricsSubscriptionStatus, live_fields(SubscriptionState.model_validate(case["state"])))


class _View:
    """Facts as a case has them; those that were not needed cannot be read."""

    def __init__(self, case: dict[str, Any], facts: frozenset[Fact[Any]]) -> None:
        self.now_ms = case.get("nowMs", 1_000_000)
        self.settings = _settings(case)
        answers = {fact: _answer(case, fact, self.now_ms) for fact in facts}
        self._answers = {fact: answer for fact, answer in answers.items() if answer is not None}

    def get(self, fact: Fact[Any]) -> Answer[Any] | None:
        return self._answers.get(fact)

    def __getitem__(self, fact: Fact[Any]) -> Answer[Any]:
        return self._answers[fact]


def _answer(case: dict[str, Any], fact: Fact[Any], now_ms: int) -> Answer[Any] | None:
    if isinstance(fact, BrokersSeen | TopicsCreated):
        return _answer_of_brokers(case, fact, now_ms)
    if not isinstance(fact, Attempt):
        return Answer(_value(case, fact), now_ms)
    tried = case.get("tried", {})
    name = fact.of.key.name
    if name not in tried:
        return Answer(None, 0)
    return Answer(None if tried[name] is None else TerminalError(tried[name], "refused"), now_ms - 1000)


def _value(case: dict[str, Any], fact: Fact[Any]) -> Any:
    objects = [{**body, "metadata": {"uid": "u", **body["metadata"]}} for body in case.get("objects", [])]
    match fact:
        case Watched(kind, key) | NamedObject(kind, key):
            at = [one for one in objects if one["kind"] == kind and _key_of(one) == key]
            return at[0] if at else None
        case Referring(kind, cluster):
            return tuple(one for one in objects if one["kind"] == kind and cluster_of(_key_of(one), one) == cluster)
        case KafkaState(cluster):
            known = case.get("others", {}).get(str(cluster), case.get("kafka"))
            return _knowledge(known) if known else None
        case Inventory():
            return ClusterState.model_validate(case["state"]) if "state" in case else None
        case Labels(namespace):
            return case.get("labels", {}).get(namespace)
        case _:
            return _value_for_sidecars(case, fact, objects)


def _knowledge(known: dict[str, Any]) -> ClusterKnowledge:
    listeners = known.get("listeners")
    told = None if listeners is None else tuple(BrokerListener(**one) for one in listeners)
    return ClusterKnowledge(**{**known, "node_ids": tuple(known["node_ids"]), "listeners": told})


def _value_for_sidecars(case: dict[str, Any], fact: Fact[Any], objects: list[dict[str, Any]]) -> Any:
    match fact:
        case Every(kind):
            return tuple(one for one in sorted(objects, key=_key_of) if one["kind"] == kind)
        case EnabledNamespaces():
            return case.get("enabled", {"kwitness": {}})
        case AskedFor():
            return tuple(_subscriptions(case["subscriptions"])) if "subscriptions" in case else None
        case RunningPods(namespace):
            marks = [pod_marks(one) for one in case.get("pods", [])]
            return tuple(one for one in marks if one is not None and one.namespace == namespace)
        case Refusals():
            found = [refusal_of(event) for event in case.get("events", [])]
            return {one.namespace: one for one in found if one is not None}
        case _:
            return _value_for_jobs(case, fact, objects)


def _value_for_jobs(case: dict[str, Any], fact: Fact[Any], objects: list[dict[str, Any]]) -> Any:
    match fact:
        case Labelled(kind, namespace, labels):
            found = [one for one in objects if (one["kind"], one["metadata"]["namespace"]) == (kind, namespace)]
            return tuple(one for one in found if dict(labels).items() <= one["metadata"].get("labels", {}).items())
        case LivePods(namespace, labels):
            found = [one for one in case.get("pods", []) if one["namespace"] == namespace]
            return tuple(one["name"] for one in found if dict(labels).items() <= one["labels"].items())
        case DriverAnswer():
            return DriverStatus.model_validate(case["driver"]) if "driver" in case else None
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
            return WriteRecord(results, at_ms=case.get("nowMs", 1_000_000) if refused else 0)
        case Sightings():
            seen = tuple(ObservedSoftware(**entry) for entry in case.get("seen", []))
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


def _key_of(body: dict[str, Any]) -> Key:
    return Key(body["metadata"]["namespace"], body["metadata"]["name"])


def _with_its_needs(spec: KindSpec, unit: Unit, case: dict[str, Any]) -> tuple[frozenset[Need], View]:
    needed: frozenset[Need] = frozenset()
    while (found := spec.needs(unit, _View(case, frozenset(one.fact for one in needed)))) != needed:
        needed = found
    return needed, _View(case, frozenset(one.fact for one in needed))


def _injections(case: dict[str, Any]) -> Any:
    return _told(INJECTIONS, case)


def _interceptors(case: dict[str, Any]) -> Any:
    return _told(INTERCEPTOR_INJECTIONS, case)


def _told(spec: KindSpec, case: dict[str, Any]) -> Any:
    unit = Unit(spec.kind, Key("kwitness", "told"))
    needed, view = _with_its_needs(spec, unit, case)
    [config_map] = spec.decide(unit, view).shared
    return {
        "needs": sorted(f"{need.fact} within {need.max_age_s} s" for need in needed),
        "metadata": config_map["metadata"],
        **{name: json.loads(text) for name, text in config_map["data"].items()},
    }


def _observer(case: dict[str, Any]) -> Any:
    return _resource(OBSERVER_DEPLOYMENT, case)


def _profile(case: dict[str, Any]) -> Any:
    return _resource(INTERCEPTOR_PROFILE, case)


def _registers(case: dict[str, Any]) -> Any:
    unit = HEADER_REGISTRY.unit(Key("any", "register"))
    needed, view = _with_its_needs(HEADER_REGISTRY, unit, case)
    decided = HEADER_REGISTRY.decide(unit, view)
    remember = decided.remember
    return {
        "needs": sorted(f"{need.fact} within {need.max_age_s} s" for need in needed),
        "outcomes": {
            str(key): {
                "status": one.status.model_dump(mode="json", by_alias=True, exclude_none=True),
                "conditions": [f"{said.type}={said.status} {said.reason}: {said.message}" for said in one.verdicts],
            }
            for key, one in sorted(decided.outcomes.items())
        },
        "remember": None
        if remember is None
        else {"at": str(remember.at), "version": remember.version, "data": dict(remember.data)},
    }


def _subscription_unit(case: dict[str, Any]) -> Any:
    unit = CLIENT_METRICS_SUBSCRIPTION.unit(Key("kwitness", "main"))
    needed, view = _with_its_needs(CLIENT_METRICS_SUBSCRIPTION, unit, case)
    decided = CLIENT_METRICS_SUBSCRIPTION.decide(unit, view)
    return {
        "needs": sorted(
            f"{need.fact} within {need.max_age_s} s"
            + ("" if need.before_write_s is None else f", before a write {need.before_write_s} s")
            for need in needed
        ),
        "outcomes": {
            str(key): {
                "status": one.status.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True),
                "conditions": [f"{said.type}={said.status} {said.reason}: {said.message}" for said in one.verdicts],
                "notes": [f"{note.type} {note.reason} ({note.action}): {note.message}" for note in one.notes],
            }
            for key, one in sorted(decided.outcomes.items())
        },
        "alter": None
        if decided.alter is None
        else {
            "uid": decided.alter.uid,
            "changes": {name: dataclasses.asdict(one) for name, one in sorted(decided.alter.changes.items())},
        },
        "tells": [f"{type(one).__name__} {dataclasses.asdict(one)}" for one in decided.tells],
        "after": decided.after_s,
        "again": decided.again,
    }


def _resource(spec: KindSpec, case: dict[str, Any]) -> Any:
    unit = Unit(spec.kind, Key("kwitness", "orders"))
    needed, view = _with_its_needs(spec, unit, case)
    decided = spec.decide(unit, view)
    outcome = decided.outcomes[unit.key]
    return {
        "needs": sorted(f"{need.fact} within {need.max_age_s} s" for need in needed),
        "status": outcome.status.model_dump(mode="json", by_alias=True, exclude_none=True),
        "conditions": [f"{one.type}={one.status} {one.reason}: {one.message}" for one in outcome.verdicts],
        "children": outcome.children,
        **({"actions": [dataclasses.asdict(one) for one in outcome.actions]} if outcome.actions else {}),
        **({"kept": [f"{one.kind} {one.key}" for one in outcome.kept]} if outcome.kept else {}),
    }


DECISIONS = {
    "gateway": _observer,
    "sidecar": _observer,
    "broker": _observer,
    "injections": _injections,
    "interceptors": _interceptors,
    "profile": _profile,
    "registers": _registers,
    "collector": _collector,
    "collectorObjects": _collector_objects,
    "collectorStatus": _collector_status,
    "job": _job,
    "kafkaCluster": _kafka_cluster,
    "subscriptionPlan": _subscription_plan,
    "subscriptions": _subscription_unit,
    "liveNumbers": _live_numbers,
}


@pytest.mark.parametrize("case", CASES)
def test_the_decision_is_as_recorded(case):
    given = yaml.safe_load((GOLDENS / case / "input.yaml").read_text())
    try:
        decided = DECISIONS[given.pop("decision")](given)
    except TerminalError as error:
        decided = {"refused": {"reason": error.reason, "message": error.message}}
    expected = GOLDENS / case / "output.yaml"
    text = yaml.safe_dump(yaml.safe_load(yaml.safe_dump(_plain(decided))), sort_keys=False, width=120)
    if os.environ.get("KWITNESS_UPDATE_GOLDENS"):
        expected.write_text(text)
    assert text == expected.read_text()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_none=True)
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
