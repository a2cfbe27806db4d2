"""Runs the console of a cluster: sources beside requests, the door, the listener, the probes."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from kwitness.answers.access.cluster_access import connect
from kwitness.answers.access.options import AccessOptions
from kwitness.answers.access.pod_route import PodRoute
from kwitness.console.backends import Backends
from kwitness.console.pod.listener import Listener
from kwitness.console.pod.metrics import PodMetrics
from kwitness.console.pod.settings import ConsoleSettings, TlsSettings
from kwitness.console.process import AbandonedThreads, Console
from kwitness.console.sign_in.cluster_door import cluster_door
from kwitness.runtime.api_access import find_access
from kwitness.runtime.probes import ProbeServer
from kwitness.runtime.server_certificate import ServerCertificate

__all__ = ["run"]

_REFRESH_S: Final = 10.0
"""Between looks at the files of the certificate."""
_LOG: Final = logging.getLogger(__name__)


async def run(settings: ConsoleSettings, stop: asyncio.Event) -> None:
    """Serve pages until ``stop`` is set.

    Raises
    ------
    ExceptionGroup
        A part ended by itself; the process should be restarted.
    OSError
        A port or a file of the certificate cannot be used.
    """
    asyncio.get_running_loop().set_default_executor(AbandonedThreads())
    console = Console(_backends(settings))
    metrics = PodMetrics(lambda: console.sources)
    listener = Listener(metrics)
    certificate = _certificate(settings.tls)
    probes = ProbeServer(
        port=settings.probe_port,
        alive=lambda: None,
        ready=lambda: "stopping" if stop.is_set() else None,
        registry=metrics.registry,
    )
    async with cluster_door(settings.sign_in, find_access(), console.templates, console.namespaces) as door:
        app = console.application(door, log="log of the console's pod", outermost=(listener.count,))
        try:
            await listener.start(app, settings.host, settings.port, certificate)
            port = await probes.start()
            _LOG.info("Started", extra={"port": settings.port, "probe_port": port})
            async with asyncio.TaskGroup() as group:
                working = [group.create_task(work) for work in (*console.works(), _renewed(certificate))]
                await stop.wait()
                _LOG.info("Stopping")
                for task in working:
                    task.cancel()
        finally:
            await listener.stop()
            await probes.stop()


def _backends(settings: ConsoleSettings) -> Backends:
    name = settings.kafka_cluster
    access = connect(AccessOptions(namespace=name.namespace))
    route = PodRoute(access, (name.namespace, name.name), settings.token_file, settings.collector_address)
    return Backends(route, access, settings.tables or None, settings.prometheus or None)


def _certificate(settings: TlsSettings) -> ServerCertificate | None:
    if settings.certificate_file is None or settings.key_file is None:
        return None
    return ServerCertificate(settings.certificate_file, settings.key_file)


async def _renewed(certificate: ServerCertificate | None) -> None:
    """Follow the files of the certificate."""
    while True:
        await asyncio.sleep(_REFRESH_S)
        if certificate is not None:
            certificate.refresh()
