"""GET /v1/connections: any replica answers for all, and has observers list what they have open."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from kwitness.collector.configuration import Configuration
from kwitness.collector.ingest.authentication import Authenticator
from kwitness.collector.ingest.reading import (
    NOBODY,
    answer_page,
    asks_for_part,
    find_asker,
    part_answer,
    read_others,
    read_question,
)
from kwitness.collector.inventory.connection_report import (
    ConnectionItems,
    ConnectionsHead,
    connections_part,
    newest_answers,
)
from kwitness.collector.inventory.counted_values import counted_values, merge_counted
from kwitness.collector.inventory.parts import Part, read_part
from kwitness.collector.observation import Observation
from kwitness.collector.peers import Peers
from kwitness.collector.pipeline import now_ms
from kwitness.contracts.endpoints import CONNECTIONS_PATH
from kwitness.contracts.nouns import CONNECTIONS


class ConnectionsApi:
    """The handler of the one path."""

    def __init__(
        self, observation: Observation, authenticator: Authenticator, peers: Peers, configuration: Configuration
    ) -> None:
        self._observation = observation
        self._authenticator = authenticator
        self._peers = peers
        self._configuration = configuration

    def add_to(self, application: web.Application) -> None:
        """Add the route."""
        application.router.add_get(CONNECTIONS_PATH, self.connections)

    async def connections(self, request: web.Request) -> web.StreamResponse:
        """Answer a page of open connections, by the question's order, else by observer and age."""
        local, scope = await find_asker(request, self._authenticator)
        question = read_question(request, CONNECTIONS)
        now, observation = now_ms(), self._observation
        observation.registry.ask(now)
        items = ConnectionItems(self._configuration.owners(), question, scope)
        own = await connections_part(observation.registry, observation.observers, items, question, now)
        totals = (observation.totals, observation.interception.totals)
        counted = await counted_values(totals, items, question, now)
        own = Part(own.head.model_copy(update={"counted": counted}), own.rows)
        if local and asks_for_part(request):
            return part_answer(own)
        read = partial(read_part, head=ConnectionsHead)
        others = NOBODY if local else await read_others(request, self._peers, read, scope)
        parts = [own, *others.parts]
        known: dict[str, object] = {
            "observers": newest_answers(part.head for part in parts),
            "missing": others.missing,
            "scope": scope,
            "awaited": any(part.head.awaited for part in parts) if scope else None,
            "incomplete": any(part.head.incomplete for part in parts) if scope else None,
            "counted": merge_counted(part.head.counted for part in parts),
        }
        return await answer_page(request, question, parts, known)
