"""GET of the cluster's subscriptions, by observers that answer clients' telemetry in the brokers' place."""

from __future__ import annotations

from aiohttp import web

from kwitness.collector.ingest.authentication import SENDERS, Authenticator, require
from kwitness.collector.observation import Observation
from kwitness.contracts.endpoints import OBSERVER_SUBSCRIPTIONS_PATH


class SubscriptionsApi:
    """The handler of the one path. Every replica has the same file, so each answers for itself."""

    def __init__(self, observation: Observation, authenticator: Authenticator) -> None:
        self._observation = observation
        self._authenticator = authenticator

    def add_to(self, application: web.Application) -> None:
        """Add the route."""
        application.router.add_get(OBSERVER_SUBSCRIPTIONS_PATH, self.get)

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Tell all of them: which ones matter, the observer knows when a client asks."""
        caller = await self._authenticator.caller(request.headers.get("Authorization"), (SENDERS,), ("observer",))
        require(caller, "observer")
        subscriptions = self._observation.subscriptions()
        return web.Response(body=subscriptions.model_dump_json().encode(), content_type="application/json")
