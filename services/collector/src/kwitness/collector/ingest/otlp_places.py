"""How many exports are in work at once: each has its place and its bytes until its work has ended.

A sender that gives up ends its request, not the work: part of it may be on the way into a topic. So what it holds is
counted until then, and nobody can have more in work by giving up faster.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from kwitness.collector.failures import UnavailableError
from kwitness.collector.ingest.bodies import Budget, Hold
from kwitness.collector.ledger import Hop

MAX_EXPORTS: Final = 64
T = TypeVar("T")


class Places:
    """The places of all exports, over gRPC and HTTP; ``hop`` counts those that found none."""

    def __init__(self, budget: Budget, hop: Hop, most: int = MAX_EXPORTS) -> None:
        self.budget = budget
        self._hop = hop
        self._most = most
        self.taken = 0

    def take(self) -> Place:
        """Take a place; raises `UnavailableError` when there is none."""
        if self.taken >= self._most:
            self._hop.accept(1)
            self._hop.drop("overloaded")
            raise UnavailableError("Overloaded", f"{self._most} exports are being taken in at once; try again")
        self.taken += 1
        return Place(self)

    def give_back(self, hold: Hold) -> None:
        """Let the next one in."""
        self.taken -= 1
        self.budget.used -= hold.size


class Place:
    """One export's place, left when both the request and the work are over."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.hold = Hold(places.budget)
        self._work: asyncio.Task[Any] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._work is None or self._work.done():
            self._places.give_back(self.hold)
        else:
            self._work.add_done_callback(self._ended)

    def _ended(self, work: asyncio.Task[Any]) -> None:
        self._places.give_back(self.hold)
        if not work.cancelled():
            work.exception()  # nobody waits for it any more

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work, whether the sender waits for it or not."""
        task = self._work = asyncio.create_task(work)
        return await asyncio.shield(task)
