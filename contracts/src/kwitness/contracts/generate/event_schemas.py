"""JSON Schemas (2020-12) of everything that crosses a process boundary as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from kwitness.contracts.envelopes import ConnectionSnapshot, EventsHead, GaugeSnapshot, InterceptorsHead, PushBatch
from kwitness.contracts.injections import InjectionsFile
from kwitness.contracts.interceptor_injections import InterceptorInjectionsFile
from kwitness.contracts.owners import Owners
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.records import (
    ApiTraffic,
    ClientInterceptions,
    ConnectionEvent,
    HeaderRow,
    KeyInterceptions,
    PartitionTraffic,
    RequestEvent,
    TopicInterceptions,
    TopicPresence,
    WindowSeal,
)

__all__ = ["EVENT_MODELS", "FILE_MODELS", "event_schema", "event_schemas"]

EVENT_MODELS: tuple[tuple[type[BaseModel], ...], ...] = (
    (ConnectionSnapshot, ConnectionEvent),
    (GaugeSnapshot,),
    (PushBatch,),
    (EventsHead,),
    (InterceptorsHead,),
    (PartitionTraffic, ApiTraffic, TopicPresence),
    (RequestEvent,),
    (TopicInterceptions, KeyInterceptions, ClientInterceptions),
    (HeaderRow,),
    (WindowSeal,),
    (InjectionsFile,),
    (InterceptorInjectionsFile,),
)
"""Models whose `schema` key carries their name and version; those of one topic are told apart by `kind`."""

FILE_MODELS: dict[type[BaseModel], str] = {Owners: "kwitness.owners/1", RateCard: "kwitness.rate_card/1"}
"""Files that people write, without a key `schema`, and name and version of each one's schema."""


def schema_name(model: type[BaseModel]) -> str:
    """Return name and version of a model's schema, such as kwitness.gauges/1; its messages carry it."""
    return FILE_MODELS.get(model) or str(model.model_fields["schema_"].default)


def without_titles(node: Any) -> Any:
    """Return a schema without the titles that pydantic derives from names, which say nothing."""
    if isinstance(node, dict):
        return {
            key: without_titles(value) for key, value in node.items() if key != "title" or not isinstance(value, str)
        }
    return [without_titles(item) for item in node] if isinstance(node, list) else node


def event_schema(*models: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a message; of one of several where a topic has more than one kind."""
    parts = [TypeAdapter(model).json_schema(by_alias=True, ref_template="#/$defs/{model}") for model in models]
    shared = {name: part for schema in parts for name, part in schema.get("$defs", {}).items()}
    if len(models) == 1:
        (body,) = parts
    else:
        kinds = {model.__name__: _without_definitions(part) for model, part in zip(models, parts, strict=True)}
        shared |= kinds
        body = {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in kinds]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://kwitness.dev/schemas/{schema_name(models[0])}",
        "$comment": "Generated from contracts/ by `make generate`; do not edit.",
        **without_titles({**({"$defs": shared} if shared else {}), **_without_definitions(body)}),
    }


def _without_definitions(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "$defs"}


def event_schemas(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each schema."""
    for models in (*EVENT_MODELS, *((model,) for model in FILE_MODELS)):
        name = schema_name(models[0]).replace("/", ".v")
        text = json.dumps(event_schema(*models), indent=2, ensure_ascii=False)
        yield root / "contracts/schemas" / f"{name}.json", f"{text}\n"
