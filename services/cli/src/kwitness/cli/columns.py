"""Columns of a table from its headings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kwitness.cli.output import Column

__all__ = ["columns_of", "row_of"]

_NUMBERS: Final = frozenset(
    {
        "METRICS",
        "CONNECTIONS",
        "LAG",
        "FINDINGS",
        "VALUE",
        "CHANGE",
        "INTERVAL",
        "WRITERS",
        "READERS",
        "RECORDS",
        "BYTES/S",
        "BYTES IN/S",
        "BYTES OUT/S",
        "RECORDS/S",
        "RECORDS IN/S",
        "RECORDS OUT/S",
        "THROTTLED",
    }
)
_STYLES: Final[Mapping[str, Mapping[str, str]]] = {
    "STATE": {"Late": "yellow", "Silent": "yellow", "NotAsked": "dim", "Ended": "dim", "Unreadable": "red"},
    "READY": {"False": "red", "Unknown": "yellow"},
    "PHASE": {"Failed": "red"},
}


def columns_of(headings: Sequence[str], *, optional: frozenset[str] = frozenset()) -> list[Column]:
    """Columns in the order of their headings; `optional` ones may be left out of a narrow terminal."""
    return [
        Column(
            heading,
            heading,
            optional=heading in optional,
            style=_STYLES.get(heading, {}),
            right=heading in _NUMBERS,
            prose=heading == "WHAT TO DO",
        )
        for heading in headings
    ]


def row_of(headings: Sequence[str], cells: Sequence[Any]) -> dict[str, Any]:
    """A row of such a table."""
    return dict(zip(headings, cells, strict=True))
