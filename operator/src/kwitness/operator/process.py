"""The operator as one asyncio program: kopf's watches, our queues, the probe port."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import secrets
import time
from collections.abc import Iterator
from functools import partial
from typing import Final

import aiohttp
import kopf
from prometheus_client import REGISTRY

from kwitness.operator import metrics
from kwitness.operator.adapters.api_session import WatchHealth, open_session
from kwitness.operator.adapters.http_json import outside_session
from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.factory import build_context
from kwitness.operator.handlers.children import watch_children
from kwitness.operator.handlers.events import KINDS, register
from kwitness.operator.handlers.lists import fill_store, keep_listing
from kwitness.operator.handlers.refusals import watch_refusals
from kwitness.operator.installation import find_installation
from kwitness.operator.leadership import Leadership, LeadershipLostError
from kwitness.operator.reconcile.outdated_clients import connections_below
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.stopping import unless_stopped, until_stopped
from kwitness.runtime.api_access import ApiAccess, find_access
from kwitness.runtime.probes import ProbeServer
from kwitness.runtime.service import installed_version, stop_at_signals

__all__ = ["kopf_settings", "run"]

_SERVER_TIMEOUT: Final = 60
"""Seconds after which the API server ends a watch and kopf reconnects: what makes watch health visible."""

_log = logging.getLogger(__name__)


def kopf_settings(stall_seconds: float) -> kopf.OperatorSettings:
    """What kopf may do: watch. No events, no peering, no looking at CRDs and namespaces.

    Watches begin again well before liveness would miss them, after ``stall_seconds``.
    """
    server_timeout = max(1, min(_SERVER_TIMEOUT, int(stall_seconds / 3)))
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.peering.standalone = True
    settings.watching.server_timeout = server_timeout
    # Where the server does not end it, a connection that a middlebox dropped would be waited on for ever.
    settings.watching.client_timeout = server_timeout * 2
    settings.watching.connect_timeout = 10
    settings.networking.request_timeout = 30
    # After its last retry kopf lets a watch die and goes on without it; lists and watches are all that it asks for.
    settings.networking.error_backoffs = _EndlessBackoffs()
    return settings


class _EndlessBackoffs:
    """Seconds between attempts, for ever: 1, 2, 4, ... 30, 30, ..."""

    def __iter__(self) -> Iterator[float]:
        yield from (1.0, 2.0, 4.0, 8.0, 15.0)
        yield from itertools.repeat(30.0)


async def run(settings: OperatorSettings, stop: asyncio.Event) -> None:
    """Run until ``stop`` is set; as one of several replicas, work only while this one leads.

    Raises
    ------
    RuntimeError
        When kopf or a queue ended by itself; the process should be restarted.
    """
    metrics.BUILD_INFO.labels(component="operator", version=installed_version()).set(1)
    access = find_access()
    health = WatchHealth()
    leads = not settings.elects_leader
    started = time.monotonic()
    metrics.LEADER.set(leads)
    ready = asyncio.Event()
    watched = len(KINDS) * len(settings.watch_namespaces)
    probes = ProbeServer(
        port=settings.probe_port,
        alive=lambda: _alive(health, settings, started) if leads else None,
        ready=lambda: (
            None if not leads or (ready.is_set() and _watched(health, watched)) else "not every kind is watched yet"
        ),
    )
    async with open_session(access, health) as session, outside_session() as outside:
        port = await probes.start()
        _log.info("Started", extra={"port": port, "server": access.server, "watches": settings.watch_namespaces})
        try:
            if not settings.elects_leader:
                await _work(settings, access, health, (session, outside), stop=stop, ready=ready)
                return
            leadership = Leadership(Kubernetes(session, access.server), settings.namespace, _replica())
            await unless_stopped(leadership.acquire(), stop)
            if stop.is_set():
                return
            leads, started = True, time.monotonic()
            metrics.LEADER.set(1)
            keeping = asyncio.create_task(_keep(leadership, stop))
            try:
                await _work(settings, access, health, (session, outside), stop=stop, ready=ready)
            finally:
                keeping.cancel()
                await leadership.release()
            with contextlib.suppress(asyncio.CancelledError):
                await keeping
        finally:
            await probes.stop()


def _replica() -> str:
    # A container that starts again in its pod takes up the Lease that it had.
    return os.environ.get("POD_NAME") or f"process-{secrets.token_hex(4)}"


async def _keep(leadership: Leadership, stop: asyncio.Event) -> None:
    """Renew the Lease; stop the process where it is lost, or nothing renews it any more."""
    try:
        await leadership.keep()
    except LeadershipLostError as error:
        _log.error("Leadership lost", extra={"detail": str(error)})
    finally:
        stop.set()


async def _work(
    settings: OperatorSettings,
    access: ApiAccess,
    health: WatchHealth,
    sessions: tuple[aiohttp.ClientSession, aiohttp.ClientSession],
    *,
    stop: asyncio.Event,
    ready: asyncio.Event,
) -> None:
    session, outside = sessions
    installation = await unless_stopped(find_installation(Kubernetes(session, access.server), settings), stop)
    if installation is None:
        return
    _log.info("Installation", extra={"installation": installation})
    context, queues = build_context(settings, installation, session=session, server=access.server, outside=outside)
    from_what_is_known = (
        metrics.ConditionGauges(context.store, KINDS),
        metrics.JobNumbers(context.store),
        metrics.JobCosts(context.store),
        metrics.OutdatedClients(partial(connections_below, context)),
    )
    for collector in from_what_is_known:
        REGISTRY.register(collector)
    registry = kopf.OperatorRegistry()
    register(registry, context)

    @kopf.on.login(registry=registry)
    async def login(**_: object) -> kopf.AiohttpSession:
        # kopf closes the session that it is given when it signs in again, so it gets one of its own.
        return kopf.AiohttpSession(
            aiohttp_session=open_session(access, health, of_kopf=True),
            server=access.server,
            default_namespace=settings.namespace,
        )

    # kopf's handlers may run before all kinds are known, so complete lists come first.
    await unless_stopped(fill_store(context), stop)
    if stop.is_set():
        return
    ready.set()
    tasks = {asyncio.create_task(queue.run(), name=f"queue {kind}") for kind, queue in queues.items()}
    tasks.add(asyncio.create_task(keep_listing(context, health), name="lists"))
    children = watch_children(context, session, access.server)
    tasks.add(asyncio.create_task(children, name="children"))
    if settings.injector.enabled:
        refusals = watch_refusals(context, session, access.server)
        tasks.add(asyncio.create_task(refusals, name="refusals"))
    watching = asyncio.create_task(_watch(registry, settings, stop), name="kopf")
    await until_stopped(tasks, {watching}, stop)


async def _watch(registry: kopf.OperatorRegistry, settings: OperatorSettings, stop: asyncio.Event) -> None:
    ours = asyncio.all_tasks()
    tasks = await kopf.spawn_tasks(
        registry=registry,
        settings=kopf_settings(settings.stall_seconds),
        standalone=True,
        clusterwide=settings.watches_everything,
        namespaces=[] if settings.watches_everything else settings.watch_namespaces,
        stop_flag=stop,
    )
    # kopf has taken the signals for itself. When it ends it cancels every task that began after it, our work in flight
    # too; so the queues are told first.
    stop_at_signals(stop)
    await kopf.run_tasks(tasks, ignored=ours)


def _watched(health: WatchHealth, collections: int) -> bool:
    # One that is refused hurts nobody but those who are in it, and waiting does not bring it back.
    return bool(health.seen) and len(health.heard) >= collections


def _alive(health: WatchHealth, settings: OperatorSettings, started: float) -> str | None:
    age = time.monotonic() - started
    if not health.seen and age > settings.stall_seconds:
        return f"nothing could be listed since the start {age:.0f} s ago"
    return health.stalled(settings.stall_seconds)
