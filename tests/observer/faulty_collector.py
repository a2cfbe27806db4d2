"""A collector that does not answer as it should, until it is well again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

from typing_extensions import override

from kwitness.contracts.envelopes import EventsAnswer, EventsHead

from tests.observer.events_server import EventsServer

Answer = tuple[int, bytes]
Fault = Callable[["FaultyCollector", EventsHead, bytes], Answer]


def _with(status: int, body: bytes = b"") -> Fault:
    return lambda _collector, _head, _rest: (status, body)


def _black_hole(collector: FaultyCollector, head: EventsHead, rest: bytes) -> Answer:
    collector.well.wait(60)
    return 503, b""


def _slow(collector: FaultyCollector, head: EventsHead, rest: bytes) -> Answer:
    time.sleep(0.5)
    return 200, collector.take(head, rest)


def _loses_answers(collector: FaultyCollector, head: EventsHead, rest: bytes) -> Answer:
    """It has taken what came, and nobody hears of it."""
    collector.take(head, rest)
    return 503, b""


def _another(collector: FaultyCollector, head: EventsHead, rest: bytes) -> Answer:
    return 200, EventsAnswer(collector="kafka/main", replica=1, accepted="0-1000000").model_dump_json().encode()


FAULTS: Final[Mapping[str, Fault]] = {
    "no token is good enough": _with(401),
    "nothing is allowed": _with(403),
    "there is no such path": _with(404),
    "it is too busy": _with(429),
    "it is broken": _with(500, b"<html>"),
    "it is away": _with(503),
    "it answers in another protocol": _with(200, b"<html>"),
    "it answers for another replica": _another,
    "it is a black hole": _black_hole,
    "it is slow": _slow,
    "its answers are lost": _loses_answers,
}
"""What is wrong with it, by what one would say of it."""


class FaultyCollector(EventsServer):
    """Has this fault until `recover`; rows that come again are kept once."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.well = threading.Event()
        self.requests = 0
        self._fault = FAULTS[fault]
        self._seen: set[tuple[int, int]] = set()

    def recover(self) -> None:
        """Be a good one from now on."""
        self.well.set()

    @override
    def answer(self, head: EventsHead, rest: bytes) -> Answer:
        self.requests += 1
        return (200, self.take(head, rest)) if self.well.is_set() else self._fault(self, head, rest)

    @override
    def take(self, head: EventsHead, rest: bytes) -> bytes:
        before = len(self.rows)
        answer = super().take(head, rest)
        new = [
            row
            for row, entry in zip(self.rows[before:], head.rows, strict=True)
            if (head.epoch, entry.seq) not in self._seen
        ]
        self._seen.update((head.epoch, entry.seq) for entry in head.rows)
        self.rows[before:] = new
        return answer
