"""Selects the fields of an object that a field manager owns: what it applied, without defaults of the API server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["applied_by"]


def applied_by(item: Mapping[str, Any], manager: str) -> dict[str, Any]:
    """Return what a manager applied, with the object's kind, name and namespace.

    Raises
    ------
    StopIteration
        It applied nothing.
    """
    metadata = item["metadata"]
    fields = next(
        entry["fieldsV1"]
        for entry in metadata["managedFields"]
        if entry["manager"] == manager and entry["operation"] == "Apply"
    )
    found: dict[str, Any] = _selected(item, fields)
    named = {name: metadata[name] for name in ("name", "namespace")}
    kind = {name: item[name] for name in ("apiVersion", "kind")}
    return {**kind, **found, "metadata": {**named, **found.get("metadata", {})}}


def _selected(value: Any, fields: Mapping[str, Any]) -> Any:
    """Return the part of a value that `fieldsV1` names: `f:` keys of maps, `k:` and `v:` items of lists."""
    parts = {key: below for key, below in fields.items() if key != "."}
    if not parts:
        return value
    if isinstance(value, Mapping):
        return {key[2:]: _selected(value[key[2:]], below) for key, below in parts.items()}
    return [
        _selected(item, below) | json.loads(key[2:]) if key.startswith("k:") else item
        for item in value
        for key, below in parts.items()
        if _is_item(item, key)
    ]


def _is_item(item: Any, key: str) -> bool:
    kind, _, text = key.partition(":")
    named = json.loads(text)
    if kind == "v":
        return bool(item == named)
    return all(item.get(name) == value for name, value in named.items())
