"""Lays out tables as aligned text that fits a terminal. Needs the standard library alone, for readers without Spark.

A terminal gets no more than its width: long cells are shortened around a mark, sentences are folded, and columns are
left out only where all others are as narrow as is readable. A pipe or a file gets everything.
"""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from typing import Any, Final

from kwitness.contracts.plain_text import plain_text

_GAP: Final = 2
_MARK: Final = "…"
_FEWEST: Final = 20
"""Least width of a terminal, also of one that reports less."""
_READABLE: Final = 16
"""Width to which cells are shortened before columns are left out; sentences are twice as wide."""
_NARROWEST: Final = 7
"""Width to which cells are shortened before columns are left out that are not optional."""
_UNKNOWN: Final = "-"


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's title, and how its cells are shown: on the right, folded as sentences, or left out first."""

    title: str
    _: KW_ONLY
    right: bool = False
    prose: bool = False
    optional: bool = False


Paint = Callable[[str, int | None], str]
"""Adds colour to a cell, given the index of its column; None for a title."""


def terminal_width() -> int | None:
    """Return the characters of a line of standard output; None where it is no terminal."""
    return max(_FEWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def render(columns: Sequence[tuple[str, str, bool]], rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as aligned text; see `sorted_cells`."""
    return aligned([heading for heading, _, _ in columns], sorted_cells(columns, rows))


def sorted_cells(columns: Sequence[tuple[str, str, bool]], rows: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Return the cells of rows, which are sorted by the first five columns.

    Parameters
    ----------
    columns
        Each with its heading, the name that rows have it by, and whether only the length of its values is shown.
    """
    ordered = sorted(rows, key=lambda row: [_sortable(row.get(name)) for _, name, _ in columns[:5]])
    return [[_cell(name, row.get(name), counted=counted) for _, name, counted in columns] for row in ordered]


def aligned(titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Lines of a table for standard output; those on the right that do not fit a terminal are named below it."""
    headings = [Heading(plain_text(title)) for title in titles]
    text, left_out = lay_out(headings, [list(map(plain_text, row)) for row in rows])
    return text + (f"\n(too narrow for {', '.join(left_out)})" if left_out else "")


def lay_out(
    headings: Sequence[Heading],
    rows: Sequence[Sequence[str]],
    *,
    titled: bool = True,
    whole: bool = False,
    paint: Paint = lambda text, _: text,
) -> tuple[str, list[str]]:
    """Return a table for standard output, and the titles of the columns for which a terminal is too narrow.

    If `whole`, the table is as wide as its cells, also at a terminal.
    """
    room = None if whole else terminal_width()
    lines = [[heading.title for heading in headings], *rows] if titled else rows
    natural = [max((_width(line[index]) for line in lines), default=0) for index in range(len(headings))]
    empty = [index for index in range(len(headings)) if all(row[index] == _UNKNOWN for row in rows)]
    columns = dict(enumerate(zip(headings, natural, strict=True)))
    if room is not None:
        columns = _fitting(columns, empty, room)
    shown, widths = list(columns), natural if room is None else _shares(columns, room)
    text = []
    for number, line in enumerate(lines):
        cells = [
            _folded(line[index], width) if headings[index].prose else [_shortened(line[index], width)]
            for index, width in zip(shown, widths, strict=True)
        ]
        for part in range(max(map(len, cells), default=0)):
            padded = []
            for index, width, cell in zip(shown, widths, cells, strict=True):
                piece = cell[part] if part < len(cell) else ""
                blanks = " " * (width - _width(piece))
                painted = paint(piece, None if titled and not number else index)
                padded.append(blanks + painted if headings[index].right else painted + blanks)
            text.append((" " * _GAP).join(padded).rstrip())
    return "\n".join(text), [
        heading.title for index, heading in enumerate(headings) if index not in shown and index not in empty
    ]


_Columns = dict[int, tuple[Heading, int]]


def _fitting(columns: _Columns, empty: Sequence[int], room: int) -> _Columns:
    """Return the columns that are left: those without values go first, then optional ones, sentences last."""
    stages: list[tuple[int, Callable[[int], bool]]] = [
        (_READABLE, lambda index: index in empty),
        (_READABLE, lambda index: columns[index][0].optional),
        (_NARROWEST, lambda index: index > 0 and not columns[index][0].prose),
        (_NARROWEST, lambda index: index > 0),
    ]
    shown = dict(columns)
    for narrowest, may_go in stages:
        for index in reversed(columns):
            is_too_wide = sum(_least(shown, narrowest)) > _room(shown, room)
            if is_too_wide and len(shown) > 1 and index in shown and may_go(index):
                del shown[index]
    return shown


def _shares(columns: _Columns, room: int) -> list[int]:
    """Return widths that fit: those of short columns stay, and all others are equal where sentences allow it."""
    for narrowest in range(_READABLE, -1, -1):
        for cap in range(room, 0, -1):
            least = _least(columns, narrowest)
            widths = [min(full, max(few, cap)) for few, (_, full) in zip(least, columns.values(), strict=True)]
            if sum(widths) <= _room(columns, room):
                return widths
    return [1] * len(columns)


def _least(columns: _Columns, narrowest: int) -> list[int]:
    """Return widths below which columns are not shortened to keep others; titles stay whole."""
    return [
        min(full, max(len(heading.title), narrowest * (2 if heading.prose else 1))) if narrowest else 0
        for heading, full in columns.values()
    ]


def _room(columns: _Columns, room: int) -> int:
    return room - _GAP * (len(columns) - 1)


def _width(text: str) -> int:
    """Return the columns of a terminal that a text takes: two for East Asian wide characters, none for marks."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(one) in {"Mn", "Me"} else 2 if unicodedata.east_asian_width(one) in {"W", "F"} else 1
        for one in text
    )


def _head(text: str, width: int) -> str:
    end = len(text)
    while end and _width(text[:end]) > width:
        end -= 1
    return text[:end]


def _shortened(text: str, width: int) -> str:
    """Return a text that fits, with a mark in its middle where it was too long: names differ at both ends."""
    if _width(text) <= width:
        return text
    head = _head(text[:width], width // 2)
    tail = _head(text[: -width - 1 : -1], width - 1 - _width(head))[::-1]
    return head + _MARK + tail


def _folded(text: str, width: int) -> list[str]:
    """Return the lines of a sentence, which break between words."""
    lines = [""]
    for word in text.split(" "):
        rest = word
        while rest:
            joined = f"{lines[-1]} {rest}" if lines[-1] else rest
            if _width(joined) <= width:
                lines[-1], rest = joined, ""
            elif lines[-1]:
                lines.append("")
            else:
                lines[-1] = _head(rest[:width], width) or rest[0]
                rest = rest[len(lines[-1]) :]
                lines.append("")
    return [line for line in lines if line] or [""]


def _sortable(value: Any) -> tuple[float, str]:
    return (value, "") if isinstance(value, int) else (0, str(value or ""))


def _cell(name: str, value: Any, *, counted: bool) -> Any:
    if value is not None and name.endswith("_ms"):
        return datetime.fromtimestamp(value / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    return len(value) if counted and value is not None else value
