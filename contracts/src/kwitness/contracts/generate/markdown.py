"""The little Markdown that reference pages are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["code", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; bars inside cells are escaped."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def code(value: object) -> str:
    """Return a word as code."""
    return f"`{value}`"
