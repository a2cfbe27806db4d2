"""Answers requests with pages, each made on a thread of its own from the index alone."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote

from aiohttp import web

from kwitness.console.index.assembly import Assembly
from kwitness.console.index.database import Database
from kwitness.console.pages import elsewhere
from kwitness.console.pages.addresses import PAGE_ROWS
from kwitness.console.pages.clients import client_named, name_of
from kwitness.console.pages.fleet import (
    DEFAULT_ORDER,
    FLEET_ORDERS,
    FleetView,
    choices,
    fleet_rows,
    totals,
    unnamed,
)
from kwitness.console.pages.templates import THEMES, Templates
from kwitness.console.pages.topics import (
    TOPICS_ORDER,
    TOPICS_ORDERS,
    TopicsView,
    groups_of,
    topic_clients,
    topic_named,
    topic_rows,
)
from kwitness.console.sources.source import Source

__all__ = ["Handlers"]

_THEME_COOKIE: Final = "kwitness-theme"
_YEAR_S: Final = 365 * 86_400
_BACK: Final = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")
"""An address within the console; a backslash would begin one of another site."""
_TOPIC: Final = "/topics/"
_CLIENT: Final = "/clients/"
_TOPIC_SOURCES: Final = ("traffic", "groups")
_CLIENT_SOURCES: Final = ("clients", "silent", "connections", "traffic", "groups")
_FLEET_SOURCES: Final = ("clients", "silent", "connections", "traffic", "reporters")


class Handlers:
    """The pages of one collector.

    Parameters
    ----------
    collector
        Its name, as pages show it.
    """

    def __init__(
        self,
        database: Database,
        sources: Mapping[str, Source],
        assembly: Assembly,
        templates: Templates,
        *,
        collector: str,
    ) -> None:
        self._assembly = assembly
        self._database = database
        self._sources = sources
        self._templates = templates
        self._collector = collector

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of all pages."""
        return (
            web.get("/", self.fleet),
            web.get("/topics", self.topics),
            web.get(f"{_TOPIC}{{name:.+}}", self.topic),
            web.get(f"{_CLIENT}{{name:.+}}", self.client),
            web.post("/theme", self.theme),
        )

    async def fleet(self, request: web.Request) -> web.Response:
        """Show who the clients are."""
        view = FleetView.read(request.query, orders=FLEET_ORDERS)

        def values() -> dict[str, Any]:
            without_name = unnamed(self._database)
            [observers] = self._database.rows("SELECT number FROM observers")
            return {
                "view": view,
                "default": DEFAULT_ORDER,
                "window": fleet_rows(self._database, view),
                "totals": totals(self._database, view),
                "unnamed": [] if view.is_filtered else without_name,
                "unnamed_connections": 0 if view.is_filtered else sum(row["connections"] for row in without_name),
                "choices": choices(self._database),
                "observers": observers["number"],
                "lines": elsewhere.of_fleet(view),
            }

        return await self._page(request, "fleet.html", "fleet", _FLEET_SOURCES, values)

    async def topics(self, request: web.Request) -> web.Response:
        """Show topics with their writers and readers."""
        view = TopicsView.read(request.query, orders=TOPICS_ORDERS)

        def values() -> dict[str, Any]:
            [observers] = self._database.rows("SELECT number FROM observers")
            return {
                "view": view,
                "default": TOPICS_ORDER,
                "window": topic_rows(self._database, view),
                "observers": observers["number"],
                "lines": elsewhere.of_topics(),
            }

        return await self._page(request, "topics.html", "topics", _TOPIC_SOURCES, values)

    async def topic(self, request: web.Request) -> web.Response:
        """Show who writes and reads one topic."""
        text = name_in(request, _TOPIC)

        def values() -> dict[str, Any]:
            topic = name_of(self._database, text, "topic", "traffic")
            return {
                "topic": topic,
                "row": topic_named(self._database, topic),
                "clients": topic_clients(self._database, topic),
                "groups": groups_of(self._database, topic),
                "page_rows": PAGE_ROWS,
                "lines": elsewhere.of_topic(topic),
            }

        return await self._page(request, "topic.html", "topics", _TOPIC_SOURCES, values)

    async def client(self, request: web.Request) -> web.Response:
        """Show what is known of one client id."""
        text = name_in(request, _CLIENT)
        pushes_as_of_ms = self._sources["clients"].as_of_ms or 0

        def values() -> dict[str, Any]:
            name = name_of(self._database, text)
            known = client_named(self._database, name, pushes_as_of_ms)
            software = {(row["client_software_name"], row["client_software_version"]) for row in known.identities}
            return {
                "name": name,
                "client": known,
                "software": sorted((label or "", version or "") for label, version in software),
                "lines": elsewhere.of_client(name),
            }

        return await self._page(request, "client.html", "fleet", _CLIENT_SOURCES, values)

    async def theme(self, request: web.Request) -> web.Response:
        """Keep which colours are shown, and return to the page."""
        form = await request.post()
        theme, back = form.get("theme"), form.get("back")
        is_inside = isinstance(back, str) and _BACK.fullmatch(back) is not None
        response = web.Response(status=303, headers={"Location": str(back) if is_inside else "/"})
        if isinstance(theme, str) and theme in THEMES:
            response.set_cookie(_THEME_COOKIE, theme, max_age=_YEAR_S, httponly=True, samesite="Strict", path="/")
        return response

    async def _page(
        self,
        request: web.Request,
        template: str,
        section: str,
        used: Sequence[str],
        values: Callable[[], dict[str, Any]],
    ) -> web.Response:
        began = time.perf_counter()
        sources = [self._sources[name] for name in used]
        theme = request.cookies.get(_THEME_COOKIE, "")

        def render() -> str:
            return self._templates.page(
                template,
                **values(),
                section=section,
                theme=theme if theme in THEMES else THEMES[0],
                address=request.rel_url.raw_path_qs,
                collector=self._collector,
                sources=self._sources,
                index_problem=self._assembly.problem,
                used=sources,
                is_loading=any(source.state == "loading" for source in sources) or not self._assembly.is_made,
                is_unread=any(source.problem is not None and source.as_of_ms is None for source in sources),
                now_ms=int(time.time() * 1000),
            )

        text = await asyncio.to_thread(render)
        response = web.Response(text=text, content_type="text/html")
        response.headers["Server-Timing"] = f"page;dur={(time.perf_counter() - began) * 1000:.1f}"
        response.enable_compression()
        return response


def name_in(request: web.Request, prefix: str) -> str:
    """Return the name that follows a prefix in the path, with all its characters."""
    return unquote(request.rel_url.raw_path.removeprefix(prefix))
