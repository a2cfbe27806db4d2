"""An OTLP export request as events: one per client, numbered by this replica, since OTLP itself numbers nothing."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import json_format
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, MetricsData

from kwitness.collector.events import Event
from kwitness.collector.failures import BodyTooLargeError, RefusedError
from kwitness.collector.otlp import bounds
from kwitness.collector.otlp.decode import attributes_of
from kwitness.collector.otlp.identity import identity_of, key_of
from kwitness.collector.otlp.kafka_clients import Allowance, by_client
from kwitness.collector.otlp.wire import write_varint
from kwitness.contracts.record_headers import PLAIN_OTLP

_IDS: Final = frozenset({"traceId", "spanId", "trace_id", "span_id"})
_ADDED: Final = frozenset({"sum", "histogram"})
_DELTA: Final = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
_LEFT_OUT: Final = {
    "unsupported": "of a type, name or bounds that are not exposed",
    "bounds": "of histograms whose bounds differ from those of their series",
    "families": "of metrics beyond those that this collector exposes",
    "attributes": "with attributes that are too long",
    "budget": "of series for which there is no room",
    "conflict": "of a metric that has two types in one export",
    "too_many": f"beyond the first {bounds.MAX_PUSH_POINTS} of a resource",
    "invalid_value": "of counters with a value below zero, or one that is no number",
}
_RETRY_INFO: Final = b"type.googleapis.com/google.rpc.RetryInfo"
_UNAVAILABLE: Final = 14


class Numbering:
    """Event ids of what this replica received by plain OTLP."""

    def __init__(self, ordinal: int, epoch_ms: int) -> None:
        self.source = f"{PLAIN_OTLP}{ordinal}"
        self.epoch_ms = epoch_ms
        self._numbers = itertools.count(1)

    def take(self) -> int:
        """Return the next number; several threads may ask for one."""
        return next(self._numbers)


@dataclass(frozen=True, slots=True)
class Export:
    """A request as events, and what was refused of it."""

    events: tuple[Event, ...]
    refused_points: int
    refused_because: str


def parse(body: bytes, *, as_json: bool) -> ExportMetricsServiceRequest:
    """Read a request body; raises `RefusedError` when it is none, or holds more than is taken at once."""
    try:
        request = _from_json(body) if as_json else _from_bytes(body)
    except bounds.TooMuchError as error:
        raise _too_large(error) from error
    except (DecodeError, json_format.ParseError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise RefusedError("MalformedPayload", f"the body is no OTLP metrics request: {error}"[:300]) from error
    except RecursionError as error:
        raise RefusedError("MalformedPayload", "no OTLP metrics request: it is nested too deeply") from error
    if len(request.resource_metrics) > bounds.MAX_RESOURCES:
        message = f"the export is too large: it has more than {bounds.MAX_RESOURCES} resources; send smaller batches"
        raise BodyTooLargeError("TooLarge", message)
    return request


def _too_large(error: bounds.TooMuchError) -> BodyTooLargeError:
    return BodyTooLargeError("TooLarge", f"the export is too large: {error}")


def _from_json(body: bytes) -> ExportMetricsServiceRequest:
    if len(body) > bounds.MAX_JSON:
        raise bounds.TooMuchError(f"it has more than {bounds.MAX_JSON} bytes of JSON; send smaller batches")
    request = ExportMetricsServiceRequest()
    document = _with_ids(json.loads(body))
    try:
        json_format.ParseDict(document, request, ignore_unknown_fields=True)
    except (SystemError, ArithmeticError) as error:  # protobuf's, of half a surrogate pair and of infinite integers
        raise ValueError("a name in it is no text, or an integer is infinite") from error
    return request


def _from_bytes(body: bytes) -> ExportMetricsServiceRequest:
    bounds.check(body, bounds.MAX_POINTS, bounds.MAX_FIELDS)
    request = ExportMetricsServiceRequest()
    request.MergeFromString(body)
    return request


def _with_ids(told: Any) -> Any:
    """Write ids of traces and spans as protobuf's JSON has bytes: OTLP has them in hexadecimal digits."""
    if not isinstance(told, dict):
        raise TypeError("it is no object")
    waiting: list[Any] = [told]
    count = 0
    while waiting:
        one = waiting.pop()
        count += len(one) if isinstance(one, dict | list) else 0
        if count > bounds.MAX_JSON_ELEMENTS:
            raise bounds.TooMuchError(f"it has more than {bounds.MAX_JSON_ELEMENTS} elements; send smaller batches")
        if isinstance(one, dict):
            for key, value in one.items():
                if key in _IDS and isinstance(value, str):
                    one[key] = base64.b64encode(bytes.fromhex(value)).decode()
                elif isinstance(value, dict | list):
                    waiting.append(value)
        elif isinstance(one, list):
            waiting.extend(item for item in one if isinstance(item, dict | list))
    return told


def to_events(
    request: ExportMetricsServiceRequest, numbering: Numbering, now_ms: int, cluster_id: str | None, caller: str = ""
) -> Export:
    """Split a request by resource and Kafka client; ``cluster_id`` is what the sender may speak of, or None for any.

    ``caller`` is who sends, as its token says; what comes again is recognised as far as it comes from the same one.
    Raises `BodyTooLargeError` when it is of too many clients.
    """
    events: list[Event] = []
    refused, because = 0, ""
    allowance = Allowance()
    for resource_metrics in request.resource_metrics:
        identity = identity_of(attributes_of(resource_metrics.resource.attributes))
        if cluster_id is not None and identity.get("cluster_id", cluster_id) != cluster_id:
            refused += _count(resource_metrics)
            because = f"this sender may only speak of cluster {cluster_id}"
            continue
        try:
            parts = by_client(resource_metrics, allowance)
        except bounds.TooMuchError as error:
            raise _too_large(error) from error
        for part in parts:
            event = _event(part, numbering, now_ms, f"{caller} {cluster_id}")
            events.append(dataclasses.replace(event, caller=caller))
    return Export(tuple(events), refused, because)


def _event(resource_metrics: Any, numbering: Numbering, now_ms: int, sender: str) -> Event:
    attributes = attributes_of(resource_metrics.resource.attributes)
    identity = identity_of(attributes)
    content = resource_metrics.SerializeToString()
    # A MetricsData with this one resource as its field 1: writing the tag is cheaper than copying the message.
    payload = b"\x0a" + write_varint(len(content)) + content
    known_as = key_of(attributes, identity)
    content = _content(sender, content) if _adds_again(resource_metrics) else None
    event = Event(numbering.source, numbering.epoch_ms, numbering.take(), now_ms, identity, payload)
    return dataclasses.replace(event, known_as=known_as, content=content)


def _content(caller: str, content: bytes) -> str:
    digest = hashlib.sha256(caller.encode("utf-8", "replace") + b"\0")
    digest.update(content)
    return digest.hexdigest()


def _adds_again(resource_metrics: Any) -> bool:
    """Whether there are deltas, which would be added again; without a time equal bytes may be different deltas."""
    found = False
    for scope in resource_metrics.scope_metrics:
        for metric in scope.metrics:
            kind = metric.WhichOneof("data")
            if kind in _ADDED and getattr(metric, kind).aggregation_temporality == _DELTA:
                if not all(point.time_unix_nano for point in getattr(metric, kind).data_points):
                    return False
                found = True
    return found


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


def why_left_out(left_out: Mapping[str, int]) -> str:
    """Say in words why points are not exposed."""
    return "; ".join(f"{count} points {_LEFT_OUT.get(reason, reason)}" for reason, count in left_out.items())


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
    return _status(code, message)


def try_again_status(message: str, after_s: int) -> bytes:
    """Write the ``google.rpc.Status`` of UNAVAILABLE with a ``RetryInfo``: field 3 holds an ``Any`` of type and value.

    The ``RetryInfo`` holds a ``Duration`` as field 1, and that its seconds as field 1.
    """
    seconds = b"\x08" + write_varint(after_s)
    info = _field(b"\x0a", _RETRY_INFO) + _field(b"\x12", _field(b"\x0a", seconds))
    return _status(_UNAVAILABLE, message) + _field(b"\x1a", info)


def _status(code: int, message: str) -> bytes:
    return b"\x08" + bytes([code]) + _field(b"\x12", message.encode("utf-8", "replace")[:1000])


def _field(tag: bytes, content: bytes) -> bytes:
    return tag + write_varint(len(content)) + content
