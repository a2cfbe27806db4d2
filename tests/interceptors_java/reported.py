"""A server in the place of the collector: takes what interceptors report and holds it against the contract."""

from __future__ import annotations

import json

from pydantic import TypeAdapter
from typing_extensions import override

from kwitness.contracts.envelopes import EventsAnswer, InterceptorsHead
from kwitness.contracts.records import ClientInterceptions, KeyInterceptions, TopicInterceptions, WindowSeal
from kwitness.contracts.records.headers import HeaderRow

from tests.collector_door import CollectorDoor, lines_of, numbers_of

Row = TopicInterceptions | KeyInterceptions | ClientInterceptions | HeaderRow | WindowSeal
_SCHEMAS: dict[str, TypeAdapter[Row]] = {
    "topic": TypeAdapter(TopicInterceptions),
    "keys": TypeAdapter(KeyInterceptions),
    "client": TypeAdapter(ClientInterceptions),
}
_SCHEMAS_WITHOUT_KINDS: dict[str, TypeAdapter[Row]] = {
    "kwitness.headers/1": TypeAdapter(HeaderRow),
    "kwitness.seals/1": TypeAdapter(WindowSeal),
}


class Reported(CollectorDoor):
    """Keeps heads and rows; what is not as the contract says is in `refused`."""

    def __init__(self) -> None:
        super().__init__()
        self.heads: list[InterceptorsHead] = []
        self.rows: list[Row] = []
        self.refused: list[str] = []
        self.status = 200

    @override
    def answer_to(self, authorization: str, body: bytes) -> tuple[int, bytes]:
        return self.status, self._take(body)

    def _take(self, body: bytes) -> bytes:
        first, _, rest = body.partition(b"\n")
        head = InterceptorsHead.model_validate_json(first)
        for line in lines_of(head, rest):
            row = json.loads(line)
            schema = _SCHEMAS[row["kind"]] if "kind" in row else _SCHEMAS_WITHOUT_KINDS[row["schema"]]
            try:
                self.rows.append(schema.validate_json(line))
            except ValueError as error:
                self.refused.append(str(error))
        self.heads.append(head)
        if self.status != 200:
            return b""
        return EventsAnswer(collector="kafka/main", replica=0, accepted=numbers_of(head)).model_dump_json().encode()

    def topics(self, side: str) -> list[TopicInterceptions]:
        """Rows of topics of one side."""
        return [row for row in self.rows if isinstance(row, TopicInterceptions) and row.side == side]
