"""Decides on a golden's input, by the decision that it names."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from kwitness.operator.kinds.analytics_job.kind import ANALYTICS_JOB
from kwitness.operator.kinds.header_registry.kind import HEADER_REGISTRY
from kwitness.operator.kinds.interceptor_profile.kind import INTERCEPTOR_INJECTIONS, INTERCEPTOR_PROFILE
from kwitness.operator.kinds.kafka_cluster.kind import KAFKA_CLUSTER
from kwitness.operator.kinds.observer_deployment.kind import OBSERVER_DEPLOYMENT
from kwitness.operator.kinds.observer_deployment.sidecars.kind import INJECTIONS
from kwitness.operator.model.ruling_clusters import RULING_CONFIG_MAP
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import (
    TopicsCreated,
)
from kwitness.operator.shapes.work import KindSpec, Need, Unit

from tests.operator.golden_collectors import decide_collector, decide_collector_objects, decide_collector_status
from tests.operator.golden_subscriptions import live_numbers, subscription_plan, subscription_unit
from tests.operator.golden_view import CLUSTER, key_of, with_its_needs


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
    unit = Unit(ANALYTICS_JOB.kind, key_of(job))
    needed, view = with_its_needs(ANALYTICS_JOB, unit, everything)
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
    everything = {**case, "settings": settings, "objects": [body, _ruling(case, body), *case.get("objects", [])]}
    unit = KAFKA_CLUSTER.unit(key_of(body))
    needed, view = with_its_needs(KAFKA_CLUSTER, unit, everything)
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
    if decided.remember is not None:
        found["remember"] = dict(decided.remember.data)
    for outcome in decided.outcomes.values():
        found["status"] = outcome.status.model_dump(
            mode="json", by_alias=True, exclude_none=True, exclude={"conditions", "observed_generation"}
        )
        found["conditions"] = [f"{one.type}={one.status} {one.reason}: {one.message}" for one in outcome.verdicts]
    return found


def _ruling(case: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """Remember that the KafkaCluster itself rules, unless the case has something else."""
    metadata = {"uid": "u", **body["metadata"]}
    own = {"cluster-id": [[metadata[name] for name in ("namespace", "name", "uid")]]}
    return {
        "kind": "ConfigMap",
        "metadata": {"name": RULING_CONFIG_MAP, "namespace": "kwitness", "resourceVersion": "1"},
        "data": {"ruling.json": json.dumps(case.get("ruling", own))},
    }


def _need_of_a_cluster(need: Need) -> str:
    fact = f"TopicsCreated of {len(need.fact.of.topics)}" if isinstance(need.fact, TopicsCreated) else str(need.fact)
    return f"{fact} within {need.max_age_s} s{'' if need.awaited else ', not awaited'}"


def _injections(case: dict[str, Any]) -> Any:
    return _told(INJECTIONS, case)


def _interceptors(case: dict[str, Any]) -> Any:
    return _told(INTERCEPTOR_INJECTIONS, case)


def _told(spec: KindSpec, case: dict[str, Any]) -> Any:
    unit = Unit(spec.kind, Key("kwitness", "told"))
    needed, view = with_its_needs(spec, unit, case)
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
    needed, view = with_its_needs(HEADER_REGISTRY, unit, case)
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


def _resource(spec: KindSpec, case: dict[str, Any]) -> Any:
    unit = Unit(spec.kind, Key("kwitness", "orders"))
    needed, view = with_its_needs(spec, unit, case)
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
    "collector": decide_collector,
    "collectorObjects": decide_collector_objects,
    "collectorStatus": decide_collector_status,
    "job": _job,
    "kafkaCluster": _kafka_cluster,
    "subscriptionPlan": subscription_plan,
    "subscriptions": subscription_unit,
    "liveNumbers": live_numbers,
}
