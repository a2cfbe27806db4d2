"""A server in the place of the collector: takes everything, and keeps the rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typing_extensions import override

from kwitness.contracts.envelopes import EventsAnswer, EventsHead

from tests.collector_door import CollectorDoor, lines_of, numbers_of


class EventsServer(CollectorDoor):
    """Keeps heads, rows and bodies; its parameter is that of `CollectorDoor`."""

    def __init__(self, certificate: tuple[Path, Path] | None = None) -> None:
        super().__init__(certificate)
        self.heads: list[EventsHead] = []
        self.rows: list[dict[str, Any]] = []
        self.bodies: list[bytes] = []
        self.wants_connections = False

    @override
    def answer_to(self, authorization: str, body: bytes) -> tuple[int, bytes]:
        self.bodies.append(body)
        first, _, rest = body.partition(b"\n")
        return self.answer(EventsHead.model_validate_json(first), rest)

    def answer(self, head: EventsHead, rest: bytes) -> tuple[int, bytes]:
        """The status and body for a request: it is taken."""
        return 200, self.take(head, rest)

    def take(self, head: EventsHead, rest: bytes) -> bytes:
        """Keep what came and accept it."""
        for line in lines_of(head, rest):
            self.rows.append(json.loads(line))
        self.heads.append(head)
        answer = EventsAnswer(
            collector="kafka/main", replica=0, accepted=numbers_of(head), wants_connections=self.wants_connections
        )
        return answer.model_dump_json().encode()

    def records(self, api: str, topic: str) -> int:
        """Records of the partition rows of one API and topic."""
        rows = [row for row in list(self.rows) if row.get("kind") == "partition" and row["api"] == api]
        return sum(int(row["records"]) for row in rows if row.get("topic") == topic)
