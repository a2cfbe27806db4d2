"""GET /v1/connections: any replica answers for all, and has observers list what they have open."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from kwitness.collector.ingest.authentication import Authenticator
from kwitness.collector.ingest.reading import (
    answer,
    asks_for_part,
    asks_locally,
    others_parts,
    page_limit,
    refuse_unknown_parameters,
)
from kwitness.collector.inventory.connection_registry import FILTERS, ConnectionPart, merge
from kwitness.collector.observation import Observation
from kwitness.collector.peers import Peers
from kwitness.collector.pipeline import now_ms
from kwitness.contracts.endpoints import CONNECTIONS_PATH

_PARAMETERS: Final = (*FILTERS, "limit", "continue", "local")


class ConnectionsApi:
    """The handler of the one path."""

    def __init__(self, observation: Observation, authenticator: Authenticator, peers: Peers) -> None:
        self._observation = observation
        self._authenticator = authenticator
        self._peers = peers

    def add_to(self, application: web.Application) -> None:
        """Add the route."""
        application.router.add_get(CONNECTIONS_PATH, self.connections)

    async def connections(self, request: web.Request) -> web.StreamResponse:
        """Answer a page of open connections, sorted by observer and age."""
        local = await asks_locally(request, self._authenticator)
        refuse_unknown_parameters(request, _PARAMETERS)
        limit = page_limit(request)
        wanted = {key: request.query[key] for key in FILTERS if key in request.query}
        now, observation = now_ms(), self._observation
        observation.registry.ask(now)
        after = request.query.get("continue", "")
        own = observation.registry.part(observation.observers, wanted, limit, after, now)
        if local:
            return answer(own if asks_for_part(request) else merge([own], limit, ()))
        others = await others_parts(request, self._peers, ConnectionPart)
        return answer(merge([own, *others.parts], limit, others.missing))
