"""Reads and writes committed figures by portion, which a test compares with today's."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

__all__ = ["read_figures", "write_figures"]

Figures = Mapping[str, Mapping[str, int | str]]


def read_figures(path: Path) -> dict[str, dict[str, int | str]]:
    """Return the tables of a file of figures; none where there is no file yet."""
    return tomllib.loads(path.read_text()) if path.is_file() else {}


def write_figures(path: Path, head: str, tables: Figures) -> None:
    """Write tables of whole numbers and texts below a comment."""
    lines = [f"# {line}" for line in head.splitlines()]
    for title, rows in tables.items():
        lines += ["", f"[{_key(title)}]", *(f"{_key(name)} = {_value(rows[name])}" for name in sorted(rows))]
    path.write_text("\n".join(lines) + "\n")


def _key(name: str) -> str:
    return name if name.replace("-", "").isalnum() else f'"{name}"'


def _value(value: int | str) -> str:
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
