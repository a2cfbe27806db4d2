"""What a cluster's collector knows about clients, asked often enough to notice one that a subscription would crash."""

from __future__ import annotations

from kwitness.contracts.envelopes import ClusterState, SubscriptionList
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.serving_collectors import collector_of_cluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.desired.kafka_cluster_status import disconnected_software, nearly_full
from kwitness.operator.desired.missing_collectors import no_collector
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import OperatorError, TransientError
from kwitness.operator.model.observed_software import ObservedSoftware
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.collector_answers import read_collector
from kwitness.operator.reconcile.outdated_clients import versions_of_clients
from kwitness.operator.reconcile.references import referring
from kwitness.operator.reconcile.remembering import recall_cluster, remember_cluster
from kwitness.operator.shapes.facts import BrokersSeen, Inventory, Reported
from kwitness.operator.shapes.subscription_facts import Sightings
from kwitness.operator.work_queue import Requeue

__all__ = ["crashing_software", "poll_inventory", "reconcile_inventory"]


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
        It cannot be found out which collectors may name the cluster; the facts stay as they were.
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
    collector = await _acting_collector(context, key, facts)
    if collector is None:
        facts.inventory, facts.subscription_states = None, {}
        return False
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
        found, numbers_found = await read_collector(context, collector, str(cluster_id), numbers=numbers)
    except OperatorError as error:
        # A number that is not known is absent; what decides on risk is remembered.
        facts.subscription_states = {}
        why = f"TelemetryCollector {name} does not answer: see its status and its pods"
        _is_unknown(facts, why, "CollectorUnreachable", error.message)
    else:
        _take(facts, name, found, numbers_found)
    await remember_cluster(context, key, facts)
    return True


async def _acting_collector(context: Context, key: Key, facts: ClusterFacts) -> TelemetryCollector | None:
    """Return the collector that acts for cluster ``key``; where there is none, say in ``facts`` why."""
    found = [collector async for collector in referring(context, TelemetryCollector, key)]
    body = context.store.get("KafkaCluster", key)
    try:
        cluster = None if body is None else parse_resource(KafkaCluster, body)
    except OperatorError:
        cluster = None
    if cluster is None:
        why, reason = f"KafkaCluster {key} is not there, or cannot be read: see its status", "NoCollector"
    else:
        collector = collector_of_cluster(cluster, found)
        if collector is not None:
            return collector
        why = no_collector(cluster)
        reason = "NoCollector" if cluster.spec.collector_ref is None else "CollectorDiffers"
    _is_unknown(facts, why, reason, f"{why}; until then no client numbers are known")
    return None


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
