"""PUT of directives: the operator tells observers or interceptors what to do before the mounted file says so."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from kwitness.collector.ingest.told_bodies import Told
from kwitness.collector.inventory.directives import DirectiveTable
from kwitness.contracts.envelopes import ResourceDirectives

_MOST: Final = 128 * 1_024


class DirectivesApi:
    """The handler of one path, that of observers or that of interceptors."""

    def __init__(self, path: str, directives: DirectiveTable, told: Told) -> None:
        self._path = path
        self._directives = directives
        self._told = told

    def add_to(self, application: web.Application) -> None:
        """Add the route."""
        application.router.add_put(self._path, self.put)

    async def put(self, request: web.Request) -> web.StreamResponse:
        """Remember them here and at every other replica, since any may own a pod."""

        def remember(directives: ResourceDirectives) -> None:
            self._directives.put(request.match_info["namespace"], request.match_info["name"], directives)

        return await self._told.take(request, _MOST, ResourceDirectives, remember)
