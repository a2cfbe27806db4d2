"""Decides on collectors from a golden's input."""

from __future__ import annotations

import json
from typing import Any

import yaml

from kwitness.contracts.envelopes import ClusterState
from kwitness.contracts.resources.references import OwnersConfigMapRef
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.kinds.telemetry_collector.kind import TELEMETRY_COLLECTOR
from kwitness.operator.kinds.telemetry_collector.objects import collector_objects, service_monitor
from kwitness.operator.kinds.telemetry_collector.reporters import Reporters
from kwitness.operator.kinds.telemetry_collector.status import collector_status, collector_verdicts
from kwitness.operator.model.conditions import conditions_of
from kwitness.operator.model.config_files import owners_in
from kwitness.operator.model.found_owners import FoundOwners
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.actions import ApplyAlone
from kwitness.operator.shapes.work import Unit

from tests.operator.golden_view import CLUSTER, cluster_of_case, key_of, settings_of_case, subscriptions, with_its_needs

NOW = "2026-01-02T03:04:05Z"


def decide_collector_objects(case: dict[str, Any]) -> Any:
    collector = TelemetryCollector.model_validate(case["collector"])
    monitor = service_monitor(collector)
    children = collector_objects(
        collector,
        cluster_of_case(case),
        "cluster-id",
        subscriptions(case.get("subscriptions", {})),
        settings_of_case(case),
        reporters=Reporters(
            gateways=tuple(Key(*one) for one in case.get("gateways", [])),
            namespaces=tuple(case.get("podNamespaces", [])),
            intercepted=tuple(case.get("interceptedNamespaces", [])),
            answering=frozenset(case.get("answeringNamespaces", [])),
        ),
        owners=_owners(case).owners,
    )
    return children if monitor is None else [*children, monitor]


def _owners(case: dict[str, Any]) -> FoundOwners:
    if "owners" not in case:
        return FoundOwners(trouble=case.get("ownersTrouble"))
    body = {"data": {"owners.yaml": yaml.safe_dump({"owners": case["owners"]})}}
    file = owners_in(body, OwnersConfigMapRef(name="kwitness-owners"), "kwitness")
    return FoundOwners(file.owners, overlap=file.overlap)


def decide_collector(case: dict[str, Any]) -> Any:
    """A collector that is decided on as a whole; its children are shown by name, and what is told from what stands."""
    collector = {"kind": "TelemetryCollector", **case["collector"]}
    cluster = {"kind": "KafkaCluster", **case.get("cluster", CLUSTER)}
    known = {"cluster_id": "cluster-id", "node_ids": [0], "trouble": None}
    everything = {"kafka": known, **case, "objects": [collector, cluster, *case.get("objects", [])]}
    unit = Unit(TELEMETRY_COLLECTOR.kind, key_of(collector))
    needed, view = with_its_needs(TELEMETRY_COLLECTOR, unit, everything)
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
        **(_other_namespaces(made["ConfigMap"]) if made else {}),
        **(_owners_file(made["ConfigMap"]) if made and "owners" in cluster["spec"] else {}),
        "attempts": [
            f"apply {one.body['kind']} {one.body['metadata']['name']}" if isinstance(one, ApplyAlone) else str(one)
            for one in outcome.attempts
        ],
        "actions": [str(one) for one in outcome.actions],
        "kept": [f"{one.kind} {one.key}" for one in outcome.kept],
    }


def _owners_file(config_map: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(config_map["data"]["owners.json"]))


def _other_namespaces(config_map: dict[str, Any]) -> dict[str, Any]:
    ingest = json.loads(config_map["data"]["config.json"])["ingest"]
    return {name: value for name, value in ingest.items() if name == "other_namespaces"}


def _senders(config_map: dict[str, Any]) -> list[str]:
    senders = json.loads(config_map["data"]["config.json"])["ingest"]["senders"]
    return [f"{one['namespace']}/{one['service_account']}: {one['source']}" for one in senders]


def decide_collector_status(case: dict[str, Any]) -> Any:
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
