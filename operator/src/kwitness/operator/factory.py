"""Builds everything, once; nothing else constructs its collaborators."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import aiohttp

from kwitness.contracts.endpoints import COLLECTOR_PORT, DRIVER_PORT, DRIVER_STATUS_PATH
from kwitness.contracts.resources import KINDS
from kwitness.operator.adapters.http_json import JsonReader
from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.adapters.own_tokens import OwnTokens
from kwitness.operator.context import Context
from kwitness.operator.model.store import Key, Store
from kwitness.operator.reconcile.analytics_job import reconcile_analytics_job
from kwitness.operator.reconcile.client_metrics_subscription import reconcile_subscriptions
from kwitness.operator.reconcile.inventory import reconcile_inventory
from kwitness.operator.reconcile.kafka_cluster import reconcile_kafka_cluster
from kwitness.operator.reconcile.telemetry_collector import reconcile_telemetry_collector
from kwitness.operator.reconcile.unsupported import reconcile_unsupported
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.work_queue import Requeue, WorkQueue
from kwitness.runtime.child_names import collector_name, job_name

__all__ = ["Reconcile", "build_context", "build_queues", "collector_url", "driver_url"]

Reconcile = Callable[[Context, Key], Awaitable[Requeue]]

_SUPPORTED: Mapping[str, Reconcile] = {
    "KafkaCluster": reconcile_kafka_cluster,
    "ClientMetricsSubscription": reconcile_subscriptions,
    "Inventory": reconcile_inventory,
    "TelemetryCollector": reconcile_telemetry_collector,
    "AnalyticsJob": reconcile_analytics_job,
}

RECONCILERS: Mapping[str, Reconcile] = {
    **_SUPPORTED,
    **{info.kind: reconcile_unsupported(info.kind) for info in KINDS if info.kind not in _SUPPORTED},
}
"""One queue each. ClientMetricsSubscription and Inventory have KafkaClusters as keys."""


def collector_url(collector: Key, encrypted: bool) -> str:  # noqa: FBT001 - the shape of Context.collector_url
    """Address of a TelemetryCollector's API within the cluster."""
    host = f"{collector_name(collector.name)}.{collector.namespace}.svc"
    return f"{'https' if encrypted else 'http'}://{host}:{COLLECTOR_PORT}"


def driver_url(job: Key) -> str:
    """Address of an AnalyticsJob's driver status within the cluster."""
    return f"http://{job_name(job.name)}.{job.namespace}.svc:{DRIVER_PORT}{DRIVER_STATUS_PATH}"


def build_context(
    settings: OperatorSettings,
    installation: str,
    *,
    session: aiohttp.ClientSession,
    server: str,
    outside: aiohttp.ClientSession,
) -> tuple[Context, dict[str, WorkQueue[Key]]]:
    """Build the context and its queues.

    ``session`` is signed in to the API server at ``server``; ``outside`` is for collectors and drivers and must not
    carry that sign-in.
    """
    queues: dict[str, WorkQueue[Key]] = {}

    def enqueue(kind: str, key: Key, delay: float) -> None:
        queues[kind].add(key, delay)

    kubernetes = Kubernetes(session, server)
    tokens = OwnTokens(kubernetes, settings.namespace, settings.service_account)
    context = Context(
        settings=settings,
        installation=installation,
        store=Store(),
        kubernetes=kubernetes,
        kafka=KafkaAdmin(),
        inventory=JsonReader(outside, tokens, "CollectorUnreachable"),
        drivers=JsonReader(outside, tokens, "Starting"),
        enqueue=enqueue,
        collector_url=collector_url,
        driver_url=driver_url,
    )
    queues.update(build_queues(context))
    return context, queues


def build_queues(context: Context) -> dict[str, WorkQueue[Key]]:
    """One queue per reconciler."""

    def bound(reconcile: Reconcile) -> Callable[[Key], Awaitable[Requeue]]:
        async def work(key: Key) -> Requeue:
            return await reconcile(context, key)

        return work

    return {
        kind: WorkQueue(kind, bound(reconcile), resync=context.settings.resync_seconds)
        for kind, reconcile in RECONCILERS.items()
    }
