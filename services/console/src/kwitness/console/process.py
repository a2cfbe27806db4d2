"""Runs the console: sources in tasks of their own, and the pages, on loopback or as the listener of a pod has them."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import signal
import socket
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Middleware
from typing_extensions import override

from kwitness.answers.failure import CommandFailedError
from kwitness.console.answers import Answers
from kwitness.console.backends import Backends
from kwitness.console.door import Door, Guard
from kwitness.console.handlers import Handlers
from kwitness.console.index.assembly import Assembly
from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database
from kwitness.console.index.namespaces import known_namespaces
from kwitness.console.index.past_hours import PastHours
from kwitness.console.index.processor_share import ProcessorShare
from kwitness.console.kept import kept_routes
from kwitness.console.pages.templates import Templates
from kwitness.console.past_requests import PastRequests
from kwitness.console.series_routes import SeriesRoutes
from kwitness.console.sources.collector_sources import collector_sources
from kwitness.console.sources.found_tables import FoundTable, tables_in_folder, tables_of_resources
from kwitness.console.sources.kubernetes import kubernetes_sources
from kwitness.console.sources.past_source import PastSource
from kwitness.console.sources.source import SourceState
from kwitness.console.sources.tables import TableSources
from kwitness.console.static_files import static_route
from kwitness.console.writing.subscription_writing import SubscriptionWriting
from kwitness.console.writing.writers import Writers

__all__ = ["AbandonedThreads", "Console"]

_HOST: Final = "127.0.0.1"


class Console:
    """The console of one collector."""

    def __init__(self, backends: Backends, *, port: int = 0) -> None:
        self._backends = backends
        self._port = port
        self._database = new_index()
        self.templates = Templates()
        self.assembly = Assembly(self._database)
        tables = TableSources(_places(backends, self._database), self._database, self.assembly.request)
        self.sources = {
            **collector_sources(backends.collector, self._database, self.assembly.request),
            **kubernetes_sources(backends, self._database, self.assembly.request),
            "tables": tables.source,
        }
        self._hours = PastHours(self._database)
        self.past = PastSource(self._hours, tables)
        self._states: dict[str, SourceState] = {**self.sources, **tables.states}

    def namespaces(self) -> Collection[str]:
        """Return the namespaces that the index knows, now and in its hours of the past."""
        return {*known_namespaces(self._database), *self._hours.namespaces()}

    async def run(self, opened: Callable[[Door], None]) -> None:
        """Serve pages until a signal ends the process.

        Parameters
        ----------
        opened
            Called once, when pages are served.

        Raises
        ------
        CommandFailedError
            The port is in use.
        """
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.set_default_executor(AbandonedThreads())
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopped.set)
        async with self.served() as door:
            opened(door)
            tasks = [asyncio.create_task(work) for work in self.works()]
            stop = asyncio.create_task(stopped.wait())
            done, _ = await asyncio.wait([stop, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in (stop, *tasks):
                task.cancel()
            for task in done - {stop}:
                task.result()

    def works(self) -> list[Coroutine[None, None, None]]:
        """Return what runs beside requests."""
        share = ProcessorShare([*self.sources.values(), self.assembly])
        sources = (source.read_forever(share) for source in self.sources.values())
        return [*sources, self.assembly.make_forever(share), self.past.read_forever()]

    def application(self, door: Guard, *, log: str, outermost: Sequence[Middleware] = ()) -> web.Application:
        """Return the application behind a door.

        Parameters
        ----------
        log
            The place that has the errors of pages, as a sentence names it.
        outermost
            What sees all requests and answers.
        """
        handlers = Handlers(
            self._states,
            self.assembly,
            self.templates,
            PastRequests(self._hours, self.past),
            collector=f"collector {self._backends.collector.name}",
        )
        app = web.Application(middlewares=[*outermost, Answers(self.templates, log=log).complete, door.guard])
        writers = Writers(self._backends.cluster, is_own=isinstance(door, Door))
        writing = SubscriptionWriting(handlers, writers, self.sources.get("resources"))
        series = SeriesRoutes(handlers, self.assembly, self._backends.prometheus)
        app.router.add_routes([*writing.routes(), *handlers.routes(), *kept_routes(), *series.routes(), static_route()])
        return app

    @contextlib.asynccontextmanager
    async def served(self) -> AsyncIterator[Door]:
        """Serve pages on loopback until the block ends."""
        # The door needs the port, and the application its door before it is bound.
        listening = _bound(self._port)
        door = Door(listening.getsockname()[1])
        runner = web.AppRunner(self.application(door, log="terminal of kwitness console"), access_log=None)
        await runner.setup()
        await web.SockSite(runner, listening).start()
        try:
            yield door
        finally:
            await runner.cleanup()
            self._database.close()


def _places(backends: Backends, database: Database) -> list[Callable[[], list[FoundTable]]]:
    """Return what finds tables of analyses."""
    places: list[Callable[[], list[FoundTable]]] = []
    if backends.tables is not None:
        places.append(functools.partial(tables_in_folder, backends.tables))
    if backends.cluster is not None:
        places.append(functools.partial(tables_of_resources, database))
    return places


class AbandonedThreads(ThreadPoolExecutor):
    """Threads that nothing waits for at the end: one may wait for a collector that does not answer."""

    @override
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Begin nothing more."""
        super().shutdown(wait=False, cancel_futures=True)


def _bound(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_HOST, port))
    except OSError as error:
        listening.close()
        raise CommandFailedError(
            f"port {port} of {_HOST} cannot be used ({error.strerror}): choose another one with --port"
        ) from error
    return listening
