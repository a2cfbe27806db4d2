"""A server in the place of the collector: holds every head and row against its contract, and keeps them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from typing_extensions import override

from kwitness.contracts.envelopes import EventsAnswer
from kwitness.contracts.envelopes.events import Directives
from kwitness.contracts.envelopes.interceptor_events import InterceptorsHead
from kwitness.contracts.records.headers import HeaderRow
from kwitness.contracts.records.interceptions import ClientInterceptions, TopicInterceptions
from kwitness.contracts.records.seals import WindowSeal

from tests.collector_door import CollectorDoor, lines_of, numbers_of

_ROW: TypeAdapter[Any] = TypeAdapter(TopicInterceptions | ClientInterceptions | HeaderRow | WindowSeal)

Answering = Callable[[InterceptorsHead], tuple[int, EventsAnswer]]


class InterceptorEventsServer(CollectorDoor):
    """Keeps heads, rows and tokens.

    `answering` may be set: it returns status and answer for a head instead of taking everything.
    """

    def __init__(self, certificate: tuple[Path, Path] | None = None) -> None:
        super().__init__(certificate)
        self.heads: list[InterceptorsHead] = []
        self.rows: list[Any] = []
        self.tokens: set[str] = set()
        self.directives = Directives()
        self.answering: Answering = self.take

    @override
    def answer_to(self, authorization: str, body: bytes) -> tuple[int, bytes]:
        self.tokens.add(authorization)
        first, _, rest = body.partition(b"\n")
        head = InterceptorsHead.model_validate_json(first)
        status, answer = self.answering(head)
        if status == 200:
            self.keep(head, rest, answer)
        return status, answer.model_dump_json().encode()

    def take(self, head: InterceptorsHead) -> tuple[int, EventsAnswer]:
        """Accept everything."""
        return 200, EventsAnswer(
            collector="kafka/main", replica=0, accepted=numbers_of(head), directives=self.directives
        )

    def keep(self, head: InterceptorsHead, rest: bytes, answer: EventsAnswer) -> None:
        rejected = {one.seq for one in answer.rejected}
        for row, line in zip(head.rows, lines_of(head, rest), strict=True):
            if row.seq not in rejected:
                self.rows.append(_ROW.validate_json(line))
        assert len(rest) == sum(row.bytes + 1 for row in head.rows)
        self.heads.append(head)

    def headers(self) -> list[HeaderRow]:
        """Rows of headers so far."""
        return [row for row in list(self.rows) if isinstance(row, HeaderRow)]

    def topics(self) -> list[TopicInterceptions]:
        """Rows of topics so far."""
        return [row for row in list(self.rows) if isinstance(row, TopicInterceptions)]
