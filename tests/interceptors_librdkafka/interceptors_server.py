"""A server in the place of the collector: takes everything that interceptors send, and keeps it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel
from typing_extensions import override

from kwitness.contracts.envelopes import Directives, EventsAnswer, InterceptorsHead
from kwitness.contracts.records import ClientInterceptions, KeyInterceptions, TopicInterceptions, WindowSeal
from kwitness.contracts.records.headers import HeaderRow

from tests.collector_door import CollectorDoor, lines_of, numbers_of

_MODELS: Final[Mapping[str, type[BaseModel]]] = {
    "topic": TopicInterceptions,
    "keys": KeyInterceptions,
    "client": ClientInterceptions,
}
_OF_TOPIC: Final[Mapping[str, type[BaseModel]]] = {"seals": WindowSeal, "headers": HeaderRow}


class InterceptorsServer(CollectorDoor):
    """Each head and each row is read by its contract.

    One that breaks it is a request that fails, and an entry of `broken`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.heads: list[InterceptorsHead] = []
        self.rows: list[dict[str, Any]] = []
        self.header_totals: list[dict[str, Any]] = []
        self.broken: list[str] = []
        self.directives = Directives()
        self.is_down = False
        self.status_when_down = 503

    @override
    def answer_to(self, authorization: str, body: bytes) -> tuple[int, bytes]:
        if self.is_down:
            return self.status_when_down, b""
        first, _, rest = body.partition(b"\n")
        try:
            head = InterceptorsHead.model_validate_json(first)
            rows = list(_rows(head, rest))
        except ValueError as error:
            self.broken.append(str(error))
            return 400, b""
        self.heads.append(head)
        self.rows += rows
        self.header_totals += [entry for part in json.loads(first)["totals"] for entry in part.get("headers", ())]
        answer = EventsAnswer(collector="kafka/main", replica=0, accepted=numbers_of(head), directives=self.directives)
        return 200, answer.model_dump_json().encode()

    def of_kind(self, kind: str | None, **members: object) -> list[dict[str, Any]]:
        """Rows of a kind whose members have these values."""
        wanted = {"kind": kind, **members}.items()
        return [
            row for row in list(self.rows) if wanted <= {name: row.get(name) for name in (*members, "kind")}.items()
        ]

    def of_headers(self, **members: object) -> list[dict[str, Any]]:
        """Rows of headers whose members have these values."""
        return self.of_kind(None, schema="kwitness.headers/1", **members)

    def total(self, count: str, **members: object) -> int:
        """The sum of a count over topic rows."""
        return sum(int(row.get(count, 0)) for row in self.of_kind("topic", **members))


def _rows(head: InterceptorsHead, rest: bytes) -> Iterable[dict[str, Any]]:
    for row, line in zip(head.rows, lines_of(head, rest), strict=True):
        content = json.loads(line)
        model = _OF_TOPIC.get(row.topic) or _MODELS[content["kind"]]
        model.model_validate_json(line)
        assert content["event_seq"] == row.seq
        yield content
