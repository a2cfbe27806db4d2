"""Answers with series of Prometheus: pages of their own, which other pages load after they are shown."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from aiohttp import web

from kwitness.console.door import READER
from kwitness.console.handlers import Handlers
from kwitness.console.index.assembly import Assembly
from kwitness.console.pages.page import Page
from kwitness.console.pages.series import SERIES_PAGES, Queried, series_values
from kwitness.console.pages.series_queries import CHARTS, Chart, query_of
from kwitness.console.rows.names import name_of
from kwitness.console.rows.series import is_known, proven_namespaces
from kwitness.console.sources.prometheus import POINTS, STEP_S, Prometheus

__all__ = ["SeriesRoutes"]

_NOT_CONFIGURED: Final = (
    "No Prometheus is configured: start the console with --prometheus URL, or set the Helm value console.prometheus"
)
_UNKNOWN: Final = "No source knows this name now, so its series are not read: go to a client or topic of the fleet"


class _Chosen(NamedTuple):
    name: str
    charts: Sequence[Chart]
    queries: Sequence[str]


class SeriesRoutes:
    """The pages of series.

    Parameters
    ----------
    url
        Address of Prometheus; None if an installation has none.
    """

    def __init__(self, handlers: Handlers, assembly: Assembly, url: str | None) -> None:
        self._handlers = handlers
        self._assembly = assembly
        self._prometheus = Prometheus(url) if url else None

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of clients' and topics' series."""
        return [web.get(page.route, functools.partial(self._show, label, page)) for label, page in SERIES_PAGES.items()]

    async def _show(self, label: str, page: Page, request: web.Request) -> web.Response:
        text = unquote(request.rel_url.raw_path.removeprefix(f"{page.path}/"))
        chosen = await asyncio.to_thread(self._chosen, label, text, request)
        end_s = int(time.time()) // STEP_S * STEP_S
        problem = ""
        if self._prometheus is None:
            problem, chosen = _NOT_CONFIGURED, chosen._replace(charts=(), queries=())
        elif not chosen.queries:
            problem = _UNKNOWN
        answers = await self._prometheus.read(chosen.queries, end_s) if self._prometheus and chosen.queries else []
        queried = [Queried(*item) for item in zip(chosen.charts, chosen.queries, answers, strict=True)]
        times = [end_s - (POINTS - 1 - place) * STEP_S for place in range(POINTS)]
        values = series_values((label, chosen.name), queried, problem, times)
        return await self._handlers.show(page, request, lambda _: values)

    def _chosen(self, label: str, text: str, request: web.Request) -> _Chosen:
        """Return the queries of a name that the reader may see; none of any other."""
        reader = request[READER]
        with self._assembly.readers.seen_by(reader) as seen:
            table = "topics" if label == "topic" else "members"
            name = name_of(seen.database, text, label, table)
            if not is_known(seen.database, label, name):
                return _Chosen(name, (), ())
            namespaces = None if reader.sees_all else proven_namespaces(seen.database, label, name)
        charts = [chart for chart in CHARTS[label] if reader.sees_all or not chart.is_for_all]
        return _Chosen(name, charts, [query_of(chart, (label, name), namespaces) for chart in charts])
