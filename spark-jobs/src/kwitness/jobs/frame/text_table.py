"""Rows as aligned text for a terminal. Needs the standard library alone, so that readers without Spark have it too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

_WIDEST = 64


def render(columns: Sequence[tuple[str, str, bool]], rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as aligned text, sorted by the first five columns.

    Parameters
    ----------
    columns
        Each with its heading, the name that rows have it by, and whether only the length of its values is shown.
    """
    ordered = sorted(rows, key=lambda row: [_sortable(row.get(name)) for _, name, _ in columns[:5]])
    return aligned(
        [heading for heading, _, _ in columns],
        [[_cell(name, row.get(name), counted=counted) for _, name, counted in columns] for row in ordered],
    )


def aligned(headings: Sequence[str], rows: Sequence[Sequence[Any]], *, widest: int | None = _WIDEST) -> str:
    """Lines of which each column has the width of its longest cell; the first line is that of the headings.

    Parameters
    ----------
    widest
        Characters of a cell; what is longer is cut, and nothing is without it.
    """
    cells = [[_text(value)[:widest] for value in line] for line in [headings, *rows]]
    widths = [max(len(line[index]) for line in cells) for index in range(len(headings))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )


def _sortable(value: Any) -> tuple[float, str]:
    return (value, "") if isinstance(value, int) else (0, str(value or ""))


def _cell(name: str, value: Any, *, counted: bool) -> Any:
    if value is not None and name.endswith("_ms"):
        return datetime.fromtimestamp(value / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    return len(value) if counted and value is not None else value


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = (",".join(map(str, value)) or "-") if isinstance(value, list) else str(value)
    # Clients choose what they are called; control characters would reach the terminal.
    return "".join(one if one.isprintable() else "?" for one in text)
