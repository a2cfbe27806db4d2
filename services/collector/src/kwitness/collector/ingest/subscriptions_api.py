"""The cluster's subscriptions: observers that answer telemetry ask for them, and the operator tells of new ones."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from kwitness.collector.configuration import Configuration
from kwitness.collector.ingest import bodies
from kwitness.collector.ingest.authentication import READERS, SENDERS, Authenticator, require
from kwitness.collector.ingest.told_bodies import read_told
from kwitness.collector.peers import FORWARDED, Peers
from kwitness.contracts.endpoints import OBSERVER_SUBSCRIPTIONS_PATH
from kwitness.contracts.envelopes import ClusterSubscriptions

_MOST: Final = 1024 * 1024
"""Bytes of all subscriptions, as of the ConfigMap that has them."""


class SubscriptionsApi:
    """The handlers of the one path. Every replica knows the same, so each answers for itself."""

    def __init__(
        self, configuration: Configuration, authenticator: Authenticator, peers: Peers, budget: bodies.Budget
    ) -> None:
        self._configuration = configuration
        self._authenticator = authenticator
        self._peers = peers
        self._budget = budget

    def add_to(self, application: web.Application) -> None:
        """Add the routes."""
        application.router.add_get(OBSERVER_SUBSCRIPTIONS_PATH, self.get)
        application.router.add_put(OBSERVER_SUBSCRIPTIONS_PATH, self.put)

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Tell all of them: which ones matter, the observer knows when a client asks."""
        caller = await self._authenticator.caller(request.headers.get("Authorization"), (SENDERS,), ("observer",))
        require(caller, "observer")
        subscriptions = self._configuration.cluster_subscriptions()
        return web.Response(body=subscriptions.model_dump_json().encode(), content_type="application/json")

    async def put(self, request: web.Request) -> web.StreamResponse:
        """Take them for the newest here and at every other replica; with their next answer observers learn of them.

        Their hash is computed here: it names what was understood.
        """
        forwarded = request.headers.get(FORWARDED) == "1"
        purpose = SENDERS if forwarded else READERS
        caller = await self._authenticator.caller(request.headers.get("Authorization"), (purpose,))
        require(caller, "collector" if forwarded else "operator")
        body, told = await read_told(request, self._budget, _MOST, ClusterSubscriptions)
        self._configuration.tell_subscriptions(told.subscriptions)
        if not forwarded:
            await self._peers.tell_all(request.url.raw_path, body)
        return web.json_response({})
