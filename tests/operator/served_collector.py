"""A collector's API with the answers that a test wants; real HTTP, real JSON."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any

from aiohttp import web

from kwitness.operator.context import Clock

OLD = ("confluent-kafka-python", "2.5.0-rdkafka-2.5.0")


class ClockAhead(Clock):
    """The operator's clock, which goes ahead by what a test wants."""

    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


class ServedCollector:
    """What the operator asks, until a test changes it: whole, of one broker, with nobody at risk."""

    def __init__(self, cluster_id: str) -> None:
        self.state: dict[str, Any] = {"cluster_id": cluster_id, "clients": 2, "series": 10}
        self.missing: list[int] = []
        self.state["brokers"] = [{"broker_id": "1", "last_heartbeat_ms": 1}]
        self.numbers: dict[str, Any] = {"clients": {"asking": 3, "matching": 2, "pushing": 2, "source": "plugin"}}
        self.tokens: list[str] = []
        self.directives: list[tuple[str, Any]] = []
        self.broken = False
        self.subscriptions: list[str] = []
        self.clock = ClockAhead()

    def see(self, name: str = OLD[0], version: str = OLD[1]) -> None:
        seen = round(time.time() * 1000)
        software = {"client_software_name": name, "client_software_version": version}
        self.state["software"] = [{**software, "connections": 1, "first_seen_ms": seen, "last_seen_ms": seen}]

    async def answer(self, request: web.Request) -> web.Response:
        self.tokens.append(request.headers.get("Authorization", ""))
        if self.broken:
            return web.json_response({"error": "canary"}, status=503)
        if "clusters" in request.path:
            return web.json_response({**self.state, "missing": self.missing})
        items = [{"id": name, **self.numbers} for name in self.subscriptions]
        return web.json_response({"items": items, "missing": self.missing})

    async def receive(self, request: web.Request) -> web.Response:
        if self.broken:
            return web.json_response({"error": "canary"}, status=503)
        self.directives.append((request.path, await request.json()))
        return web.json_response({})

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        application = web.Application()
        application.router.add_get("/v1/clusters/{id}", self.answer)
        application.router.add_get("/v1/subscriptions", self.answer)
        application.router.add_put("/v1/observers/{namespace}/{name}/directives", self.receive)
        application.router.add_put("/v1/observers/{namespace}/{name}/subscriptions", self.receive)
        application.router.add_put("/v1/client-pods", self.receive)
        runner = web.AppRunner(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}"
        finally:
            await runner.cleanup()
