"""What a cluster's collector knows about clients, asked often enough to notice one that a subscription would crash."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.endpoints import CLUSTER_PATH, SUBSCRIPTIONS_PATH
from kwitness.contracts.envelopes import ClusterState, SubscriptionList
from kwitness.contracts.resources.precedence import precedence
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.desired.kafka_cluster_status import disconnected_software, nearly_full
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import OperatorError, TransientError
from kwitness.operator.model.observed_software import ObservedSoftware
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.outdated_clients import versions_of_clients
from kwitness.operator.reconcile.references import referring
from kwitness.operator.reconcile.remembering import recall_cluster, remember_cluster
from kwitness.operator.shapes.facts import BrokersSeen, Inventory, Reported
from kwitness.operator.shapes.subscription_facts import Sightings
from kwitness.operator.work_queue import Requeue

__all__ = ["collectors_of", "crashing_software", "poll_inventory", "reconcile_inventory"]


async def reconcile_inventory(context: Context, key: Key) -> Requeue:
    """Ask the collector of cluster ``key``, and tell who shows the numbers or would put clients at risk."""
    facts = context.clusters.get(key)
    if facts is None or context.store.get("KafkaCluster", key) is None:
        return Requeue.never()
    has_collector = await poll_inventory(context, key)
    context.told(Inventory(key))
    context.told(Sightings(key))
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
    shown_before = _shown_by_cluster(context, key, facts)
    try:
        return await _poll(context, key, facts, numbers=numbers)
    finally:
        if facts.checked and shown_before != _shown_by_cluster(context, key, facts):
            context.told(Reported(key))
            _look_again(context, key)


def _look_again(context: Context, key: Key) -> None:
    """Have the brokers asked: one that has the plugin by now, or is another version, was restarted."""
    body = context.store.get("KafkaCluster", key)
    if body is not None:
        context.ask_again(BrokersSeen.of(body))


async def _poll(context: Context, key: Key, facts: ClusterFacts, *, numbers: bool) -> bool:
    await recall_cluster(context, key, facts)
    collectors = await collectors_of(context, key)
    if not collectors:
        facts.inventory, facts.subscription_states = None, {}
        _is_unknown(
            facts,
            "no TelemetryCollector names this cluster: apply one",
            "NoCollector",
            "no TelemetryCollector names this cluster, so no client numbers are known: apply one",
        )
        return False
    collector = collectors[0]
    name = collector.metadata.name
    if collector.spec.suspend:
        facts.subscription_states = {}
        message = f"TelemetryCollector {name} is suspended, so no client numbers are known"
        _is_unknown(facts, f"TelemetryCollector {name} is suspended: resume it", "NoCollector", message)
        return False
    status = (context.store.get("KafkaCluster", key) or {}).get("status") or {}
    cluster_id = facts.cluster_id or status.get("clusterId")
    try:
        if cluster_id is None:
            raise TransientError("CollectorUnreachable", "the cluster id is not known yet")
        found, numbers_found = await _fetch(context, collector, str(cluster_id), numbers=numbers)
    except OperatorError as error:
        # A number that is not known is absent; what decides on risk is remembered.
        facts.subscription_states = {}
        why = f"TelemetryCollector {name} does not answer: see its status and its pods"
        _is_unknown(facts, why, "CollectorUnreachable", error.message)
    else:
        _take(facts, name, found, numbers_found)
    await remember_cluster(context, key, facts)
    return True


def _is_unknown(facts: ClusterFacts, why: str, reason: str, message: str) -> None:
    facts.unknown = why
    facts.inventory_verdict = Verdict("InventoryAvailable", "False", reason, message)


def _take(facts: ClusterFacts, name: str, found: ClusterState | None, numbers: SubscriptionList | None) -> None:
    """Believe what the collector ``name`` answered, as far as it goes: a sighting counts, a small number does not."""
    for one in found.software if found else ():
        facts.memory.see(one.client_software_name, one.client_software_version, one.last_seen_ms)
    missing = sorted({*(found.missing if found else ()), *(numbers.missing if numbers else ())})
    if missing:
        facts.subscription_states = {}
        replicas = f"replica{'s' if len(missing) > 1 else ''} {', '.join(map(str, missing[:8]))}"
        message = f"{replicas} of TelemetryCollector {name} did not answer, so no client numbers are known"
        why = f"{replicas} of TelemetryCollector {name} did not answer: see its pods"
        _is_unknown(facts, why, "InventoryPartial", message)
        return
    facts.inventory = found
    if numbers is not None:
        facts.subscription_states = {one.id: one for one in numbers.items}
    facts.inventory_verdict = Verdict(
        "InventoryAvailable", "True", "InventoryAvailable", f"TelemetryCollector {name} reports"
    )
    heard = {one.broker_id for one in found.brokers} if found else set()
    if facts.unreadable_memory is not None:
        facts.unknown = facts.unreadable_memory
    elif unheard := sorted(facts.offering - heard, key=lambda one: (len(one), one)):
        facts.unknown = (
            f"TelemetryCollector {name} hears nothing from the plugin of broker{'s' if len(unheard) > 1 else ''} "
            f"{', '.join(unheard[:8])}, which clients may ask for subscriptions: see the broker's log"
        )
    else:
        facts.unknown = None


async def _fetch(
    context: Context, collector: TelemetryCollector, cluster_id: str, *, numbers: bool
) -> tuple[ClusterState | None, SubscriptionList | None]:
    key = Key(collector.metadata.namespace, collector.metadata.name)
    ca_certificates = await _ca_certificates(context, collector)
    base = context.collector_url(key, collector.spec.ingest.tls.secret_ref is not None)

    async def ask(path: str) -> Any:
        audience = inventory_audience(key.namespace, key.name)
        return await context.inventory.get(base + path, audience=audience, ca_certificates=ca_certificates)

    try:
        found = await ask(CLUSTER_PATH.format(cluster_id=cluster_id))
        told = await ask(SUBSCRIPTIONS_PATH) if numbers else None
        return (
            None if found is None else ClusterState.model_validate(found),
            None if told is None else SubscriptionList.model_validate(told),
        )
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
    found = [one async for one in referring(context, TelemetryCollector, key)]
    return sorted(
        found,
        key=lambda one: precedence(one.spec.priority, one.metadata.namespace, one.metadata.name, home=key.namespace),
    )


def crashing_software(facts: ClusterFacts) -> list[ObservedSoftware]:
    """Software that a subscription might crash, seen now or remembered."""
    now = {
        (one.client_software_name, one.client_software_version): one.connections
        for one in (facts.inventory.software if facts.inventory else ())
    }
    return [
        ObservedSoftware(name, version, last_seen_ms, now.get((name, version), 0))
        for name, version, last_seen_ms in facts.memory.items()
    ]


def _shown_by_cluster(context: Context, key: Key, facts: ClusterFacts) -> list[object]:
    """What the KafkaCluster's status takes from the inventory; its counts of connections are no news by themselves."""
    brokers = [
        (
            one.broker_id,
            one.plugin_version,
            one.kafka_version,
            one.gauge_truncated,
            one.listeners,
            one.warnings,
            nearly_full(one),
        )
        for one in (facts.inventory.brokers if facts.inventory else ())
    ]
    versions = versions_of_clients(context, key)
    outdated = [{(one.name, one.version) for one in found} for found in (versions.below, versions.unreadable)]
    return [facts.inventory_verdict, brokers, disconnected_software(facts.inventory, facts.subscriptions), outdated]
