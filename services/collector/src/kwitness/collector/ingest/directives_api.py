"""PUT of directives: the operator tells observers or interceptors what to do before the mounted file says so."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from kwitness.collector.ingest import bodies
from kwitness.collector.ingest.authentication import READERS, SENDERS, Authenticator, require
from kwitness.collector.ingest.told_bodies import read_told
from kwitness.collector.inventory.directives import DirectiveTable
from kwitness.collector.peers import FORWARDED, Peers
from kwitness.contracts.envelopes import Directives

_MOST: Final = 4_096


class DirectivesApi:
    """The handler of one path, that of observers or that of interceptors."""

    def __init__(
        self, path: str, directives: DirectiveTable, authenticator: Authenticator, peers: Peers, budget: bodies.Budget
    ) -> None:
        self._path = path
        self._directives = directives
        self._authenticator = authenticator
        self._peers = peers
        self._budget = budget

    def add_to(self, application: web.Application) -> None:
        """Add the route."""
        application.router.add_put(self._path, self.put)

    async def put(self, request: web.Request) -> web.StreamResponse:
        """Remember them here and at every other replica, since any may own a pod."""
        forwarded = request.headers.get(FORWARDED) == "1"
        purpose = SENDERS if forwarded else READERS
        caller = await self._authenticator.caller(request.headers.get("Authorization"), (purpose,))
        require(caller, "collector" if forwarded else "operator")
        body, directives = await read_told(request, self._budget, _MOST, Directives)
        self._directives.put(request.match_info["namespace"], request.match_info["name"], directives)
        if not forwarded:
            await self._peers.tell_all(request.url.raw_path, body)
        return web.json_response({})
