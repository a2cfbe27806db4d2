"""Serves pages to browsers: connections bounded in number and time, requests counted."""

from __future__ import annotations

import logging
import time
from typing import Final

from aiohttp import web

from kwitness.console.door import Handler
from kwitness.console.pod.metrics import PodMetrics
from kwitness.runtime.connections import IDLE_S, Connections
from kwitness.runtime.server_certificate import ServerCertificate

__all__ = ["Listener"]

_SILENT_S: Final = 10
"""For a TLS handshake, and for the headers of the first request."""
_STOP_S: Final = 5.0
"""For requests that have begun when the pod ends."""
_PROTOCOL_LOG: Final = logging.getLogger(f"{__name__}.protocol")
_PROTOCOL_LOG.setLevel(logging.CRITICAL)  # aiohttp's own: a stack trace for all that a stranger sends that is no HTTP


class Listener:
    """Listens for browsers; its middleware is the outermost of the application."""

    def __init__(self, metrics: PodMetrics) -> None:
        self._metrics = metrics
        self._connections = Connections(_SILENT_S)
        self._runner: web.AppRunner | None = None

    @web.middleware
    async def count(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Count a request by its route, so that strangers cannot add names of pages."""
        began = time.perf_counter()
        resource = request.match_info.route.resource
        with self._connections.serving(request.protocol):
            response = await handler(request)
        page = resource.canonical if resource is not None else "other"
        self._metrics.count(page, response.status, time.perf_counter() - began)
        return response

    async def start(self, app: web.Application, host: str, port: int, certificate: ServerCertificate | None) -> None:
        """Listen.

        Raises
        ------
        OSError
            The port cannot be used.
        """
        self._runner = web.AppRunner(
            app,
            logger=_PROTOCOL_LOG,
            access_log=None,
            auto_decompress=False,  # forms are not compressed, and a few bytes could become gigabytes
            keepalive_timeout=IDLE_S,
            shutdown_timeout=_STOP_S,
        )
        await self._runner.setup()
        context = certificate.context if certificate is not None else None
        if (server := self._runner.server) is not None:  # it is, after setup
            self._connections.listen(server, host, port, context)

    async def stop(self) -> None:
        """Stop listening, and let requests that have begun end."""
        await self._connections.close()
        if self._runner is not None:
            await self._runner.cleanup()
