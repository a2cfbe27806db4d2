"""Writes answers in the format of `--output`; `kwitness.jobs.frame.text_table` lays out tables."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from kwitness.answers.views.csv_rows import FieldPath, write_csv
from kwitness.cli.options import Options
from kwitness.contracts.plain_text import plain_text
from kwitness.contracts.resources.meta import GROUP
from kwitness.jobs.frame.text_table import Heading, lay_out, terminal_width

__all__ = ["Column", "Output", "resource_name", "warn"]

_UNBOUNDED: Final = 100_000
_COLORS: Final = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33}

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Column(Heading):
    """A heading with the key of its cells, and their colours by value."""

    key: str
    style: Mapping[str, str] = field(default_factory=dict)


class Output:
    """Writes answers to standard output, as ``options`` say."""

    def __init__(self, options: Options) -> None:
        self.format = options.output
        self.is_table = options.output in {"table", "wide"}
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
        name: Callable[[Item], str | None] | None = None,
        empty: str,
    ) -> None:
        """Show several items.

        Parameters
        ----------
        row
            Cells of an item by the key of their column, for a table.
        document, name
            An item as JSON values, and its name, for a program; by default the name is as in `document`.
        empty
            What a person is told, on standard error, when there is none.
        """
        if not self.is_table:
            names = None if name is None else map(name, items)
            self.document({"items": [document(one) for one in items]}, names=names)
        elif not items:
            warn(empty)
        else:
            self.table(columns, [row(one) for one in items])

    def document(
        self,
        value: Mapping[str, Any],
        *,
        rows: Sequence[Mapping[str, Any]] | None = None,
        columns: Sequence[FieldPath] = (),
        names: Iterable[str | None] | None = None,
        refresh: int | None = None,
    ) -> None:
        """Write JSON values in a format for programs.

        All but ASCII is escaped in JSON and YAML, because clients choose what they are called.

        Parameters
        ----------
        rows, columns
            Rows of CSV and their columns; by default its list `items`, else the value, with all their fields.
        names
            Names of its items; by default those of resources, as kubectl has them, else their field `name`.
        refresh
            The number of this document of several in one output; None if there is only one.
        """
        items = value.get("items", [value]) if rows is None else rows
        match self.format:
            case "csv":
                write_csv(items, columns, titled=not refresh)
            case "name":
                _write_names(map(_name_of, items) if names is None else names)
            case "yaml":
                import yaml  # noqa: PLC0415 - who wants a table need not wait for it

                begin = "" if refresh is None else "---\n"
                print(begin + yaml.safe_dump(value, sort_keys=False, width=_UNBOUNDED), end="")
            case _:
                print(json.dumps(value, indent=2 if refresh is None else None))

    def table(self, columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> None:
        """Write a table."""
        cells = [[plain_text(row.get(column.key)) for column in columns] for row in rows]

        def paint(text: str, index: int | None) -> str:
            return self._painted(text, "bold" if index is None else columns[index].style.get(text))

        text, left_out = lay_out(columns, cells, paint=paint, whole=self.format == "wide")
        print(text)
        if left_out:
            warn(f"this terminal is too narrow for {', '.join(left_out)}: make it wider, or use -o wide")

    def facts(self, lines: Sequence[tuple[str, str]]) -> None:
        """Write headings and what they say, one below the other; long texts are folded beside their heading."""
        rows = [(heading, plain_text(text)) for heading, text in lines]
        headings = (Heading(""), Heading("", prose=True))
        print(
            lay_out(headings, rows, titled=False, paint=lambda text, at: self._painted(text, None if at else "bold"))[0]
        )

    def write(self, renderable: Any) -> None:
        """Write something of rich, without blanks at the ends of lines."""
        from rich.console import Console  # noqa: PLC0415

        console = Console(
            width=terminal_width() or _UNBOUNDED,
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

    def _painted(self, text: str, style: str | None) -> str:
        return f"\x1b[{_COLORS[style]}m{text}\x1b[0m" if self._color and style and text else text


def resource_name(kind: str, name: str) -> str:
    """Return a name of one of our resources that kubectl takes."""
    return f"{kind.lower()}.{GROUP}/{name}"


def _name_of(item: Mapping[str, Any]) -> str | None:
    return resource_name(item["kind"], item["metadata"]["name"]) if "metadata" in item else item.get("name")


def _write_names(names: Iterable[str | None]) -> None:
    """Write each name once, on a line of its own, without control characters."""
    known = list(names)
    for name in dict.fromkeys(filter(None, known)):
        print(plain_text(name))
    if unnamed := sum(not name for name in known):
        warn(f"{unnamed} of {len(known)} have no name: use -o json")


def warn(text: str) -> None:
    """Tell a person something that is not part of the answer, on standard error."""
    print(f"kwitness: {text}", file=sys.stderr)
