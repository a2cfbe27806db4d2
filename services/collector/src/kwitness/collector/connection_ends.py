"""Reads rows of the topic connections for how connections ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, Field, ValidationError

from kwitness.contracts.envelopes import EventRow
from kwitness.contracts.topics import CONNECTIONS

__all__ = ["ConnectionEnd", "ends_of"]

Text = str | None


class ConnectionEnd(BaseModel):
    """A record of kwitness.connections about a connection that was closed, as far as it is counted.

    Rows are written by observers and are not checked against their contract: what is no such record is no end.
    """

    kind: Literal["closed"]
    end: Literal["client", "broker", "error", "deadline", "drained", "sign_in", "idle", "limit"]
    last_error: Annotated[int, Field(ge=-(2**15), lt=2**15)] | None = None
    principal: Text = None
    client_id: Text = None
    client_software_name: Text = None
    client_software_version: Text = None


def ends_of(rows: Iterable[tuple[EventRow, bytes]]) -> Iterator[ConnectionEnd | None]:
    """Yield the end that each row of the topic connections has; None for rows about something else."""
    for row, line in rows:
        if row.topic == CONNECTIONS:
            try:
                yield ConnectionEnd.model_validate_json(line)
            except ValidationError:
                yield None
