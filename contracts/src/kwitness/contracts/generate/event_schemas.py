"""JSON Schemas (2020-12) of everything that crosses a process boundary as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from kwitness.contracts.envelopes import ConnectionSnapshot, GaugeSnapshot, PushBatch

__all__ = ["EVENT_MODELS", "event_schema", "event_schemas"]

EVENT_MODELS: tuple[type[BaseModel], ...] = (ConnectionSnapshot, GaugeSnapshot, PushBatch)
"""Models whose `schema` key carries their name and version."""


def schema_name(model: type[BaseModel]) -> str:
    """Return name and version that each message of `model` carries, such as kwitness.gauges/1."""
    return str(model.model_fields["schema_"].default)


def without_titles(node: Any) -> Any:
    """Return a schema without the titles that pydantic derives from names, which say nothing."""
    if isinstance(node, dict):
        return {
            key: without_titles(value) for key, value in node.items() if key != "title" or not isinstance(value, str)
        }
    return [without_titles(item) for item in node] if isinstance(node, list) else node


def event_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a message."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://kwitness.dev/schemas/{schema_name(model)}",
        "$comment": "Generated from contracts/ by `make generate`; do not edit.",
        **without_titles(model.model_json_schema(by_alias=True)),
    }


def event_schemas(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each schema."""
    for model in EVENT_MODELS:
        name = schema_name(model).replace("/", ".v")
        text = json.dumps(event_schema(model), indent=2, ensure_ascii=False)
        yield root / "contracts/schemas" / f"{name}.json", f"{text}\n"
