"""Python tables from the registries, so that no process reads YAML at run time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from . import registries

__all__ = ["tables"]

_TABLES: dict[str, Callable[[Path], tuple[Any, ...]]] = {
    "client_metrics": registries.client_metrics,
    "own_metrics": registries.own_metrics,
    "observer_metrics": registries.observer_metrics,
    "topics": registries.topics,
    "kafka_errors": registries.kafka_errors,
    "record_headers": registries.record_headers,
    "software": registries.software,
    "software_defects": registries.software_defects,
    "reasons": registries.reasons,
    "warnings": registries.warnings,
    "kubernetes_events": registries.kubernetes_events,
}


_LONGEST_LINE = 115
"""Characters of an entry that ruff lets pass, after four blanks and before a comma."""
_MODULE = '''\
"""Generated from contracts/registry/{name}.yaml by `make generate`; do not edit."""

# fmt: off
{unchecked}from __future__ import annotations

from kwitness.contracts.registry_entries import {entry_type}

ENTRIES: tuple[{entry_type}, ...] = (
    {lines},
)
'''


def _literal(value: Any) -> str:
    """Return `value` as Python source with double quotes, which `repr` does not promise."""
    if is_dataclass(value):
        given = ", ".join(f"{field.name}={_literal(getattr(value, field.name))}" for field in fields(value))
        return f"{type(value).__name__}({given})"
    if isinstance(value, tuple):
        inside = ", ".join(_literal(item) for item in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    # A string with a double quote inside reads best in single ones, which is what repr() makes of it.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) and '"' not in value else repr(value)


def tables(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each table module, for the repository at `root`."""
    folder = root / "contracts/src/kwitness/contracts/tables"
    yield (
        folder / "__init__.py",
        '"""Generated from `contracts/registry` by `make generate`; nothing here is written by hand."""\n',
    )
    for name, read in _TABLES.items():
        entries = read(root / "contracts/registry")
        entry_type = type(entries[0]).__name__
        lines = [_literal(entry) for entry in entries]
        yield (
            folder / f"{name}.py",
            _MODULE.format(
                name=name,
                unchecked="# ruff: noqa: E501\n" if max(map(len, lines)) > _LONGEST_LINE else "",
                entry_type=entry_type,
                lines=",\n    ".join(lines),
            ),
        )
