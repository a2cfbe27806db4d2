"""The host as one program: a thread that reads, a thread for each observer, and the port for probes and metrics."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from functools import partial
from typing import Final

from kwitness.contracts.observer_host_config import ObserverHostConfig
from kwitness.observer.host.crew import Crew
from kwitness.observer.host.metrics import page_of
from kwitness.observer.host.reader import Reader
from kwitness.observer.host.worker import Worker
from kwitness.observer.loading import make_observer
from kwitness.runtime.probes import ProbeServer

__all__ = ["run"]

_LOG = logging.getLogger(__name__)

_CLIENT_ID: Final = 200
"""Characters of the consumer's client id at most."""


async def run(config: ObserverHostConfig, stop: asyncio.Event) -> None:
    """Run until ``stop`` is set; observers are then called for what is queued, and closed.

    Raises
    ------
    Exception
        When reading ended by itself; the process should be restarted.
    """
    crew = Crew([Worker(one.name, partial(make_observer, one.class_name, one.config)) for one in config.observers])
    own_name = os.environ.get("POD_NAME") or socket.gethostname()
    reader = Reader(config, crew, f"kwitness-observer-host-{own_name}"[:_CLIENT_ID])

    def ready() -> str | None:
        if stop.is_set():
            return "stopping"
        return "; ".join(one for one in (crew.trouble, reader.trouble) if one is not None) or None

    probes = ProbeServer(port=config.probe_port, alive=lambda: None, ready=ready, registry=page_of(reader, crew))
    try:
        port = await probes.start()
        crew.start()
        _LOG.info("Started", extra={"port": port, "count": len(crew.workers)})
        reading = asyncio.create_task(asyncio.to_thread(reader.run))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({reading, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        _LOG.info("Stopping")
        reader.stop()
        try:
            await reading
        finally:
            await asyncio.to_thread(crew.stop, drain_seconds=config.drain_seconds, close_seconds=config.close_seconds)
    finally:
        await probes.stop()
