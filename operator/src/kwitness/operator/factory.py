"""Builds everything, once; nothing else constructs its collaborators."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import aiohttp

from kwitness.contracts.endpoints import COLLECTOR_PORT, DRIVER_PORT, DRIVER_STATUS_PATH
from kwitness.operator.adapters.http_json import JsonReader
from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.adapters.own_tokens import OwnTokens
from kwitness.operator.context import Context
from kwitness.operator.engine.engine import Engine
from kwitness.operator.environment.injector import config_map_key, interceptors_config_map_key
from kwitness.operator.kinds.analytics_job.kind import ANALYTICS_JOB
from kwitness.operator.kinds.client_metrics_subscription.kind import CLIENT_METRICS_SUBSCRIPTION
from kwitness.operator.kinds.header_registry.kind import HEADER_REGISTRY
from kwitness.operator.kinds.interceptor_profile.kind import INTERCEPTOR_INJECTIONS, INTERCEPTOR_PROFILE
from kwitness.operator.kinds.kafka_cluster.kind import KAFKA_CLUSTER
from kwitness.operator.kinds.observer_deployment.kind import OBSERVER_DEPLOYMENT
from kwitness.operator.kinds.observer_deployment.sidecars.kind import INJECTIONS
from kwitness.operator.kinds.telemetry_collector.kind import TELEMETRY_COLLECTOR
from kwitness.operator.model.store import Key, Store
from kwitness.operator.reconcile.forsaken_clusters import FORSAKEN, reconcile_forsaken
from kwitness.operator.reconcile.inventory import reconcile_inventory
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import Fact
from kwitness.operator.shapes.subscription_facts import AskedCollector, BrokerConfigs
from kwitness.operator.shapes.work import KindSpec, Unit
from kwitness.operator.work_queue import WORKERS, Requeue, WorkQueue
from kwitness.runtime.child_names import collector_name, job_name

__all__ = ["Reconcile", "build_context", "build_queues", "collector_url", "driver_url"]

Reconcile = Callable[[Context, Key], Awaitable[Requeue]]

RECONCILERS: Mapping[str, Reconcile] = {
    "Inventory": reconcile_inventory,
    FORSAKEN: reconcile_forsaken,
}
"""One queue each, with KafkaClusters as keys."""

SPECS: Mapping[str, KindSpec] = {
    "KafkaCluster": KAFKA_CLUSTER,
    "ClientMetricsSubscription": CLIENT_METRICS_SUBSCRIPTION,
    "TelemetryCollector": TELEMETRY_COLLECTOR,
    "AnalyticsJob": ANALYTICS_JOB,
    "ObserverDeployment": OBSERVER_DEPLOYMENT,
    INJECTIONS.kind: INJECTIONS,
    "InterceptorProfile": INTERCEPTOR_PROFILE,
    INTERCEPTOR_INJECTIONS.kind: INTERCEPTOR_INJECTIONS,
    "HeaderRegistry": HEADER_REGISTRY,
}
"""The kinds that the engine runs, all registers being one unit, and so are all subscriptions of a KafkaCluster.

Beside them the injections, which are one unit of the installation for each of two kinds.
"""

FACTS: Final = "Fact"
"""The queue of facts that are being asked for."""
CLUSTER_FACTS: Final = "ClusterFact"
"""Likewise of those that brokers and collectors are asked for."""

LOOKS: Final = "Look"
"""The queue of those that brokers are asked for."""

_MOST_LOOKS: Final = 10_000
"""Beside each other: they wait for a turn of their own (`Slots`), so that dead clusters take none of the others'."""

_MOST_FETCHES: Final = 16
"""At once, so that what does not answer holds up nothing else for long."""

_WORKERS: Final = {"ClientMetricsSubscription": _MOST_FETCHES, FORSAKEN: _MOST_FETCHES}
"""Of reconcilers that wait for brokers, each for those of its own cluster."""


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
) -> tuple[Context, dict[str, WorkQueue[Any]]]:
    """Build the context and its queues.

    ``session`` is signed in to the API server at ``server``; ``outside`` is for collectors and drivers and must not
    carry that sign-in.
    """
    queues: dict[str, WorkQueue[Any]] = {}
    settings = settings.model_copy(update={"installation": installation})

    def enqueue(kind: str, key: Key, delay: float) -> None:
        unit = SPECS[kind].unit(key) if kind in SPECS else Unit(kind, key)
        queues[unit.kind].add(unit.key, delay)

    def told(fact: Fact[Any]) -> None:
        engine.facts.told(fact)

    def ask_again(fact: Fact[Any]) -> None:
        engine.facts.ask_again(fact)

    def touched(kind: str, key: Key) -> None:
        engine.facts.touched(kind, key)

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
        told=told,
        ask_again=ask_again,
        touched=touched,
    )

    def ask(fact: Fact[Any]) -> None:
        if fact.of_brokers:
            queues[LOOKS].add(fact)
        else:
            queues[CLUSTER_FACTS if isinstance(fact, AskedCollector | BrokerConfigs) else FACTS].add(fact)

    def wake(unit: Unit) -> None:
        queues[unit.kind].add(unit.key)

    engine = Engine(context, SPECS, ask=ask, wake=wake)
    queues.update(build_queues(context, engine))
    if settings.injector.enabled:
        # What was told before may be of resources that are gone.
        queues[INJECTIONS.kind].add(config_map_key(settings))
        queues[INTERCEPTOR_INJECTIONS.kind].add(interceptors_config_map_key(settings))
    return context, queues


def build_queues(context: Context, engine: Engine) -> dict[str, WorkQueue[Any]]:
    """One queue per reconciler, one per kind of the engine, and those of facts."""
    resync = context.settings.resync_seconds

    def bound(reconcile: Reconcile) -> Callable[[Key], Awaitable[Requeue]]:
        async def work(key: Key) -> Requeue:
            return await reconcile(context, key)

        return work

    def turns(kind: str) -> Callable[[Key], Awaitable[Requeue]]:
        async def work(key: Key) -> Requeue:
            return await engine.turn(Unit(kind, key))

        return work

    return {
        **{
            kind: WorkQueue(kind, bound(reconcile), resync=resync, workers=_WORKERS.get(kind, WORKERS))
            for kind, reconcile in RECONCILERS.items()
        },
        **{kind: WorkQueue(kind, turns(kind), resync=resync, workers=_WORKERS.get(kind, WORKERS)) for kind in SPECS},
        **{
            name: WorkQueue(name, engine.facts.fetch, resync=resync, workers=_MOST_FETCHES)
            for name in (FACTS, CLUSTER_FACTS)
        },
        LOOKS: WorkQueue(LOOKS, engine.facts.fetch, resync=resync, workers=_MOST_LOOKS),
    }
