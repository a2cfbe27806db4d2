"""An OTLP export request as events: one per resource, numbered by this replica, since OTLP itself numbers nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.events import PLAIN_OTLP, Event
from kwitness.collector.failures import RefusedError
from kwitness.collector.otlp.decode import attributes_of
from kwitness.collector.otlp.identity import identity_of
from kwitness.collector.otlp.wire import write_varint


class Numbering:
    """Event ids of what this replica received by plain OTLP."""

    def __init__(self, ordinal: int, epoch_ms: int) -> None:
        self.source = f"{PLAIN_OTLP}{ordinal}"
        self.epoch_ms = epoch_ms
        self._next = 0

    def take(self) -> int:
        """Return the next number."""
        self._next += 1
        return self._next


@dataclass(frozen=True, slots=True)
class Export:
    """A request as events, and what was refused of it."""

    events: tuple[Event, ...]
    refused_points: int
    refused_because: str


def parse(body: bytes, *, as_json: bool) -> ExportMetricsServiceRequest:
    """Read a request body; raises `RefusedError` when it is none."""
    try:
        request = ExportMetricsServiceRequest()
        if as_json:
            json_format.Parse(body, request, ignore_unknown_fields=True)
        else:
            request.MergeFromString(body)
    except (DecodeError, json_format.ParseError, UnicodeDecodeError, RecursionError) as error:
        raise RefusedError("MalformedPayload", f"the body is no OTLP metrics request: {error}"[:300]) from error
    return request


def to_events(
    request: ExportMetricsServiceRequest,
    numbering: Numbering,
    now_ms: int,
    cluster_id: str | None,
    caller: str = "",
) -> Export:
    """Split a request by resource; ``cluster_id`` is the one that the sender may speak of, or None for any.

    ``caller`` is who sends, as its token says.
    """
    events: list[Event] = []
    refused, because = 0, ""
    for resource_metrics in request.resource_metrics:
        identity = identity_of(attributes_of(resource_metrics.resource.attributes))
        if cluster_id is not None and identity.get("cluster_id", cluster_id) != cluster_id:
            refused += _count(resource_metrics)
            because = f"this sender may only speak of cluster {cluster_id}"
            continue
        content = resource_metrics.SerializeToString()
        # A MetricsData with this one resource as its field 1: writing the tag is cheaper than copying the message.
        payload = b"\x0a" + write_varint(len(content)) + content
        number = numbering.take()
        events.append(Event(numbering.source, numbering.epoch_ms, number, now_ms, identity, payload, caller=caller))
    return Export(tuple(events), refused, because)


def points_in(event: Event) -> int:
    """Count the data points of an event of `to_events`."""
    return sum(_count(one) for one in MetricsData.FromString(event.payload).resource_metrics)


def _count(resource_metrics: Any) -> int:
    total = 0
    for scope in resource_metrics.scope_metrics:
        for metric in scope.metrics:
            kind = metric.WhichOneof("data")
            if kind is not None:
                total += len(getattr(metric, kind).data_points)
    return total


def response(refused_points: int, because: str) -> ExportMetricsServiceResponse:
    """Write the answer, with a partial success when points were refused."""
    answer = ExportMetricsServiceResponse()
    if refused_points:
        answer.partial_success.rejected_data_points = refused_points
        answer.partial_success.error_message = because
    return answer


def error_status(code: int, message: str, *, as_json: bool) -> bytes:
    """Write a ``google.rpc.Status`` for an HTTP error, as OTLP asks for: field 1 is the code, 2 the message."""
    if as_json:
        return json.dumps({"code": code, "message": message}).encode()
    text = message.encode("utf-8", "replace")[:1000]
    return b"\x08" + bytes([code]) + b"\x12" + write_varint(len(text)) + text
