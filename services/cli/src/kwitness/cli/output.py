"""Answers for a person or a program: a table, JSON or YAML.

A table fits the terminal: columns that can be done without are left out from the right, then texts are folded. Into a
pipe or a file it is as wide as it has to be, one row a line, without colour.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from kwitness.cli.options import Options

__all__ = ["Column", "Output", "plain_text", "warn"]

_GAP: Final = 2
"""Blanks between two columns."""
_UNBOUNDED: Final = 100_000
_FEWEST: Final = 20
"""Columns of characters that a table is given at least, however narrow the terminal says it is."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    title
        In capitals, as kubectl has it.
    key
        Of the row.
    optional
        Whether it may be left out of a terminal that is too narrow.
    style
        Of rich, for a value: such as {"False": "red"}; of other values none.
    right
        Whether it holds numbers.
    """

    title: str
    key: str
    optional: bool = False
    style: Mapping[str, str] | None = None
    right: bool = False


class Output:
    """Writes answers to standard output, as ``options`` say."""

    def __init__(self, options: Options) -> None:
        self.format = options.output
        self._is_terminal = sys.stdout.isatty()
        self._color = (
            self._is_terminal
            and not options.no_color
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )

    def show(
        self,
        items: Sequence[Item],
        columns: Sequence[Column],
        row: Callable[[Item], Mapping[str, Any]],
        *,
        document: Callable[[Item], Any],
        empty: str,
    ) -> None:
        """Show several items.

        Parameters
        ----------
        row
            Cells of an item by the key of their column, for a table.
        document
            An item as JSON values, for JSON and YAML.
        empty
            What a person is told, on standard error, when there is none.
        """
        if self.format != "table":
            self.document({"items": [document(one) for one in items]})
        elif not items:
            warn(empty)
        else:
            self.table(columns, [row(one) for one in items])

    def document(self, value: Any) -> None:
        """Write JSON values as JSON, or as YAML where that was asked for.

        All but ASCII is escaped, because clients choose what they are called.
        """
        if self.format == "yaml":
            import yaml  # noqa: PLC0415 - who wants a table need not wait for it

            print(yaml.safe_dump(value, sort_keys=False, width=_UNBOUNDED), end="")
        else:
            print(json.dumps(value, indent=2))

    def table(self, columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> None:
        """Write a table."""
        from rich.table import Table  # noqa: PLC0415 - likewise
        from rich.text import Text  # noqa: PLC0415

        cells = [[plain_text(row.get(column.key)) for column in columns] for row in rows]
        kept = self._kept(columns, cells)
        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
        for index in kept:
            column = columns[index]
            table.add_column(
                column.title,
                justify="right" if column.right else "left",
                overflow="fold",
                no_wrap=not self._is_terminal,
            )
        for line in cells:
            styled = [Text(line[index], style=(columns[index].style or {}).get(line[index], "")) for index in kept]
            table.add_row(*styled)
        self.write(table)
        if len(kept) < len(columns):
            left_out = ", ".join(column.title for index, column in enumerate(columns) if index not in kept)
            warn(f"this terminal is too narrow for {left_out}: make it wider, or use --output json")

    def facts(self, lines: Sequence[tuple[str, str]]) -> None:
        """Write headings and what they say, one below the other; long texts are folded beside their heading."""
        from rich.table import Table  # noqa: PLC0415 - likewise
        from rich.text import Text  # noqa: PLC0415

        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=False)
        table.add_column(no_wrap=True, style="bold")
        table.add_column(overflow="fold", no_wrap=not self._is_terminal)
        for heading, text in lines:
            table.add_row(heading, Text(plain_text(text)))
        self.write(table)

    def write(self, renderable: Any) -> None:
        """Write something of rich, without blanks at the ends of lines."""
        from rich.console import Console  # noqa: PLC0415

        console = Console(
            width=self._width(),
            no_color=not self._color,
            force_terminal=self._color,
            highlight=False,
            markup=False,
            emoji=False,
        )
        with console.capture() as capture:
            console.print(renderable, soft_wrap=not self._is_terminal)
        text = capture.get()
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in text.splitlines()))

    def _width(self) -> int:
        return max(_FEWEST, shutil.get_terminal_size().columns) if self._is_terminal else _UNBOUNDED

    def _kept(self, columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> list[int]:
        widths = [max([len(column.title), *(len(line[at]) for line in cells)]) for at, column in enumerate(columns)]
        kept = list(range(len(columns)))
        for index in reversed(range(len(columns))):
            if sum(widths[one] + _GAP for one in kept) - _GAP <= self._width():
                break
            if columns[index].optional:
                kept.remove(index)
        return kept


def plain_text(value: Any) -> str:
    """A cell: `-` for what is not known, and no control characters, since clients choose what they are called."""
    if value is None or value in ("", []):  # 0 and False are known
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = ", ".join(str(one) for one in value) if isinstance(value, (list, tuple)) else str(value)
    return "".join(one if one.isprintable() else "?" for one in text)


def warn(text: str) -> None:
    """Tell a person something that is not part of the answer, on standard error."""
    print(f"kwitness: {text}", file=sys.stderr)
