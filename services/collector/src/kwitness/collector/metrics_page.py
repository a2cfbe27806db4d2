"""GET /metrics, /healthz and /readyz, on a port of their own without authentication."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aiohttp import web

from kwitness.collector.compression import compressed
from kwitness.collector.core import ZeroPeriod
from kwitness.collector.ingest.http_server import Requests
from kwitness.collector.inventory.client_info import ClientInfo
from kwitness.collector.observation import Observation
from kwitness.collector.own_exposition import render_own
from kwitness.collector.pipeline import Pipeline, now_ms
from kwitness.collector.prometheus.exposition import OPENMETRICS, TEXT
from kwitness.collector.prometheus.render_errors import OWN, rendered_wholly
from kwitness.contracts.endpoints import HEALTH_PATH, METRICS_PATH, READY_PATH


class MetricsPage:
    """Writes the exposition piece by piece, so that a large one is never in memory as a whole."""

    def __init__(
        self,
        pipeline: Pipeline,
        observation: Observation,
        client_info: ClientInfo,
        requests: Requests,
        ready: Callable[[], str | None],
    ) -> None:
        self._pipeline = pipeline
        self._client_info = client_info
        self._observation = observation
        self._requests = requests
        self._ready = ready

    def add_to(self, application: web.Application) -> None:
        """Add the routes."""
        application.router.add_get(METRICS_PATH, self.metrics, allow_head=False)
        application.router.add_get(HEALTH_PATH, self.alive)
        application.router.add_get(READY_PATH, self.ready)

    async def metrics(self, request: web.Request) -> web.StreamResponse:
        """Write every series there is."""
        state = self._pipeline.state
        state.expire(now_ms())
        openmetrics = "application/openmetrics-text" in request.headers.get("Accept", "")
        is_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
        response = web.StreamResponse(headers={"Content-Type": OPENMETRICS if openmetrics else TEXT})
        if is_gzip:
            response.headers["Content-Encoding"] = "gzip"
        await response.prepare(request)
        pieces = self._pieces(state.zeros(now_ms()), openmetrics=openmetrics)
        for piece in compressed(pieces) if is_gzip else pieces:
            await response.write(piece)
        await response.write_eof()
        return response

    def _pieces(self, zeros: ZeroPeriod, *, openmetrics: bool) -> Iterator[bytes]:
        clients = self._client_info.render(self._pipeline.state.clients, openmetrics=openmetrics)
        yield from rendered_wholly("kwitness_client_info", clients, of=OWN)
        yield render_own(
            self._pipeline, self._observation, self._requests, self._client_info.overflowed, openmetrics=openmetrics
        )
        yield from self._observation.totals.render(zeros, openmetrics=openmetrics)
        yield from self._observation.interception.totals.render(zeros, openmetrics=openmetrics)
        yield from self._observation.headers.series.render(zeros, openmetrics=openmetrics)
        yield from self._pipeline.state.core.render(zeros, openmetrics=openmetrics)
        if openmetrics:
            yield b"# EOF\n"

    async def alive(self, _: web.Request) -> web.StreamResponse:
        """Say that the loop runs."""
        return web.Response(text="ok")

    async def ready(self, _: web.Request) -> web.StreamResponse:
        """Say whether requests are taken; a Kafka that is away does not matter, since senders are told to wait."""
        trouble = self._ready()
        return web.Response(text=trouble or "ok", status=503 if trouble else 200)
