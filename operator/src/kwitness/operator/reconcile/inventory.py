"""What a cluster's collector knows about clients, asked often enough to notice one that a subscription would crash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.endpoints import CLUSTER_PATH, SUBSCRIPTION_PATH
from kwitness.contracts.envelopes import ClusterState, SubscriptionState
from kwitness.contracts.resources.precedence import precedence
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.contracts.software import may_crash_on_unknown_metrics
from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.desired.kafka_cluster_status import disconnected_software
from kwitness.operator.desired.subscription_plan import ObservedSoftware, broker_name
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.outdated_clients import versions_of_clients
from kwitness.operator.reconcile.references import referred_cluster, subscriptions_of
from kwitness.operator.reconcile.subscription_statuses import write_subscription_statuses
from kwitness.operator.shapes.facts import Inventory
from kwitness.operator.work_queue import Requeue

__all__ = ["collectors_of", "crashing_software", "poll_inventory", "reconcile_inventory"]


async def reconcile_inventory(context: Context, key: Key) -> Requeue:
    """Ask the collector of cluster ``key``, show the numbers, and have dangerous subscriptions looked at again."""
    facts = context.clusters.get(key)
    if facts is None or context.store.get("KafkaCluster", key) is None:
        return Requeue.never()
    shown_before = _shown_by_cluster(context, key, facts)
    risk_before = {(one.name, one.version) for one in crashing_software(facts)}
    has_collector = await poll_inventory(context, key)
    if risk_before != {(one.name, one.version) for one in crashing_software(facts)}:
        context.enqueue("ClientMetricsSubscription", key, 0.0)
    if shown_before != _shown_by_cluster(context, key, facts):
        context.enqueue("KafkaCluster", key, 0.0)
    context.told(Inventory(key))
    await write_subscription_statuses(context, key)
    return Requeue(after=context.settings.inventory_seconds) if has_collector else Requeue.never()


async def poll_inventory(context: Context, key: Key, *, numbers: bool = True) -> bool:
    """Refresh the facts of cluster ``key`` from its collector; return whether it has one that runs.

    Without ``numbers`` only what decides on risk is asked for, not each subscription's counts. A collector in trouble
    raises nothing.

    Raises
    ------
    OperatorError
        As `collectors_of`; the facts stay as they were.
    """
    facts = context.clusters.setdefault(key, ClusterFacts())
    collectors = await collectors_of(context, key)
    if not collectors:
        facts.inventory, facts.subscription_states = None, {}
        facts.inventory_verdict = Verdict(
            "InventoryAvailable",
            "False",
            "NoCollector",
            "no TelemetryCollector names this cluster, so no client numbers are known: apply one",
        )
        return False
    collector = collectors[0]
    if collector.spec.suspend:
        facts.subscription_states = {}
        message = f"TelemetryCollector {collector.metadata.name} is suspended, so no client numbers are known"
        facts.inventory_verdict = Verdict("InventoryAvailable", "False", "NoCollector", message)
        return False
    status = (context.store.get("KafkaCluster", key) or {}).get("status") or {}
    cluster_id = facts.cluster_id or status.get("clusterId")
    try:
        if cluster_id is None:
            raise TransientError("CollectorUnreachable", "the cluster id is not known yet")
        names = [broker_name(context.installation, one) for one in subscriptions_of(context, key)] if numbers else None
        await _fetch(context, facts, collector, str(cluster_id), names)
    except OperatorError as error:
        # A number that is not known is absent; what decides on risk is remembered.
        facts.subscription_states = {}
        facts.inventory_verdict = Verdict("InventoryAvailable", "False", "CollectorUnreachable", error.message)
    else:
        facts.inventory_verdict = Verdict(
            "InventoryAvailable", "True", "InventoryAvailable", f"TelemetryCollector {collector.metadata.name} reports"
        )
    return True


async def _fetch(
    context: Context, facts: ClusterFacts, collector: TelemetryCollector, cluster_id: str, names: Sequence[str] | None
) -> None:
    key = Key(collector.metadata.namespace, collector.metadata.name)
    ca_certificates = await _ca_certificates(context, collector)
    base = context.collector_url(key, collector.spec.ingest.tls.secret_ref is not None)

    async def ask(path: str) -> Any:
        audience = inventory_audience(key.namespace, key.name)
        return await context.inventory.get(base + path, audience=audience, ca_certificates=ca_certificates)

    try:
        found = await ask(CLUSTER_PATH.format(cluster_id=cluster_id))
        facts.inventory = None if found is None else ClusterState.model_validate(found)
        states: dict[str, SubscriptionState] = {}
        for name in names or ():
            answer = await ask(SUBSCRIPTION_PATH.format(id=name))
            if answer is not None:
                states[name] = SubscriptionState.model_validate(answer)
        if names is not None:
            facts.subscription_states = states
    except ValidationError as error:
        raise TransientError(
            "CollectorUnreachable", "the collector's answer has an unknown form: is it of this release?"
        ) from error


async def _ca_certificates(context: Context, collector: TelemetryCollector) -> str | None:
    reference = collector.spec.ingest.tls.ca_config_map_ref
    if reference is None:
        return None
    found = await context.kubernetes.get("ConfigMap", collector.metadata.namespace, reference.name)
    ca_certificates = ((found or {}).get("data") or {}).get("ca.crt")
    if not ca_certificates:
        raise TransientError(
            "CollectorUnreachable", f"ConfigMap {reference.name} of spec.ingest.tls.caConfigMapRef has no ca.crt"
        )
    return str(ca_certificates)


async def collectors_of(context: Context, key: Key) -> list[TelemetryCollector]:
    """Collectors that may name cluster ``key``, the one that serves it first (see `precedence`).

    Raises
    ------
    KubernetesUnavailableError
        When it cannot be found out which may.
    """
    found = []
    for _, body in context.store.items("TelemetryCollector"):
        try:
            collector = parse_resource(TelemetryCollector, body)
            namespace = collector.metadata.namespace
            if cluster_key(namespace, collector.spec.cluster_ref) == key:
                await referred_cluster(context, namespace, collector.spec.cluster_ref)
                found.append(collector)
        except KubernetesUnavailableError:
            raise
        except OperatorError:
            # Its own reconcile says so in its status.
            continue
    return sorted(found, key=lambda one: precedence(one.spec.priority, one.metadata.namespace, one.metadata.name))


def crashing_software(facts: ClusterFacts) -> list[ObservedSoftware]:
    """Software that the inventory remembers and a subscription might crash."""
    return [
        ObservedSoftware(one.client_software_name, one.client_software_version, one.last_seen_ms)
        for one in (facts.inventory.software if facts.inventory else ())
        if may_crash_on_unknown_metrics(one.client_software_name, one.client_software_version)
    ]


def _shown_by_cluster(context: Context, key: Key, facts: ClusterFacts) -> list[object]:
    """What the KafkaCluster's status takes from the inventory; its counts of connections are no news by themselves."""
    brokers = [
        (one.broker_id, one.plugin_version, one.kafka_version, one.gauge_truncated, one.listeners, one.warnings)
        for one in (facts.inventory.brokers if facts.inventory else ())
    ]
    versions = versions_of_clients(context, key)
    outdated = [{(one.name, one.version) for one in found} for found in (versions.below, versions.unreadable)]
    return [brokers, disconnected_software(facts.inventory, facts.subscriptions), outdated]
