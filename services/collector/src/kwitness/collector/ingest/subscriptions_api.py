"""The cluster's subscriptions: observers that answer telemetry ask for them, and the operator tells of new ones."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from kwitness.collector.configuration import Configuration
from kwitness.collector.failures import ForbiddenError
from kwitness.collector.ingest.authentication import SENDERS, Authenticator, require
from kwitness.collector.ingest.told_bodies import Told
from kwitness.contracts.endpoints import OBSERVER_SUBSCRIPTIONS_PATH
from kwitness.contracts.envelopes import ClusterSubscriptions

_MOST: Final = 1024 * 1024
"""Bytes of all subscriptions, as of the ConfigMap that has them."""


class SubscriptionsApi:
    """The handlers of the one path. Every replica knows the same, so each answers for itself."""

    def __init__(self, configuration: Configuration, authenticator: Authenticator, told: Told) -> None:
        self._configuration = configuration
        self._authenticator = authenticator
        self._told = told

    def add_to(self, application: web.Application) -> None:
        """Add the routes."""
        application.router.add_get(OBSERVER_SUBSCRIPTIONS_PATH, self.get)
        application.router.add_put(OBSERVER_SUBSCRIPTIONS_PATH, self.put)

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Tell all of them: which ones matter, the observer knows when a client asks."""
        caller = await self._authenticator.caller(
            request.headers.get("Authorization"), (SENDERS,), ("observer",), peer=request.remote
        )
        require(caller, "observer")
        if not caller.answers:
            raise ForbiddenError(
                "NotAnswering",
                "subscriptions are for observers that answer clients' telemetry, and no ObserverDeployment with"
                " telemetry Terminate acts in the namespace of this token",
            )
        subscriptions = self._configuration.cluster_subscriptions()
        return web.Response(body=subscriptions.model_dump_json().encode(), content_type="application/json")

    async def put(self, request: web.Request) -> web.StreamResponse:
        """Take them for the newest here and at every other replica; with their next answer observers learn of them.

        Their hash is computed here: it names what was understood.
        """

        def remember(told: ClusterSubscriptions) -> None:
            self._configuration.tell_subscriptions(told.subscriptions)

        return await self._told.take(request, _MOST, ClusterSubscriptions, remember)
