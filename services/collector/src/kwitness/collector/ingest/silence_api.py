"""GET /v1/silent: who does not push and why; observers are asked for what they have open."""

from __future__ import annotations

import asyncio
from typing import Final

from aiohttp import web

from kwitness.collector.configuration import Configuration
from kwitness.collector.ingest.authentication import Authenticator
from kwitness.collector.ingest.reading import (
    Asker,
    answer,
    asks_for_part,
    find_asker,
    others_parts,
    refuse_unknown_parameters,
)
from kwitness.collector.inventory.silence import silent_clients
from kwitness.collector.inventory.silence_part import SilencePart, silence_part
from kwitness.collector.inventory.visible import Visible
from kwitness.collector.observation import Observation
from kwitness.collector.peers import Peers
from kwitness.collector.pipeline import Pipeline, now_ms
from kwitness.contracts.endpoints import SILENT_PATH
from kwitness.contracts.reader_rights import ReaderScope

_PARAMETERS: Final = ("ours", "proven", "local")
_LISTED_S: Final = 6.0
"""Observers list their connections with their next heartbeat, within five seconds."""


class SilenceApi:
    """The handler of the one path."""

    def __init__(
        self,
        pipeline: Pipeline,
        observation: Observation,
        authenticator: Authenticator,
        peers: Peers,
        configuration: Configuration,
    ) -> None:
        self._pipeline = pipeline
        self._state = pipeline.state
        self._observation = observation
        self._authenticator = authenticator
        self._peers = peers
        self._configuration = configuration

    def add_to(self, application: web.Application) -> None:
        """Add the route."""
        application.router.add_get(SILENT_PATH, self.silent)

    async def silent(self, request: web.Request) -> web.StreamResponse:
        """Answer who is silent; what observers have open is waited for, the first time that somebody asks."""
        asker = await find_asker(request, self._authenticator)
        refuse_unknown_parameters(request, _PARAMETERS)
        is_proven = request.query.get("proven") == "true"
        if asker.is_local and asks_for_part(request):
            return answer(self._part(asker.scope, is_proven=is_proven))
        parts, missing = await self._parts(request, asker, is_proven=is_proven)
        if any(one.awaited for one in parts):
            await asyncio.sleep(_LISTED_S)
            parts, missing = await self._parts(request, asker, is_proven=is_proven)
        ours = request.query.get("ours") == "true"
        subscriptions = self._configuration.subscriptions()
        return answer(silent_clients(parts, subscriptions, missing, ours=ours, scope=asker.scope, is_proven=is_proven))

    async def _parts(
        self, request: web.Request, asker: Asker, *, is_proven: bool
    ) -> tuple[list[SilencePart], tuple[int, ...]]:
        own = self._part(asker.scope, is_proven=is_proven)
        if asker.is_local:
            return [own], ()
        others = await others_parts(request, self._peers, SilencePart, asker.scope)
        return [own, *others.parts], others.missing

    def _part(self, scope: ReaderScope | None, *, is_proven: bool) -> SilencePart:
        visible = Visible(scope, self._configuration.owners())
        cluster_id, now, observation = self._configuration.current().cluster_id, now_ms(), self._observation
        registry, observers = observation.registry, observation.observers
        registry.ask(now)
        treated, listed = self._pipeline.privacy.connection, registry.open(cluster_id, observers, visible.connection)
        return silence_part(
            self._state.clients,
            self._state.brokers,
            ((treated(connection), namespace) for connection, namespace in listed),
            registry.awaited(cluster_id, observers, now),
            cluster_id,
            shows=visible.client,
            is_proven=is_proven,
        )
