"""TelemetryCollector: its children, and what it says about itself."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.endpoints import COLLECTOR_PORT
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.standstill import is_paused
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.desired.collector_objects import collector_objects
from kwitness.operator.desired.collector_status import collector_fields, collector_verdicts
from kwitness.operator.desired.pods import owner
from kwitness.operator.desired.reporters import Reporters
from kwitness.operator.desired.sidecar_reach import acts_in
from kwitness.operator.model.conditions import failure
from kwitness.operator.model.errors import KubernetesUnavailableError, TerminalError
from kwitness.operator.model.found_owners import FoundOwners
from kwitness.operator.model.ownership import belongs_to
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.pause import paused
from kwitness.operator.model.quantities import quantity
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.reconcile.children import apply_children, children_are_due, remove_child
from kwitness.operator.reconcile.inventory import collectors_of
from kwitness.operator.reconcile.namespaces import enabled_namespaces
from kwitness.operator.reconcile.owners import find_owners
from kwitness.operator.reconcile.references import known_cluster_id, referred_cluster, referring
from kwitness.operator.reconcile.status_writer import write_status
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.work_queue import Requeue
from kwitness.runtime.child_names import collector_name

__all__ = ["reconcile_telemetry_collector"]


_KIND = "TelemetryCollector"
_KEPT = ("endpoint", "readyReplicas", "clients", "series", "overflowed", "ledger")
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
        collector = parse_resource(TelemetryCollector, body)
        cluster = await referred_cluster(context, key.namespace, collector.spec.cluster_ref)
        cluster_at = cluster_key(key.namespace, collector.spec.cluster_ref)
        await _refuse_second(context, key, cluster_at)
        facts = context.clusters.get(cluster_at)
        if facts is None or not facts.checked or (facts.trouble is None and facts.subscriptions is None):
            # Both wake us when they are known; children made without them would be made twice.
            return Requeue()
        settings = await _with_present_storage(context, collector)
        cluster_id = known_cluster_id(context, cluster_at, facts)
        owners = await find_owners(context, cluster)
        await _apply(context, collector, cluster, facts, cluster_id=cluster_id, settings=settings, owners=owners)
        return await _report(context, subject, collector, facts, owners=owners, was_ready=status.get("readyReplicas"))
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


async def _with_present_storage(context: Context, collector: TelemetryCollector) -> OperatorSettings:
    """The settings, with the StorageClass that is there as the default: another default is for new collectors only.

    Raises
    ------
    TerminalError
        StorageChanged: the resource asks for something else than is there.
    """
    name = collector_name(collector.metadata.name)
    present = await context.kubernetes.get("StatefulSet", collector.metadata.namespace, name)
    metadata = collector.metadata
    if present is None or not belongs_to(present, owner(_KIND, metadata.name, metadata.uid)):
        # Somebody else's has no say here; applying ours will tell.
        return context.settings
    claims = present["spec"].get("volumeClaimTemplates") or [{}]
    was = claims[0].get("spec", {}).get("storageClassName")
    size = claims[0].get("spec", {}).get("resources", {}).get("requests", {}).get("storage")
    storage = collector.spec.storage
    wanted = storage.storage_class_name or was
    # The API server writes 1024Mi as 1Gi.
    if was != wanted or (size is not None and quantity(size) != quantity(storage.size)):
        raise TerminalError(
            "StorageChanged",
            f"spec.storage cannot be changed after creation (it was {f'{was}, {size}' if was else 'an emptyDir'}):"
            f" restore it, or delete the resource and its claims (state-{name}-0 and so on) and apply it again; its"
            " counters then restart",
        )
    defaults = context.settings.collector.model_copy(update={"storage_class": was})
    return context.settings.model_copy(update={"collector": defaults})


async def _apply(
    context: Context,
    collector: TelemetryCollector,
    cluster: KafkaCluster,
    facts: ClusterFacts,
    *,
    cluster_id: str,
    settings: OperatorSettings,
    owners: FoundOwners,
) -> None:
    key = Key(collector.metadata.namespace, collector.metadata.name)
    if collector.spec.replicas > context.settings.limits.max_collector_replicas:
        raise TerminalError(
            "LimitExceeded",
            f"spec.replicas is {collector.spec.replicas}, above this installation's"
            f" {context.settings.limits.max_collector_replicas}: ask for less, or have the Helm value"
            " limits.maxCollectorReplicas raised",
        )
    if is_paused(collector.metadata.annotations):
        return
    reporters = await _reporters_of(context, Key(cluster.metadata.namespace, cluster.metadata.name))
    objects = collector_objects(
        collector,
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
    if not children_are_due(context, _KIND, key, objects):
        return
    await apply_children(context, _KIND, key, objects)
    made = {child["kind"] for child in objects}
    for kind in ("PodDisruptionBudget", "ServiceMonitor"):
        if kind not in made:
            await remove_child(context, kind, Key(key.namespace, collector_name(key.name)), collector.metadata.uid)


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
    was_ready: int | None,
) -> Requeue:
    key = subject.key
    name = collector_name(key.name)
    present = await context.kubernetes.get("StatefulSet", key.namespace, name) or {}
    state = present.get("status") or {}
    replicas = int(state.get("readyReplicas") or 0)
    current = state.get("observedGeneration") == present.get("metadata", {}).get("generation") and state.get(
        "updateRevision"
    ) == state.get("currentRevision")
    scheme = "https" if collector.spec.ingest.tls.secret_ref is not None else "http"
    endpoint = f"{scheme}://{name}.{key.namespace}.svc:{COLLECTOR_PORT}"
    verdict = facts.inventory_verdict
    answers = verdict is not None and verdict.status == "True"
    inventory = facts.inventory if answers and not collector.spec.suspend else None
    verdicts = collector_verdicts(collector, replicas, inventory, current=current, owners=owners)
    if is_paused(collector.metadata.annotations):
        verdicts[0] = paused("its pods and what belongs to them are left as they are")
    wait = await write_status(
        context, _KIND, subject, fields=collector_fields(endpoint, replicas, inventory), verdicts=verdicts
    )
    if was_ready != replicas:
        context.enqueue("Inventory", cluster_key(key.namespace, collector.spec.cluster_ref), 0.0)
    if verdicts[0].status != "True":
        return Requeue(after=_PROGRESS_SECONDS)
    return Requeue(after=context.settings.status_seconds if wait is None else wait)
