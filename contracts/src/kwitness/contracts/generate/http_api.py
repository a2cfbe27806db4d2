"""The collector's HTTP API as OpenAPI 3.1, in `contracts/http/collector.yaml`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from kwitness.contracts.audiences import collector_audience, inventory_audience
from kwitness.contracts.endpoints import (
    CLIENTS_PATH,
    CLUSTER_PATH,
    EVENTS_PATH,
    GAUGES_PATH,
    OTLP_GRPC_PORT,
    OTLP_HTTP_PORT,
    PUSHES_PATH,
    SUBSCRIPTION_PATH,
)
from kwitness.contracts.envelopes import (
    ClientPage,
    ClusterState,
    ErrorBody,
    GaugeSnapshot,
    PushAnswer,
    PushBatch,
    SubscriptionState,
)

from .event_schemas import without_titles

__all__ = ["OPERATIONS", "Operation", "http_api"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One request that the collector answers.

    Attributes
    ----------
    method, path
        As in OpenAPI.
    summary
        What it does.
    audience
        Audience of the bearer token: one to send, another to read.
    request, answer
        Bodies; None where there is none.
    parameters
        Name, place and meaning of each parameter.
    statuses
        Statuses besides 200 and what they tell the caller to do.
    """

    method: str
    path: str
    summary: str
    audience: str
    request: type[BaseModel] | None = None
    answer: type[BaseModel] | None = None
    parameters: tuple[tuple[str, str, str], ...] = ()
    statuses: tuple[tuple[int, str], ...] = ()


_SENDERS = collector_audience("NAMESPACE", "NAME")
_READERS = inventory_audience("NAMESPACE", "NAME")
_SENDING = (
    (400, "The body is not what the schema says; do not send it again."),
    (401, "The token is missing, expired or unknown; read it again and resend."),
    (403, "The token's source may not speak for this cluster or client."),
    (413, "The body is longer than 8 MiB, or 64 MiB after decompression; send less."),
    (415, "Content-Type or Content-Encoding is not known."),
    (503, "A durable sink did not take it, or it came too slowly; send the whole batch again after Retry-After."),
)
_READING = (
    (400, "A parameter is not what it may be."),
    (401, "The token is missing, expired or unknown."),
    (403, "The token's service account is no reader."),
    (404, "Unknown path, cluster or subscription."),
    (503, "The API server cannot be asked about the token; ask again after Retry-After."),
)
_LOCAL = ("local", "query", "true: only what this replica knows, without asking the others.")

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "post",
        PUSHES_PATH,
        "Hands over client pushes in order; answered after every enabled durable sink has them.",
        _SENDERS,
        request=PushBatch,
        answer=PushAnswer,
        parameters=(("Kwitness-Forwarded", "header", "1 on the hop between replicas; such a batch goes no further."),),
        statuses=_SENDING,
    ),
    Operation(
        "post",
        GAUGES_PATH,
        "A plugin's heartbeat, every 10 s, with the broker's connection gauges.",
        _SENDERS,
        request=GaugeSnapshot,
        parameters=(("Kwitness-Forwarded", "header", "1 on the hop between replicas."),),
        statuses=_SENDING,
    ),
    Operation(
        "post",
        EVENTS_PATH,
        "Reserved for events of observers; answered 501 by this version.",
        _SENDERS,
        statuses=((501, "Not in this version; do not send it again."),),
    ),
    Operation(
        "get",
        CLIENTS_PATH,
        "The client inventory, a page at a time.",
        _READERS,
        answer=ClientPage,
        parameters=(
            ("limit", "query", "Most items of the page; 100 unless given, at most 1000."),
            ("continue", "query", "Token of the page before."),
            _LOCAL,
        ),
        statuses=_READING,
    ),
    Operation(
        "get",
        SUBSCRIPTION_PATH,
        "One broker subscription in numbers.",
        _READERS,
        answer=SubscriptionState,
        parameters=(("id", "path", "Name of the CLIENT_METRICS configuration in the broker."), _LOCAL),
        statuses=_READING,
    ),
    Operation(
        "get",
        CLUSTER_PATH,
        "Brokers, software, series and ledger of a cluster.",
        _READERS,
        answer=ClusterState,
        parameters=(("cluster_id", "path", "Cluster id."), _LOCAL),
        statuses=_READING,
    ),
)
"""All requests, in the order of the reference."""


def _content(model: type[BaseModel]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}


def _operation(operation: Operation) -> dict[str, Any]:
    made: dict[str, Any] = {"summary": operation.summary, "security": [{"bearer": []}]}
    made["description"] = f"The bearer token has the audience {operation.audience} of the TelemetryCollector."
    if operation.parameters:
        made["parameters"] = [
            {
                "name": name,
                "in": place,
                "required": place == "path",
                "description": text,
                "schema": {"type": "string"},
            }
            for name, place, text in operation.parameters
        ]
    if operation.request:
        made["requestBody"] = {"required": True, "content": _content(operation.request)}
    answers: dict[str, Any] = {}
    if operation.path != EVENTS_PATH:
        answers["200"] = {"description": "Done."}
        if operation.answer:
            answers["200"]["content"] = _content(operation.answer)
    answers |= {str(code): {"description": text, "content": _content(ErrorBody)} for code, text in operation.statuses}
    made["responses"] = answers
    return made


def _bodies() -> Iterator[type[BaseModel]]:
    for one in OPERATIONS:
        if one.request:
            yield one.request
        if one.answer:
            yield one.answer
    yield ErrorBody


def openapi() -> dict[str, Any]:
    """Return the OpenAPI document."""
    _, schemas = models_json_schema(
        [(model, "validation") for model in _bodies()],
        by_alias=True,
        ref_template="#/components/schemas/{model}",
    )
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kwitness collector",
            "version": "1",
            "description": "Every request needs TLS and a bearer token. Bodies may be compressed "
            "(Content-Encoding: gzip). OTLP is received beside this, on the standard ports "
            f"{OTLP_GRPC_PORT} and {OTLP_HTTP_PORT}.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": without_titles(schemas["$defs"]),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def http_api(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of the OpenAPI file."""
    text = yaml.safe_dump(openapi(), sort_keys=False, width=120, allow_unicode=True)
    yield (
        root / "contracts/http/collector.yaml",
        f"# Generated from contracts/ by `make generate`; do not edit.\n{text}",
    )
