"""The connections of one HTTP listener: bounded in number, and each with a deadline while its sender owes something.

aiohttp limits neither, and asyncio's listening loop counts a connection only after its TLS handshake, so connections
are accepted here. What is bounded: the handshake, the wait for a request's headers, the time between two requests,
and the whole of a request (a sender that does not read its answer).
"""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import ssl
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

_LOG = logging.getLogger(__name__)
MAX_CONNECTIONS: Final = 1_024
"""Per listener. Brokers hold one each; beyond it, the one that has been silent the longest gives way."""
IDLE_S: Final = 75.0
"""Between two requests of one connection."""
REQUEST_S: Final = 120.0
"""From a request's headers to the end of its answer: the body's 30 s, Kafka's and another replica's time, and slack."""
_SWEEP_S: Final = 1.0
_BACKLOG: Final = 1_024
_PAUSE_S: Final = 0.2
_DESCRIPTORS: Final = 16_384


@dataclass(frozen=True, slots=True)
class _Deadline:
    """When a connection (or a handshake) is ended, by the monotonic clock, and how."""

    at: float
    end: Callable[[], object]
    peer: str


class Connections:
    """Accepts and ends the connections of a server, whose requests run within `serving`.

    Parameters
    ----------
    silent_s
        Seconds for the TLS handshake, and again until the headers of the first request are complete.
    limit
        How many connections there may be.
    limit_of_peer
        How many of one address; None where addresses say nothing, as behind a load balancer.
    """

    def __init__(self, silent_s: float, limit: int = MAX_CONNECTIONS, limit_of_peer: int | None = None) -> None:
        self._silent_s = silent_s
        self._limit = limit
        self._limit_of_peer = limit_of_peer
        # In the order in which they fell silent, the longest first.
        self._silent: dict[object, _Deadline] = {}
        self._busy: dict[object, _Deadline] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._socket: socket.socket | None = None

    def __len__(self) -> int:
        return len(self._silent) + len(self._busy)

    def listen(self, server: web.Server, host: str, port: int, context: ssl.SSLContext | None) -> None:
        """Accept connections on ``host:port`` and give them to ``server``; raises OSError."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        self._socket.setblocking(False)
        self._keep(self._accept(self._socket, server, context))
        self._keep(self._watch())

    async def close(self) -> None:
        """Stop listening; connections that are open stay so."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._socket is not None:
            self._socket.close()

    @contextmanager
    def serving(self, protocol: RequestHandler) -> Iterator[None]:
        """Hold for a request, from its headers to its answer."""
        self._silent.pop(protocol, None)
        peer = peer_of(protocol.transport)
        self._busy[protocol] = _deadline(protocol, REQUEST_S, peer)
        try:
            yield
        finally:
            del self._busy[protocol]
            self._silent[protocol] = _deadline(protocol, IDLE_S, peer)

    def _keep(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _accept(self, listening: socket.socket, server: web.Server, context: ssl.SSLContext | None) -> None:
        loop = asyncio.get_running_loop()
        failed_with: int | None = None
        while True:
            try:
                accepted, (peer, *_) = await loop.sock_accept(listening)
            except OSError as error:
                # Mostly: no file descriptor is left. New connections are preferred to idle ones.
                if failed_with != error.errno:
                    _LOG.warning("cannot accept a connection", extra={"detail": error.strerror})
                failed_with = error.errno
                await asyncio.sleep(0 if self._make_room() else _PAUSE_S)
                continue
            failed_with = None
            if not self._has_room(peer):
                accepted.close()
                continue
            task = self._keep(self._open(accepted, peer, server, context))
            self._silent[accepted] = _Deadline(time.monotonic() + self._silent_s, task.cancel, peer)

    async def _open(
        self, accepted: socket.socket, peer: str, server: web.Server, context: ssl.SSLContext | None
    ) -> None:
        try:
            _, protocol = await asyncio.get_running_loop().connect_accepted_socket(server, accepted, ssl=context)
        except OSError:  # TLS that was not understood is one, too
            return
        finally:
            self._silent.pop(accepted, None)
        if protocol not in self._busy:  # its first request may have come with the end of the handshake
            self._silent.setdefault(protocol, _deadline(protocol, self._silent_s, peer))

    def _has_room(self, peer: str) -> bool:
        """Return whether there is room for a connection of this address; another may be ended for it."""
        if self._limit_of_peer is not None:
            own = sum(each.peer == peer for each in (*self._silent.values(), *self._busy.values()))
            if own >= self._limit_of_peer and not self._make_room(peer):
                return False
        return len(self) < self._limit or self._make_room()

    def _make_room(self, peer: str | None = None) -> bool:
        """End the connection (of one address) that has been silent the longest; False when all are at work."""
        longest = next((key for key, deadline in self._silent.items() if peer in (None, deadline.peer)), None)
        if longest is None:
            return False
        self._silent.pop(longest).end()
        return True

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_S)
            self._sweep()

    def _sweep(self) -> None:
        now = time.monotonic()
        for key, deadline in list(self._silent.items()):
            if deadline.at <= now or (isinstance(key, RequestHandler) and key.transport is None):
                del self._silent[key]
                deadline.end()
        for deadline in self._busy.values():
            if deadline.at <= now:
                deadline.end()


def peer_of(transport: asyncio.BaseTransport | None) -> str:
    """Return the address at the other end; empty once it has gone."""
    name = transport.get_extra_info("peername") if transport is not None else None
    return str(name[0]) if name else ""


def _deadline(protocol: RequestHandler, seconds: float, peer: str) -> _Deadline:
    def end() -> None:
        if protocol.transport is not None:
            protocol.transport.abort()

    return _Deadline(time.monotonic() + seconds, end, peer)


def allow_descriptors() -> None:
    """Raise the process's limit of file descriptors where it is low: all connections have to fit, and then files."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, min(most, _DESCRIPTORS)), most))
