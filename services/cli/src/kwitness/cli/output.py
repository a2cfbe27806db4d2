"""Answers for a person or a program: a table, JSON or YAML; tables are laid out by `kwitness.jobs.frame.text_table`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from kwitness.cli.options import Options
from kwitness.jobs.frame.text_table import Heading, lay_out, plain_text, terminal_width

__all__ = ["Column", "Output", "plain_text", "warn"]

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
        cells = [[plain_text(row.get(column.key)) for column in columns] for row in rows]

        def paint(text: str, index: int | None) -> str:
            return self._painted(text, "bold" if index is None else columns[index].style.get(text))

        text, left_out = lay_out(columns, cells, paint=paint)
        print(text)
        if left_out:
            warn(f"this terminal is too narrow for {', '.join(left_out)}: make it wider, or use --output json")

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


def warn(text: str) -> None:
    """Tell a person something that is not part of the answer, on standard error."""
    print(f"kwitness: {text}", file=sys.stderr)
