"""The port that Kubernetes and Prometheus ask: ``/healthz``, ``/readyz`` and ``/metrics``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from kwitness.contracts.endpoints import HEALTH_PATH, METRICS_PATH, READY_PATH

__all__ = ["Check", "ProbeServer"]

Check = Callable[[], str | None]
"""None when all is well, else what is wrong, in one line."""


@dataclass
class ProbeServer:
    """Serves the three paths; a check that names a trouble makes its probe answer 503 with that line.

    ``port`` 0 takes a free one; `start` returns the one in use.
    """

    port: int
    alive: Check
    ready: Check
    registry: CollectorRegistry = REGISTRY
    _runner: web.AppRunner | None = field(default=None, init=False)

    async def start(self, host: str = "0.0.0.0") -> int:  # noqa: S104 - the kubelet connects from outside the pod
        """Listen and return the port."""
        application = web.Application()
        application.router.add_get(HEALTH_PATH, self._handler(self.alive))
        application.router.add_get(READY_PATH, self._handler(self.ready))
        application.router.add_get(METRICS_PATH, self._metrics)
        self._runner = web.AppRunner(application, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, self.port)
        await site.start()
        return int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()

    @staticmethod
    def _handler(check: Check) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def answer(_: web.Request) -> web.Response:
            trouble = check()
            return web.Response(text=trouble or "ok", status=200 if trouble is None else 503)

        return answer

    async def _metrics(self, _: web.Request) -> web.Response:
        return web.Response(body=generate_latest(self.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})
