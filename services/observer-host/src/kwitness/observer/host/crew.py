"""All observers of the host: each gets every event, and none waits for another."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from kwitness.observer.calls import Call
from kwitness.observer.host.worker import Worker
from kwitness.observer.ordering import Arrival

__all__ = ["Crew"]


class Crew:
    """The workers, together."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self.workers = tuple(workers)

    @property
    def has_room(self) -> bool:
        """Whether reading should go on: it waits for the quickest of those who work, and for nobody else."""
        working = [one for one in self.workers if one.works]
        return not working or any(one.has_room for one in working)

    @property
    def trouble(self) -> str | None:
        """What is wrong with observers that are not called, in one line."""
        return "; ".join(one.trouble for one in self.workers if one.trouble is not None) or None

    def start(self) -> None:
        """Start all."""
        for one in self.workers:
            one.start()

    def offer(self, arrivals: Sequence[Arrival]) -> None:
        """Hand events on, in this order."""
        for arrival in arrivals:
            call = Call(arrival.event)
            for one in self.workers:
                one.offer(call, arrival.size)

    def stop(self, *, drain_seconds: float, close_seconds: float) -> None:
        """Stop all at the same time, see `Worker.stop`."""
        threads = [
            threading.Thread(target=one.stop, kwargs={"drain_seconds": drain_seconds, "close_seconds": close_seconds})
            for one in self.workers
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
