"""Writes JSON values as CSV (RFC 4180): a header of field names, and a row for each value."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Any, Final, TextIO, Union, get_args, get_origin

from pydantic import BaseModel

__all__ = ["FieldPath", "model_columns", "write_csv"]

FieldPath = tuple[str, ...]
"""Keys that lead to a value; joined by dots they are the name of its column."""

_FORMULA: Final = frozenset("=+-@\t\r")
"""First characters that make a spreadsheet run a cell."""


def model_columns(model: type[BaseModel]) -> list[FieldPath]:
    """Return the columns of a model's fields; fields of an inner model are columns of their own."""
    found: list[FieldPath] = []
    for name, field in model.model_fields.items():
        key = field.alias or name
        inner = _inner_model(field.annotation)
        found += [(key,)] if inner is None else [(key, *path) for path in model_columns(inner)]
    return found


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    parts = get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)
    return next((part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)), None)


def write_csv(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[FieldPath] = (),
    *,
    titled: bool = True,
    to: TextIO | None = None,
) -> None:
    """Write rows to a file, by default to standard output; without `columns` those that any row has."""
    shown = columns or list(dict.fromkeys(path for row in rows for path in _paths(row)))
    writer = csv.writer(to or sys.stdout)
    if titled and shown:
        writer.writerow(_text(".".join(path)) for path in shown)
    writer.writerows([_cell(_value(row, path)) for path in shown] for row in rows)


def _paths(value: Any, path: FieldPath = ()) -> Iterator[FieldPath]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _paths(inner, (*path, key))
    elif path:
        yield path


def _value(row: Any, path: FieldPath) -> Any:
    for key in path:
        row = row.get(key) if isinstance(row, Mapping) else None
    return row


def _cell(value: Any) -> Any:
    match value:
        case None:
            return ""
        case bool():
            return json.dumps(value)
        case int() | float():
            return value
        case str():
            return _text(value)
        case list() | tuple() if not any(isinstance(part, (Mapping, list, tuple)) for part in value):
            return _text(", ".join(map(str, value)))
        case _:
            return json.dumps(value)


def _text(text: str) -> str:
    """Return a cell that no spreadsheet runs and no terminal obeys: clients choose their names."""
    shown = "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in text)
    return f"'{shown}" if text[:1] in _FORMULA else shown
