"""The injector as one asyncio program: watches, certificate, webhook, probes."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Final

import aiohttp
from aiohttp import web

from kwitness.injector import metrics
from kwitness.injector.api_server.cluster import Cluster
from kwitness.injector.certificates.keeping import FolderCertificate, SecretCertificate
from kwitness.injector.certificates.serving import ServingCertificate
from kwitness.injector.configuration import Configuration
from kwitness.injector.settings import InjectorSettings
from kwitness.injector.webhook import Webhook
from kwitness.runtime.api_access import ApiAccess, authorized_session, find_access
from kwitness.runtime.probes import ProbeServer
from kwitness.runtime.service import installed_version

__all__ = ["run"]

_FIRST_CHECK_S: Final = 1.0
"""Between looks for a first certificate."""
_LAST_REVIEWS_S: Final = 5.0

_LOG = logging.getLogger(__name__)


async def run(settings: InjectorSettings, stop: asyncio.Event) -> None:
    """Run until ``stop`` is set.

    Raises
    ------
    ExceptionGroup
        When a part ended by itself; the process should be restarted.
    """
    metrics.BUILD_INFO.labels(component="injector", version=installed_version()).set(1)
    access = find_access()
    configuration, serving = Configuration(), ServingCertificate(settings.client_ca_file)
    async with authorized_session(access, "kwitness-injector") as session:
        cluster = Cluster(
            session,
            access.server,
            namespace=settings.namespace,
            injections=settings.injections,
            interceptors=settings.interceptors,
            security_level=settings.pod_security_default,
            into=configuration,
        )

        def ready() -> str | None:
            if stop.is_set():
                return "stopping"
            if not serving.ready:
                return "there is no certificate yet"
            return None if cluster.ready else "injections and namespaces are not read yet"

        probes = ProbeServer(port=settings.probe_port, alive=lambda: None, ready=ready, registry=metrics.REGISTRY)
        webhook = Webhook(configuration, cluster.place)
        try:
            async with asyncio.TaskGroup() as group:
                _LOG.info("Started", extra={"port": await probes.start(), "server": access.server})
                working = [
                    group.create_task(cluster.run(), name="watches"),
                    group.create_task(_keep(serving, settings, session, access), name="certificate"),
                ]
                await _serve(webhook, serving, settings, stop)
                for task in working:
                    task.cancel()
        finally:
            await probes.stop()


async def _keep(
    serving: ServingCertificate, settings: InjectorSettings, session: aiohttp.ClientSession, access: ApiAccess
) -> None:
    certificate = settings.certificate
    keeper = (
        FolderCertificate(serving, Path(certificate.folder))
        if certificate.folder is not None
        else SecretCertificate(
            serving, certificate, session=session, server=access.server, namespace=settings.namespace
        )
    )
    while True:
        await keeper.round()
        await asyncio.sleep(certificate.check_seconds if serving.ready else _FIRST_CHECK_S)


async def _serve(
    webhook: Webhook, serving: ServingCertificate, settings: InjectorSettings, stop: asyncio.Event
) -> None:
    """Listen until told to stop, and then until nobody sends reviews any more."""
    runner = web.AppRunner(webhook.application(), access_log=None, shutdown_timeout=_LAST_REVIEWS_S)
    await runner.setup()
    try:
        if (server := runner.server) is not None:  # it is, after setup
            webhook.connections.listen(server, settings.host, settings.port, serving.context)
        await stop.wait()
        _LOG.info("Stopping")
        await asyncio.sleep(settings.drain_seconds)
    finally:
        await webhook.connections.close()
        await runner.cleanup()
