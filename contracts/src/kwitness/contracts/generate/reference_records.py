"""Sections of the page on topics: one for each record, and for each part that records share."""

from __future__ import annotations

from inspect import getdoc
from typing import Any

from pydantic import BaseModel

from kwitness.contracts.envelopes import ConnectionCount, ConnectionSnapshot
from kwitness.contracts.identity import Identity
from kwitness.contracts.records import (
    ApiTraffic,
    ClientInterceptions,
    ClientStatistics,
    ConnectionEvent,
    HeaderRow,
    HeaderValue,
    HookCalls,
    KeyInterceptions,
    OffsetRange,
    PartitionInterceptions,
    PartitionTraffic,
    RequestEvent,
    RequestPartition,
    SizeSketch,
    Sketch,
    TopicInterceptions,
    TopicPresence,
    TopicStatistics,
    WindowSeal,
)

from .event_schemas import schema_name
from .markdown import code, table

__all__ = ["RECORDS", "record"]

RECORDS: tuple[type[BaseModel], ...] = (
    ConnectionSnapshot,
    ConnectionEvent,
    PartitionTraffic,
    ApiTraffic,
    TopicPresence,
    RequestEvent,
    TopicInterceptions,
    KeyInterceptions,
    ClientInterceptions,
    HeaderRow,
    WindowSeal,
    ConnectionCount,
    OffsetRange,
    RequestPartition,
    PartitionInterceptions,
    HookCalls,
    ClientStatistics,
    TopicStatistics,
    HeaderValue,
    Sketch,
    SizeSketch,
)
"""Values of the JSON topics, then their parts, in the order of the page."""

_MAPS = {"integer": "map of counts", "string": "map of texts"}


def record(model: type[BaseModel]) -> str:
    """Return the section of one record: what it is, and a line for each key of its own."""
    schema = model.model_json_schema(by_alias=True)
    shared = Identity.model_fields if issubclass(model, Identity) else {}
    own = {name: node for name, node in schema["properties"].items() if name not in shared}
    rows = (
        (code(name), _json_type(node), "yes" if name in schema.get("required", ()) else "", node["description"])
        for name, node in own.items()
    )
    title = f"{model.__name__} ({schema_name(model)})" if "schema" in own else model.__name__
    return f"\n## {title}\n\n{getdoc(model)}\n\n{table(('Key', 'Type', 'Required', 'Meaning'), rows)}"


def _json_type(node: dict[str, Any]) -> str:
    if "anyOf" in node:
        (node,) = [one for one in node["anyOf"] if one.get("type") != "null"]
    if "$ref" in node:
        return str(node["$ref"].rpartition("/")[2])
    if "const" in node or "enum" in node:
        return " or ".join(map(code, node.get("enum", [node.get("const")])))
    if node["type"] == "array":
        return f"list of {_json_type(node['items'])}"
    if node["type"] == "object":
        values = node["additionalProperties"]
        return _MAPS.get(values.get("type", ""), "object") if isinstance(values, dict) else "object"
    return str(node["type"])
