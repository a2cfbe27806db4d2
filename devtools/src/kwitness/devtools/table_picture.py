"""Draws the answer of a query on tables as bars, for the guides.

Usage: `python -m kwitness.devtools.table_picture TABLES QUERY FILE --title TEXT`. TABLES is a folder as
`kwitness tables sql` takes it. The query gives a label and a number in each row, or a label, a part, and a number.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from kwitness.answers.tables.delta_tables import find_tables, open_datasets
from kwitness.answers.tables.isolated_sql import answer_query

__all__ = ["Bar", "bars", "main", "picture"]

_WIDTH, _LABELS, _NUMBERS = 860, 300, 90
_ROW, _BAR, _HEAD = 30, 18, 44
_COLOURS = ("#3b6ea5", "#d98b2b", "#5a9367", "#a2535f", "#7c6aa5", "#8a8a8a")
"""Of parts; readable beside each other, on white and on black."""


class Bar(NamedTuple):
    """A label, and the numbers of its parts; a bar without parts has one without a name."""

    label: str
    parts: dict[str, float]


def bars(rows: Iterable[Sequence[object]]) -> list[Bar]:
    """Bars in the order in which their labels come first.

    Raises
    ------
    ValueError
        A row has neither two nor three columns, or its last is no number.
    """
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        label, *part, number = row
        if len(part) > 1 or isinstance(number, str) or number is None:
            raise ValueError(f"{row}: give a label, a part if there are any, and a number")
        parts = found.setdefault(str(label), {})
        name = str(part[0]) if part else ""
        parts[name] = parts.get(name, 0) + float(number)  # type: ignore[arg-type]
    return [Bar(label, parts) for label, parts in found.items()]


def picture(title: str, drawn: Sequence[Bar]) -> str:
    """The picture as SVG."""
    names = list(dict.fromkeys(name for bar in drawn for name in bar.parts))
    most = max((sum(bar.parts.values()) for bar in drawn), default=0) or 1
    legend = [name for name in names if name]
    height = _HEAD + _ROW * (len(drawn) + bool(legend))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" font-size="14"',
        '  font-family="sans-serif" fill="#7a7a7a">',
        f"  <title>{escape(title)}</title>",
        f'  <text x="0" y="20" font-size="16">{escape(title)}</text>',
    ]
    for number, bar in enumerate(drawn):
        y = _HEAD + number * _ROW
        lines.append(f'  <text x="{_LABELS - 10}" y="{y + 14}" text-anchor="end">{escape(bar.label)}</text>')
        x = float(_LABELS)
        for name, value in bar.parts.items():
            width = (_WIDTH - _LABELS - _NUMBERS) * value / most
            colour = _COLOURS[names.index(name) % len(_COLOURS)]
            lines.append(f'  <rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_BAR}" fill="{colour}"/>')
            x += width
        lines.append(f'  <text x="{x + 8:.1f}" y="{y + 14}">{sum(bar.parts.values()):,.0f}</text>')
    y = _HEAD + len(drawn) * _ROW
    for number, name in enumerate(legend):
        x = _LABELS + number * 140
        colour = _COLOURS[names.index(name) % len(_COLOURS)]
        lines.append(f'  <rect x="{x}" y="{y + 3}" width="12" height="12" fill="{colour}"/>')
        lines.append(f'  <text x="{x + 18}" y="{y + 14}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main(arguments: Sequence[str]) -> int:
    """Write the picture."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.devtools.table_picture", description=__doc__)
    parser.add_argument("tables")
    parser.add_argument("query")
    parser.add_argument("file", type=Path)
    parser.add_argument("--title", required=True)
    given = parser.parse_args(arguments)
    rows = answer_query(given.query, open_datasets(find_tables(given.tables))).rows
    given.file.write_text(picture(given.title, bars(rows)))
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    # As `kwitness tables` ends, and for its reason.
    os._exit(code)
