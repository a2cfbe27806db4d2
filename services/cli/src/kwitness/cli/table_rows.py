"""Writes rows whose columns are known when they are read: those of tables, and answers to SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from kwitness.answers.tables.json_values import json_value
from kwitness.cli.output import Column, Output
from kwitness.contracts.plain_text import plain_text
from kwitness.jobs.frame.text_table import sorted_cells

__all__ = ["DisplayedColumn", "write_rows", "write_sorted_rows"]

DisplayedColumn = tuple[str, str, bool]
"""The heading of a column, its name in rows, and whether only the length of its values is shown."""


def write_rows(output: Output, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows in their order, with all columns."""
    if output.is_table:
        _write_table(output, columns, [[row[name] for name in columns] for row in rows])
    else:
        _write_document(output, columns, rows)


def write_sorted_rows(
    output: Output, shown: Sequence[DisplayedColumn], columns: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Write rows: those that are `shown`, sorted and with times for people, else all columns."""
    if output.is_table:
        _write_table(output, [heading for heading, _, _ in shown], sorted_cells(shown, rows))
    else:
        _write_document(output, columns, rows)


def _write_table(output: Output, headings: Sequence[str], cells: Sequence[Sequence[Any]]) -> None:
    keys = [str(number) for number in range(len(headings))]
    columns = [
        Column(plain_text(heading), key, right=_is_number([row[number] for row in cells]))
        for number, (heading, key) in enumerate(zip(headings, keys, strict=True))
    ]
    output.table(columns, [dict(zip(keys, row, strict=True)) for row in cells])


def _is_number(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, (int, float, Decimal)) and value is not True for value in known)


def _write_document(output: Output, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    items = [{name: json_value(row[name]) for name in columns} for row in rows]
    output.document({"items": items}, columns=[(name,) for name in columns])
