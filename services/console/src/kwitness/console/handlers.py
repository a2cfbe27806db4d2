"""Answers requests with pages, each made on a thread of its own from the index alone."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from aiohttp import web

from kwitness.console.door import READER, inner_address
from kwitness.console.index.assembly import Assembly
from kwitness.console.index.database import IndexFullError
from kwitness.console.pages.all_pages import GROUPS, PAGES
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.preferences import PREFERENCES, preferred
from kwitness.console.pages.templates import Templates
from kwitness.console.sources.shown_sources import shown_source
from kwitness.console.sources.source import Source

__all__ = ["Handlers"]

_YEAR_S: Final = 365 * 86_400


class Handlers:
    """The pages of one collector.

    Parameters
    ----------
    collector
        Its name, as pages show it.
    """

    def __init__(
        self,
        sources: Mapping[str, Source],
        assembly: Assembly,
        templates: Templates,
        *,
        collector: str,
    ) -> None:
        self._assembly = assembly
        self._sources = sources
        self._templates = templates
        self._collector = collector

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of all pages."""
        return (
            *(web.get(page.route, functools.partial(self._show, page)) for page in PAGES),
            web.post("/preferences", self._keep_preferences),
        )

    async def _keep_preferences(self, request: web.Request) -> web.Response:
        """Keep what a form prefers, and return to its page."""
        form = await request.post()
        response = web.Response(status=303, headers={"Location": inner_address(form.get("back"))})
        for preference in PREFERENCES:
            value = form.get(preference.name)
            if isinstance(value, str) and value in preference.values:
                cookie = preference.cookie
                response.set_cookie(cookie, value, max_age=_YEAR_S, httponly=True, samesite="Strict", path="/")
        return response

    async def _show(self, page: Page, request: web.Request) -> web.Response:
        began = time.perf_counter()
        try:
            text = await asyncio.to_thread(self._render, page, request)
        except IndexFullError as error:
            raise web.HTTPServiceUnavailable from error
        response = web.Response(text=text, content_type="text/html")
        response.headers["Server-Timing"] = f"page;dur={(time.perf_counter() - began) * 1000:.1f}"
        response.enable_compression()
        return response

    def _render(self, page: Page, request: web.Request) -> str:
        """Make a page of the rows that its reader may see."""
        reader = request[READER]
        sources = {key: shown_source(source, reader) for key, source in self._sources.items()}
        used = [sources[key] for key in page.sources if key in sources]
        with self._assembly.readers.seen_by(reader) as seen:
            requested = Requested(
                database=seen.database,
                query=request.query,
                name=_name_in(request, page),
                read_ms={key: source.as_of_ms or 0 for key, source in sources.items()},
                now_ms=int(time.time() * 1000),
            )
            return self._templates.page(
                page.template,
                **page.values(requested),
                section=page.section,
                navigation=[group for group in GROUPS if group.pages],
                preferred=preferred(request.cookies),
                address=request.rel_url.raw_path_qs,
                collector=self._collector,
                sources=sources,
                sees_all=reader.sees_all,
                hidden=seen.hidden,
                index_problem=self._assembly.problem or seen.problem,
                used=used,
                is_loading=any(source.state == "loading" for source in used) or not self._assembly.is_made,
                is_unread=any(source.problem is not None and source.as_of_ms is None for source in used),
                now_ms=requested.now_ms,
            )


def _name_in(request: web.Request, page: Page) -> str:
    """Return the name that follows a page's path, with all its characters."""
    return unquote(request.rel_url.raw_path.removeprefix(f"{page.path}/")) if page.is_named else ""
