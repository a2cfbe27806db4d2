"""The body of a request: a head, of an observer or of interceptors, and rows that are told apart by their lengths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Discriminator, Tag, TypeAdapter, ValidationError

from kwitness.collector.failures import UnprocessableError
from kwitness.contracts.envelopes import EventRow, EventsHead, InterceptorsHead

Head = EventsHead | InterceptorsHead
_NEWLINE: Final = 10
_INTERCEPTORS: Final = "kwitness.interceptor_events/"


def _sender(head: object) -> Literal["observer", "interceptors"]:
    schema = head.get("schema") if isinstance(head, dict) else None
    return "interceptors" if isinstance(schema, str) and schema.startswith(_INTERCEPTORS) else "observer"


_HEADS: Final[TypeAdapter[Head]] = TypeAdapter(
    Annotated[
        Annotated[EventsHead, Tag("observer")] | Annotated[InterceptorsHead, Tag("interceptors")],
        Discriminator(_sender),
    ]
)


class EventBatch(NamedTuple):
    """The head, and the rows' lines by number."""

    head: Head
    rows: Mapping[int, tuple[EventRow, bytes]]

    def numbers(self) -> list[int]:
        """Return the numbers of all rows and totals."""
        return [*self.rows, *(one.seq for one in self.head.totals)]


def read_events(body: bytes) -> EventBatch:
    """Split a body.

    Raises
    ------
    UnprocessableError
        If the head is malformed, a number is there twice, or the lines are not as long as the head says.
    """
    end = body.find(b"\n")
    head = _head(body if end < 0 else body[:end])
    at = len(body) if end < 0 else end + 1
    rows: dict[int, tuple[EventRow, bytes]] = {}
    for row in head.rows:
        end = at + row.bytes
        line = body[at:end]
        if len(line) < row.bytes or (end < len(body) and body[end] != _NEWLINE) or b"\n" in line:
            raise UnprocessableError("WrongLength", f"the line of row {row.seq} is not {row.bytes} bytes long")
        rows[row.seq] = (row, line)
        at = end + 1
    if at < len(body):
        raise UnprocessableError("WrongLength", f"{len(body) - at} bytes follow the {len(head.rows)} rows of the head")
    batch = EventBatch(head, rows)
    if len({*batch.numbers()}) < len(head.rows) + len(head.totals):
        raise UnprocessableError("NumberTwice", "a number is given to two rows or totals of one request")
    return batch


def _head(line: bytes) -> Head:
    try:
        return _HEADS.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or "the first line"
        raise UnprocessableError("MalformedHead", f"{place}: {first['msg']}"[:500]) from error


def trouble_with(line: bytes) -> str | None:
    """Say why a line cannot be a JSON object, by its ends and its encoding alone; None when it may be one."""
    if not (line.startswith(b"{") and line.endswith(b"}")):
        return "the line does not begin with { and end with }"
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return "the line is not UTF-8"
    return None
