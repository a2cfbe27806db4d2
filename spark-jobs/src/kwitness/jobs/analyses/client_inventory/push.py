"""A record of the telemetry topic: one push of one client instance."""

from __future__ import annotations

from functools import lru_cache

from google.protobuf.message import DecodeError
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.record_headers import EVENT_SOURCE, PLAIN_OTLP, RECEIVED_AT_MS, SCHEMA, TERMINATING
from kwitness.contracts.topics import TELEMETRY_SCHEMA
from kwitness.jobs.analyses.client_inventory.conformance import roles_of
from kwitness.jobs.analyses.client_inventory.row import (
    INSTANCE,
    MAX_METRICS,
    MAX_TEXT,
    InventoryRow,
    bounded,
    bounded_row,
    row_id,
)
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.rejection import RejectedRecordError

_LARGEST_TIME_MS = 2**53
_WANTED = frozenset({*IDENTITY_KEYS, EVENT_SOURCE, SCHEMA, TERMINATING, RECEIVED_AT_MS})


def push_row(record: KafkaRecord) -> InventoryRow:
    """What one push says.

    An empty or absent value is a push without metrics, which clients do send (field notes: KIP-714 clients push null
    when a subscription matches nothing they have); it still says that the client is there.

    Raises
    ------
    RejectedRecordError
        `UnknownSchema`, `MissingHeader`, `InvalidHeader` or `MalformedPayload`.
    """
    headers = _headers(record)
    if _required(headers, SCHEMA) != TELEMETRY_SCHEMA:
        raise RejectedRecordError("UnknownSchema", f"header schema is not {TELEMETRY_SCHEMA}")
    cluster_id = _required(headers, "cluster_id")
    client = _client(record, headers)
    received_at_ms = _time(_required(headers, RECEIVED_AT_MS))
    names = metric_names(record.value or b"")
    metrics, roles = _shared(names) if len(names) <= MAX_METRICS else (names, roles_of(names))
    name, version = headers.get("client_software_name"), headers.get("client_software_version")
    row = InventoryRow(
        kind=INSTANCE,
        row_id=row_id(INSTANCE, cluster_id, client),
        identity=tuple(headers.get(key) for key in IDENTITY_KEYS),
        first_seen_ms=received_at_ms,
        last_seen_ms=received_at_ms,
        versions=frozenset({((name, version), received_at_ms, received_at_ms)}),
        metrics=metrics,
        metrics_truncated=False,
        roles=roles,
        terminated=_boolean(headers.get(TERMINATING, "false"), TERMINATING),
    )
    return bounded_row(row)


# A client may send other names in each push, so only a few sets are kept, and none that is larger than a row's.
@lru_cache(maxsize=64)
def _shared(names: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The first of equal sets, with its roles: clients of one kind send the same names, and then share one set."""
    return names, roles_of(names)


def metric_names(payload: bytes) -> frozenset[str]:
    """The distinct names of the metrics in OTLP bytes. This is the seam for a faster decoder.

    Raises
    ------
    RejectedRecordError
        `MalformedPayload`: the bytes are not OTLP metrics.
    """
    if not payload:
        return frozenset()
    try:
        data = MetricsData.FromString(payload)
    except DecodeError:
        raise RejectedRecordError("MalformedPayload", f"{len(payload)} bytes that are not OTLP metrics") from None
    if not data.resource_metrics:
        # Protobuf skips fields it does not know, so some garbage parses, into nothing.
        raise RejectedRecordError("MalformedPayload", f"{len(payload)} bytes without any field of OTLP metrics")
    # One list comprehension, and a look at lengths only where one is too long: this is the hot path.
    names = [
        metric.name
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    ]
    if len(max(names, key=len, default="")) > MAX_TEXT:
        names = [bounded(name) for name in names]
    return frozenset(names)


def _headers(record: KafkaRecord) -> dict[str, str]:
    texts: dict[str, str] = {}
    for key, value in record.headers:
        if key in _WANTED and value is not None:
            try:
                texts[key] = bounded(value.decode("utf-8"))
            except UnicodeDecodeError:
                raise RejectedRecordError("InvalidHeader", f"header {key} is not UTF-8") from None
    return texts


def _client(record: KafkaRecord, headers: dict[str, str]) -> str:
    """By what the collector tells a client from others: the record's key, which for a broker's is its instance id.

    Of plain OTLP it is made of the service as well (docs/decisions/0115), and there where no instance was named.
    """
    key = record.key or b""
    if headers.get(EVENT_SOURCE, "").startswith(PLAIN_OTLP) and key.startswith(PLAIN_OTLP.encode()):
        return bounded(key.decode("utf-8", "replace"))
    return _required(headers, "client_instance_id")


def _required(headers: dict[str, str], key: str) -> str:
    value = headers.get(key)
    if not value:
        raise RejectedRecordError("MissingHeader", f"header {key} is absent or empty")
    return value


def _time(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 17 and int(text) < _LARGEST_TIME_MS):  # noqa: PLR2004
        raise RejectedRecordError("InvalidHeader", "header received_at_ms is not milliseconds since the epoch")
    return int(text)


def _boolean(text: str, key: str) -> bool:
    if text not in {"true", "false"}:
        raise RejectedRecordError("InvalidHeader", f"header {key} is neither true nor false")
    return text == "true"
