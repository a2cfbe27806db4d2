"""Reads the names of the demo's parts from its source, since `make` checks them before any library is installed."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import Final

TRY: Final = "try"
"""The stage before the parts, as a person types it."""


def part_names() -> list[str]:
    """Names as a person types them, in the order of the source."""
    source = ast.parse(Path(__file__).with_name("up.py").read_text(encoding="utf-8"))
    functions = [node for node in source.body if isinstance(node, ast.FunctionDef)]
    return [TRY, *(function.name.replace("_", "-") for function in functions if _is_part(function))]


def unknown_parts(names: Iterable[str]) -> str:
    """The error about names that no part has; empty when there is none."""
    known = part_names()
    unknown = sorted(set(names) - set(known))
    return f"unknown in PARTS: {', '.join(unknown)}; choose from {', '.join(known)}" if unknown else ""


def _is_part(function: ast.FunctionDef) -> bool:
    calls = [mark for mark in function.decorator_list if isinstance(mark, ast.Call)]
    return any(isinstance(call.func, ast.Name) and call.func.id == "part" for call in calls)
