"""GET /v1/traffic and GET /v1/groups: any replica answers for all, from observers' last windows."""

from __future__ import annotations

from aiohttp import web

from kwitness.collector.configuration import Configuration
from kwitness.collector.ingest.authentication import Authenticator
from kwitness.collector.ingest.reading import (
    NOBODY,
    answer,
    answer_items,
    asks_for_part,
    find_asker,
    others_parts,
    read_question,
)
from kwitness.collector.inventory.recent_rewinds import RecentRewinds
from kwitness.collector.inventory.recent_windows import RecentWindows
from kwitness.collector.inventory.window_tables import GROUP_TABLE, TRAFFIC_TABLE, Table
from kwitness.collector.inventory.windows_page import windows_page
from kwitness.collector.inventory.windows_part import WindowsPart, windows_part
from kwitness.collector.inventory.windows_question import WindowsQuestion
from kwitness.collector.peers import Peers
from kwitness.collector.pipeline import now_ms


class WindowsApi:
    """Handlers of the two paths."""

    def __init__(
        self,
        windows: RecentWindows,
        rewinds: RecentRewinds,
        authenticator: Authenticator,
        peers: Peers,
        configuration: Configuration,
    ) -> None:
        self._windows = windows
        self._rewinds = rewinds
        self._authenticator = authenticator
        self._peers = peers
        self._configuration = configuration

    def add_to(self, application: web.Application) -> None:
        """Add the routes."""
        application.router.add_get(TRAFFIC_TABLE.noun.path, self.traffic)
        application.router.add_get(GROUP_TABLE.noun.path, self.groups)

    async def traffic(self, request: web.Request) -> web.StreamResponse:
        """Answer requests of clients, to topics and in all."""
        return await self._answer(request, TRAFFIC_TABLE)

    async def groups(self, request: web.Request) -> web.StreamResponse:
        """Answer committed lags."""
        return await self._answer(request, GROUP_TABLE)

    async def _answer(self, request: web.Request, table: Table) -> web.StreamResponse:
        local, scope = await find_asker(request, self._authenticator)
        question = WindowsQuestion(table, read_question(request, table.noun), self._configuration.owners(), scope)
        own = await windows_part(self._windows, self._rewinds, question, now_ms())
        if local and asks_for_part(request):
            return answer(own)
        others = NOBODY if local else await others_parts(request, self._peers, WindowsPart, scope)
        page = await windows_page(question, (own, *others.parts), others.missing)
        return await answer_items(request, page.items, page.known)
