"""Counts open connections by one of their fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, Field

from kwitness.contracts.envelopes import ConnectionItem
from kwitness.contracts.nouns import CONNECTIONS

from .client_rows import team_of

__all__ = ["COUNTED_FIELDS", "ConnectionCount", "connection_counts", "fields_to_count"]

_OWNER: Final = "owner"
COUNTED_FIELDS: Final = CONNECTIONS.filters
"""Fields by which connections are counted: those that select them."""


def fields_to_count(field: str) -> tuple[str, ...]:
    """Return the fields that an answer needs so that its connections can be counted by ``field``."""
    required = (name for name, info in ConnectionItem.model_fields.items() if info.is_required())
    return tuple(dict.fromkeys((field, *required)))


class ConnectionCount(BaseModel):
    """Open connections with one value of a field."""

    value: str | None = Field(description="The value; absent for connections of which it is not known.")
    connections: int = Field(description="Open connections.")


def connection_counts(connections: Iterable[ConnectionItem], field: str) -> list[ConnectionCount]:
    """Return the number of connections by value of ``field``, the greatest first."""
    counts = Counter(_text(connection, field) for connection in connections)
    ordered = sorted(counts.items(), key=lambda count: (-count[1], count[0] or ""))
    return [ConnectionCount(value=value, connections=number) for value, number in ordered]


def _text(connection: ConnectionItem, field: str) -> str | None:
    value = team_of(connection.owner) if field == _OWNER else getattr(connection, field)
    return None if value is None else str(value)
