"""Answers requests with pages, each made on a thread of its own from the index alone."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import unquote

from aiohttp import web

from kwitness.console.door import READER, SIGN_OUT
from kwitness.console.index.assembly import Assembly
from kwitness.console.index.database import IndexFullError
from kwitness.console.index.past_hours import HourGoneError
from kwitness.console.index.reader_schemas import Seen
from kwitness.console.kept import seen_ms
from kwitness.console.pages.all_pages import GROUPS, PAGES
from kwitness.console.pages.page import Page, PageValues, Requested
from kwitness.console.pages.past import other_fields
from kwitness.console.pages.preferences import own_owner, preferred
from kwitness.console.pages.templates import Templates
from kwitness.console.past_requests import PastRequests, RequestedPast
from kwitness.console.sources.shown_sources import shown_source
from kwitness.console.sources.source import SourceState

__all__ = ["Handlers"]


class Handlers:
    """The pages of one collector.

    Parameters
    ----------
    past
        Finds hours of the past that requests choose.
    collector
        Its name, as pages show it.
    """

    def __init__(
        self,
        sources: Mapping[str, SourceState],
        assembly: Assembly,
        templates: Templates,
        past: PastRequests,
        *,
        collector: str,
    ) -> None:
        self._assembly = assembly
        self._sources = sources
        self._templates = templates
        self._past = past
        self._collector = collector

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of all pages."""
        return [web.get(page.route, functools.partial(self.show, page)) for page in PAGES]

    async def show(
        self, page: Page, request: web.Request, values: PageValues | None = None, *, status: int = 200
    ) -> web.Response:
        """Answer with a page.

        Parameters
        ----------
        values
            Returns what it shows, where that is not what the page itself selects.
        """
        if page.own_address is not None and not request.query_string and (owner := own_owner(request.cookies)):
            return web.Response(status=303, headers={"Location": page.own_address(owner)})
        began = time.perf_counter()
        past = self._past.requested(page, request)
        try:
            text = await asyncio.to_thread(self._render, page, request, values or page.values, past)
        except IndexFullError as error:
            raise web.HTTPServiceUnavailable from error
        kind = "text/csv" if _is_csv(page, request) else "text/html"
        response = web.Response(status=status, text=text, content_type=kind)
        if kind == "text/csv":
            response.headers["Content-Disposition"] = f'attachment; filename="{page.section}.csv"'
        response.headers["Server-Timing"] = f"page;dur={(time.perf_counter() - began) * 1000:.1f}"
        response.enable_compression()
        return response

    def _render(self, page: Page, request: web.Request, values: PageValues, past: RequestedPast | None) -> str:
        if past is not None:
            try:
                return self._page(page, request, values, past)
            except HourGoneError:
                past = past.while_waiting()
        return self._page(page, request, values, past)

    def _page(self, page: Page, request: web.Request, values: PageValues, past: RequestedPast | None) -> str:
        """Make a page of the rows that its reader may see."""
        reader = request[READER]
        sources = {key: shown_source(source, reader) for key, source in self._sources.items()}
        used = [sources[key] for key in page.sources if key in sources]
        template = page.template
        rows: AbstractContextManager[Seen] = self._assembly.readers.seen_by(reader)
        if past is not None:
            of_now = {key: sources[key] for key in page.past_sources if key in sources}
            sources = dict.fromkeys(sources, past.source) | of_now
            used = [past.source, *of_now.values()]
            if past.hour is None:
                template, values = "past.html", _no_values
            else:
                rows = self._past.seen_by(past.hour, reader)
        with rows as seen:
            requested = Requested(
                database=seen.database,
                query=request.query,
                name=_name_in(request, page),
                read_ms={key: source.as_of_ms or 0 for key, source in sources.items()},
                now_ms=int(time.time() * 1000),
                seen_ms=seen_ms(request.cookies),
                past=past.shown if past else None,
                own_owner=own_owner(request.cookies),
            )
            if page.csv is not None and _is_csv(page, request):
                return page.csv(requested)
            return self._templates.page(
                template,
                **values(requested),
                section=page.section,
                navigation=[group for group in GROUPS if group.pages],
                preferred=preferred(request.cookies),
                address=request.rel_url.raw_path_qs if request.method == "GET" else page.path,
                collector=self._collector,
                sources=sources,
                sees_all=reader.sees_all,
                reader=reader.name,
                sign_out_path=request.get(SIGN_OUT),
                hidden=seen.hidden,
                index_problem=None if past else self._assembly.problem or seen.problem,
                used=used,
                is_loading=any(source.state == "loading" for source in used)
                or (past is None and not self._assembly.is_made),
                is_unread=any(source.problem is not None and source.as_of_ms is None for source in used),
                now_ms=requested.now_ms,
                **_of_past(page, request, past),
            )


def _no_values(_: Requested) -> dict[str, Any]:
    """Return nothing, for the page of an hour without rows."""
    return {}


def _of_past(page: Page, request: web.Request, past: RequestedPast | None) -> dict[str, Any]:
    """Return what all pages show of an hour, and of the field that chooses one."""
    shown = {"past": past.shown, "kept": past.shown.kept} if past else {}
    fields = {"path": request.rel_url.raw_path, "fields": other_fields(request.query)}
    return {**shown, "other_hours": fields if page.has_past else None, "page_title": page.title}


def _is_csv(page: Page, request: web.Request) -> bool:
    return page.csv is not None and request.query.get("format") == "csv"


def _name_in(request: web.Request, page: Page) -> str:
    """Return the name that follows a page's path, with all its characters."""
    return unquote(request.rel_url.raw_path.removeprefix(f"{page.path}/")) if page.is_named else ""
