"""TelemetryCollector: its children, and what it says about itself."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.standstill import is_paused
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.desired.collector_limits import check_namespace, too_many_replicas, within_limits
from kwitness.operator.desired.collector_objects import collector_objects, service_monitor
from kwitness.operator.desired.collector_status import collector_fields, collector_verdicts, monitor_verdict
from kwitness.operator.desired.collector_storage import (
    StandingStorage,
    as_it_stands,
    claim_names,
    growths,
    standing_storage,
    storage_verdict,
)
from kwitness.operator.desired.reporters import Reporters
from kwitness.operator.desired.sidecar_reach import acts_in
from kwitness.operator.model.conditions import Verdict, failure
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, TerminalError
from kwitness.operator.model.found_owners import FoundOwners
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.pause import paused
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.reconcile.children import apply_children, children_are_due, remove_child
from kwitness.operator.reconcile.inventory import collectors_of
from kwitness.operator.reconcile.namespaces import enabled_namespaces
from kwitness.operator.reconcile.owners import find_owners
from kwitness.operator.reconcile.references import known_cluster_id, referred_cluster, referring
from kwitness.operator.reconcile.status_writer import write_status
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.work_queue import Requeue
from kwitness.runtime.child_names import collector_name

__all__ = ["reconcile_telemetry_collector"]


_KIND = "TelemetryCollector"
_KEPT = ("endpoint", "replicas", "readyReplicas", "selector", "clients", "series", "overflowed", "ledger")
_PASSING = frozenset({"Progressing", "Growing", "SecretNotFound"})
_PROGRESS_SECONDS = 4.0
"""Between looks at replicas that are starting."""


async def reconcile_telemetry_collector(context: Context, key: Key) -> Requeue:
    """Bring one collector's children and status up to date."""
    body = context.store.get(_KIND, key)
    if body is None:
        return Requeue.never()
    if "deletionTimestamp" in body["metadata"]:
        return Requeue()
    subject = Subject.of(body)
    status: dict[str, Any] = body.get("status") or {}
    try:
        asked = parse_resource(TelemetryCollector, body)
        check_namespace(key.namespace, context.settings)
        collector = within_limits(asked, context.settings)
        cluster = await referred_cluster(context, key.namespace, collector.spec.cluster_ref)
        cluster_at = cluster_key(key.namespace, collector.spec.cluster_ref)
        await _refuse_second(context, key, cluster_at)
        facts = context.clusters.get(cluster_at)
        if facts is None or not facts.checked or (facts.trouble is None and facts.subscriptions is None):
            # Both wake us when they are known; children made without them would be made twice.
            return Requeue()
        child = collector_name(key.name)
        standing = standing_storage(collector, await context.kubernetes.get("StatefulSet", key.namespace, child))
        cluster_id = known_cluster_id(context, cluster_at, facts)
        owners = await find_owners(context, cluster)
        further = await _apply(context, collector, standing, cluster, facts, cluster_id=cluster_id, owners=owners)
        replicas = too_many_replicas(asked, context.settings)
        return await _report(
            context,
            subject,
            collector,
            facts,
            owners=owners,
            further=further if replicas is None else [replicas, *further],
            was_ready=status.get("readyReplicas"),
        )
    except KubernetesUnavailableError:
        raise
    except Exception as caught:
        error = as_operator_error(caught, _KIND, key)
        kept = {name: value for name, value in status.items() if name in _KEPT}
        await write_status(context, _KIND, subject, fields=kept, verdicts=[failure(error)])
        raise error from caught


async def _refuse_second(context: Context, key: Key, cluster: Key) -> None:
    first = (await collectors_of(context, cluster))[0]
    holder = Key(first.metadata.namespace, first.metadata.name)
    if holder != key:
        raise TerminalError(
            "Conflict",
            f"TelemetryCollector {holder} comes before this one and serves KafkaCluster {cluster}: remove one of the"
            " two, or give this one a higher spec.priority; what runs of this one is left as it is",
        )


async def _apply(
    context: Context,
    collector: TelemetryCollector,
    standing: StandingStorage | None,
    cluster: KafkaCluster,
    facts: ClusterFacts,
    *,
    cluster_id: str,
    owners: FoundOwners,
) -> list[Verdict]:
    """Apply children, and say what became of those that may fail."""
    key = Key(collector.metadata.namespace, collector.metadata.name)
    writes = not is_paused(collector.metadata.annotations)
    if writes:
        reporters = await _reporters_of(context, Key(cluster.metadata.namespace, cluster.metadata.name))
        present, settings = as_it_stands(collector, context.settings, standing)
        objects = collector_objects(
            present,
            cluster,
            cluster_id,
            facts.subscriptions or (),
            settings,
            reporters=reporters,
            owners=owners.owners,
        )
        if facts.subscriptions is None:
            # Not known since the operator started: what was mounted before is better than nothing.
            await _keep_subscriptions(context, objects[0])
        if children_are_due(context, _KIND, key, objects):
            await apply_children(context, _KIND, key, objects)
            made = {child["kind"] for child in objects}
            if "PodDisruptionBudget" not in made:
                child = Key(key.namespace, collector_name(key.name))
                await remove_child(context, "PodDisruptionBudget", child, collector.metadata.uid)
    found = (
        await _storage(context, collector, standing, writes=writes),
        await _monitor(context, collector, writes=writes),
    )
    return [one for one in found if one is not None]


async def _storage(
    context: Context, collector: TelemetryCollector, standing: StandingStorage | None, *, writes: bool
) -> Verdict | None:
    claims: list[dict[str, Any]] = []
    namespace = collector.metadata.namespace
    if standing is not None and standing.size is not None:
        for name in claim_names(collector):
            found = await context.kubernetes.get("PersistentVolumeClaim", namespace, name)
            claims += [found] if found is not None else []
    refused = []
    for one in growths(collector, standing, claims) if writes else ():
        try:
            await context.kubernetes.grow_claim(Key(namespace, one.claim), one.size, uid=one.uid)
        except TerminalError:
            refused.append(one.claim)
    return storage_verdict(collector, standing, claims, refused)


async def _monitor(context: Context, collector: TelemetryCollector, *, writes: bool) -> Verdict | None:
    wanted = service_monitor(collector)
    allowed = context.settings.collector.service_monitors
    if wanted is None:
        if allowed and writes:
            metadata = collector.metadata
            await remove_child(
                context, "ServiceMonitor", Key(metadata.namespace, collector_name(metadata.name)), metadata.uid
            )
        return None
    failure_of_it: OperatorError | None = None
    if allowed and writes:
        try:
            await context.kubernetes.apply(wanted)
        except KubernetesUnavailableError:
            raise
        except OperatorError as error:
            failure_of_it = error
    return monitor_verdict(failure_of_it, allowed=allowed)


async def _reporters_of(context: Context, cluster: Key) -> Reporters:
    """Of the resources that may name the cluster, which alone makes them or their pods senders."""
    gateways: list[Key] = []
    namespaces: set[str] = set()
    intercepted: set[str] = set()
    async for observer in referring(context, ObserverDeployment, cluster):
        if observer.spec.mode == "Gateway":
            gateways.append(Key(observer.metadata.namespace, observer.metadata.name))
        elif context.settings.injector.enabled:
            namespaces.update(acts_in(observer, await enabled_namespaces(context), context.settings))
    if context.settings.injector.enabled:
        async for profile in referring(context, InterceptorProfile, cluster):
            intercepted.update(acts_in(profile, await enabled_namespaces(context), context.settings))
    return Reporters(tuple(gateways), tuple(sorted(namespaces)), tuple(sorted(intercepted)))


async def _keep_subscriptions(context: Context, config_map: dict[str, Any]) -> None:
    metadata = config_map["metadata"]
    present = await context.kubernetes.get("ConfigMap", metadata["namespace"], metadata["name"])
    before = ((present or {}).get("data") or {}).get("subscriptions.json")
    if before is not None:
        config_map["data"]["subscriptions.json"] = before


async def _report(
    context: Context,
    subject: Subject,
    collector: TelemetryCollector,
    facts: ClusterFacts,
    *,
    owners: FoundOwners,
    further: list[Verdict],
    was_ready: int | None,
) -> Requeue:
    key = subject.key
    present = await context.kubernetes.get("StatefulSet", key.namespace, collector_name(key.name)) or {}
    verdict = facts.inventory_verdict
    answers = verdict is not None and verdict.status == "True"
    inventory = facts.inventory if answers and not collector.spec.suspend else None
    verdicts = collector_verdicts(collector, present, inventory, owners=owners, further=further)
    if is_paused(collector.metadata.annotations):
        verdicts[0] = paused("its pods and what belongs to them are left as they are")
    fields = collector_fields(collector, present, inventory)
    wait = await write_status(context, _KIND, subject, fields=fields, verdicts=verdicts)
    if was_ready != fields["readyReplicas"]:
        context.enqueue("Inventory", cluster_key(key.namespace, collector.spec.cluster_ref), 0.0)
    if any(one.reason in _PASSING for one in verdicts):
        return Requeue(after=_PROGRESS_SECONDS)
    return Requeue(after=context.settings.status_seconds if wait is None else wait)
