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
    CLIENT_METRICS_PATH,
    CLIENT_PODS_PATH,
    CLIENTS_PATH,
    CLUSTER_PATH,
    CONNECTIONS_PATH,
    DIRECTIVES_PATH,
    EVENTS_PATH,
    GAUGES_PATH,
    INTERCEPTOR_DIRECTIVES_PATH,
    OBSERVER_SUBSCRIPTIONS_PATH,
    OTLP_GRPC_PORT,
    OTLP_HTTP_PORT,
    PUSHES_PATH,
    SILENT_PATH,
    SUBSCRIPTION_PATH,
    SUBSCRIPTIONS_PATH,
)
from kwitness.contracts.envelopes import (
    EVENTS_CONTENT_TYPE,
    ClientMetrics,
    ClientPage,
    ClientPods,
    ClusterState,
    ClusterSubscriptions,
    ConnectionPage,
    ErrorBody,
    EventsAnswer,
    EventsHead,
    GaugeSnapshot,
    GroupPage,
    InterceptorsHead,
    PushAnswer,
    PushBatch,
    ResourceDirectives,
    SilentClients,
    SubscriptionAnswer,
    SubscriptionList,
    TrafficPage,
)
from kwitness.contracts.nouns import CLIENTS, CONNECTIONS, GROUPS, TRAFFIC

from .event_schemas import without_titles
from .http_statuses import DIRECTING, EVENTS, READING, READING_SUBSCRIPTIONS, SENDING
from .question_parameters import LOCAL, parameters_of

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
    or_request
        Another body that may come instead.
    lines
        What follows the request in the same body, where that is JSON lines.
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
    or_request: type[BaseModel] | None = None
    answer: type[BaseModel] | None = None
    lines: str = ""
    parameters: tuple[tuple[str, str, str], ...] = ()
    statuses: tuple[tuple[int, str], ...] = ()


_SENDERS = collector_audience("NAMESPACE", "NAME")
_READERS = inventory_audience("NAMESPACE", "NAME")
_FORWARDED = ("Kwitness-Forwarded", "header", "1 on the hop between replicas; such a request goes no further.")
_DEPLOYMENT = (("namespace", "path", "Namespace of the ObserverDeployment."), ("name", "path", "Its name."))

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "post",
        PUSHES_PATH,
        "Hands over client pushes in order; answered after every enabled durable sink has them.",
        _SENDERS,
        request=PushBatch,
        answer=PushAnswer,
        parameters=(("Kwitness-Forwarded", "header", "1 on the hop between replicas; such a batch goes no further."),),
        statuses=SENDING,
    ),
    Operation(
        "post",
        GAUGES_PATH,
        "A plugin's heartbeat, every 10 s, with the broker's connection gauges.",
        _SENDERS,
        request=GaugeSnapshot,
        parameters=(("Kwitness-Forwarded", "header", "1 on the hop between replicas."),),
        statuses=SENDING,
    ),
    Operation(
        "post",
        EVENTS_PATH,
        "Hands over what an observer or interceptors saw, and is their heartbeat, every 5 s at least; answered number "
        "by number.",
        _SENDERS,
        request=EventsHead,
        or_request=InterceptorsHead,
        answer=EventsAnswer,
        lines="Then the rows that it lists, a JSON object on each line; they go to their topics unread.",
        parameters=(
            ("Kwitness-Protocol", "header", "Version of the protocol that the sender speaks: 2."),
            ("Kwitness-Owner", "header", "Ordinal of the replica that the sender holds for the owner of its source."),
            _FORWARDED,
            ("Kwitness-Cluster", "header", "On that hop: the cluster that the sender may speak of."),
            ("Kwitness-Pod", "header", "On that hop: <namespace>/<pod> of the sender."),
            ("Kwitness-Reported-By", "header", "On that hop: what the sender is known as."),
            ("Kwitness-Intercepts", "header", "On that hop: 1 for a sender that may send interceptors' events alone."),
        ),
        statuses=EVENTS,
    ),
    Operation(
        "put",
        DIRECTIVES_PATH,
        "Tells the observers of one ObserverDeployment what to do, with the next answer that each of them gets.",
        _READERS,
        request=ResourceDirectives,
        parameters=(*_DEPLOYMENT, _FORWARDED),
        statuses=DIRECTING,
    ),
    Operation(
        "get",
        OBSERVER_SUBSCRIPTIONS_PATH,
        "All subscriptions of the cluster, for an observer that answers clients' telemetry and was told another hash of"
        " them than it knows.",
        _SENDERS,
        answer=ClusterSubscriptions,
        parameters=_DEPLOYMENT,
        statuses=READING_SUBSCRIPTIONS,
    ),
    Operation(
        "put",
        OBSERVER_SUBSCRIPTIONS_PATH,
        "Tells the subscriptions of the cluster before the mounted file says so; observers learn of them with the next"
        " answer that each of them gets.",
        _READERS,
        request=ClusterSubscriptions,
        parameters=(*_DEPLOYMENT, _FORWARDED),
        statuses=DIRECTING,
    ),
    Operation(
        "put",
        INTERCEPTOR_DIRECTIVES_PATH,
        "Tells the interceptors of one InterceptorProfile what to do, likewise.",
        _READERS,
        request=ResourceDirectives,
        parameters=(
            ("namespace", "path", "Namespace of the InterceptorProfile."),
            ("name", "path", "Its name."),
            _FORWARDED,
        ),
        statuses=DIRECTING,
    ),
    Operation(
        "put",
        CLIENT_PODS_PATH,
        "Hands over the pods by whose addresses clients are attributed, as listed at one time.",
        _READERS,
        request=ClientPods,
        parameters=(_FORWARDED,),
        statuses=DIRECTING,
    ),
    Operation(
        "get",
        CLIENTS_PATH,
        "The client inventory, a page at a time, or what changed in it.",
        _READERS,
        answer=ClientPage,
        parameters=parameters_of(CLIENTS),
        statuses=READING,
    ),
    Operation(
        "get",
        CLIENT_METRICS_PATH,
        "What one client instance sends: its metrics' newest values, as they are exposed.",
        _READERS,
        answer=ClientMetrics,
        parameters=(("client_instance_id", "path", "Client instance id, as in the inventory."), LOCAL),
        statuses=(
            *READING[:3],
            (404, "UnknownClient: no client of that id was heard from, or not for long; look for it in the inventory."),
            (503, "Partial: replicas that may know it did not answer, or the API server did not; ask again."),
        ),
    ),
    Operation(
        "get",
        CONNECTIONS_PATH,
        "Connections that are open at observers, one by one, a page at a time. The first question has observers list "
        "them: ask again until none is awaited. Software that a client did not name is `unknown`.",
        _READERS,
        answer=ConnectionPage,
        parameters=parameters_of(CONNECTIONS),
        statuses=READING,
    ),
    Operation(
        "get",
        TRAFFIC.path,
        "What clients do now, from the last three closed windows of each observer. `order` has the largest first alone,"
        " as `-requests_per_s`, and no next page.",
        _READERS,
        answer=TrafficPage,
        parameters=parameters_of(TRAFFIC),
        statuses=READING,
    ),
    Operation(
        "get",
        GROUPS.path,
        "How far committed offsets of consumer groups are behind, likewise.",
        _READERS,
        answer=GroupPage,
        parameters=parameters_of(GROUPS),
        statuses=READING,
    ),
    Operation(
        "get",
        SILENT_PATH,
        "Clients that are connected and do not push, and why; one by one where an observer or a broker knows them so.",
        _READERS,
        answer=SilentClients,
        parameters=(
            ("ours", "query", "true: the platform's own as well."),
            ("proven", "query", "true: clients whose namespace a token proves alone, apart by namespace."),
            LOCAL,
        ),
        statuses=READING,
    ),
    Operation(
        "get",
        SUBSCRIPTIONS_PATH,
        "All broker subscriptions of the cluster in numbers.",
        _READERS,
        answer=SubscriptionList,
        parameters=(LOCAL,),
        statuses=READING,
    ),
    Operation(
        "get",
        SUBSCRIPTION_PATH,
        "One broker subscription in numbers.",
        _READERS,
        answer=SubscriptionAnswer,
        parameters=(("id", "path", "Name of the CLIENT_METRICS configuration in the broker."), LOCAL),
        statuses=READING,
    ),
    Operation(
        "get",
        CLUSTER_PATH,
        "Brokers, software, series and ledger of a cluster. Readers with a scope are refused: it counts all clients.",
        _READERS,
        answer=ClusterState,
        parameters=(("cluster_id", "path", "Cluster id."), LOCAL),
        statuses=READING,
    ),
)
"""All requests, in the order of the reference."""


def _content(*models: type[BaseModel], media_type: str = "application/json") -> dict[str, Any]:
    references = [{"$ref": f"#/components/schemas/{model.__name__}"} for model in models]
    return {media_type: {"schema": references[0] if len(references) == 1 else {"oneOf": references}}}


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
        media_type = EVENTS_CONTENT_TYPE if operation.lines else "application/json"
        models = [operation.request, *([operation.or_request] if operation.or_request else [])]
        made["requestBody"] = {"required": True, "content": _content(*models, media_type=media_type)}
        if operation.lines:
            names = " or ".join(model.__name__ for model in models)
            made["requestBody"]["description"] = f"On the first line the JSON object {names}. {operation.lines}"
    answers: dict[str, Any] = {"200": {"description": "Done."}}
    if operation.answer:
        answers["200"]["content"] = _content(operation.answer)
    answers |= {str(code): {"description": text, "content": _content(ErrorBody)} for code, text in operation.statuses}
    made["responses"] = answers
    return made


def _bodies() -> Iterator[type[BaseModel]]:
    for one in OPERATIONS:
        if one.request:
            yield one.request
        if one.or_request:
            yield one.or_request
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
