"""Stands between two sides of TCP connections, passes all on, and keeps what passed."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import functools
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from typing_extensions import override

CHUNK_BYTES = 64 << 10
Address = tuple[str, int]


class Side(enum.Enum):
    """Of a connection."""

    CLIENT = "client"
    BROKER = "broker"


@dataclass(eq=False, repr=False)
class Recording:
    """All bytes of one connection."""

    chunks: list[tuple[Side, bytes]] = field(default_factory=list)
    """In the order in which they came."""
    is_open: bool = True

    @property
    def asked(self) -> bytes:
        """What came from the side that opened it."""
        return self.of(Side.CLIENT)

    @property
    def answered(self) -> bytes:
        """What came from the other side."""
        return self.of(Side.BROKER)

    def of(self, side: Side) -> bytes:
        """All that came from one side."""
        return b"".join(chunk for came, chunk in self.chunks if came is side)

    @override
    def __repr__(self) -> str:
        state = "open" if self.is_open else "ended"
        return f"<{state}, {len(self.asked)} and {len(self.answered)} bytes, first {self.asked[:60]!r}>"


class Tap:
    """Listens at addresses and passes each connection on to another; use as a context manager.

    The end of one side is passed on as an end, never as a reset, and the other side is read to its own end even if
    nobody is there any more to get it: what is recorded on two taps in a row is the same if what is between them
    changes nothing.

    Parameters
    ----------
    routes
        Where to pass on what comes at each address.
    """

    def __init__(self, routes: Mapping[Address, Address]) -> None:
        self._routes = dict(routes)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._recordings: list[Recording] = []
        # The event loop alone holds no connection of which one side has ended.
        self._passing: set[asyncio.Task[None]] = set()

    @property
    def recordings(self) -> list[Recording]:
        """Of all connections so far, in the order in which they were opened."""
        return list(self._recordings)

    async def _listen(self) -> None:
        for (host, port), target in self._routes.items():
            await asyncio.start_server(functools.partial(self._begin, target), host, port)

    def _begin(self, target: Address, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        self._passing.add(task := self._loop.create_task(self._pass(client, to_client, target)))
        task.add_done_callback(self._passing.discard)

    async def _pass(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter, target: Address) -> None:
        self._recordings.append(recording := Recording())
        try:
            broker, to_broker = await asyncio.open_connection(*target)
        except OSError:
            to_client.close()
        else:
            await asyncio.gather(
                copy(client, to_broker, recording, Side.CLIENT), copy(broker, to_client, recording, Side.BROKER)
            )
            to_broker.close()
            to_client.close()
        recording.is_open = False

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(cancel_the_others(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter, recording: Recording, side: Side) -> None:
    """Pass on until the source, which is this side, ends; keep what was read."""
    with contextlib.suppress(ConnectionError):
        while chunk := await source.read(CHUNK_BYTES):
            recording.chunks.append((side, chunk))
            with contextlib.suppress(ConnectionError):
                target.write(chunk)
                await target.drain()
    with contextlib.suppress(OSError):
        target.write_eof()


async def cancel_the_others() -> None:
    """End what runs in this event loop beside this."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
