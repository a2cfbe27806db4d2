"""Headers of the records in the topics: UTF-8 text; identity keys stand beside these under their own names."""

from __future__ import annotations

from .identity import IDENTITY_KEYS
from .registry_entries import RecordHeader
from .tables.record_headers import ENTRIES

__all__ = [
    "ALL_HEADER_NAMES",
    "CONTENT_TYPE",
    "EVENT_EPOCH",
    "EVENT_SEQ",
    "EVENT_SOURCE",
    "FILTERED",
    "OTLP_CONTENT_TYPE",
    "PLAIN_OTLP",
    "PUSH_INTERVAL_MS",
    "RECEIVED_AT_MS",
    "RECORD_HEADERS",
    "REPORTED_BY",
    "SCHEMA",
    "TERMINATING",
    "RecordHeader",
]

SCHEMA = "schema"
EVENT_SOURCE = "event_source"
EVENT_EPOCH = "event_epoch"
EVENT_SEQ = "event_seq"
RECEIVED_AT_MS = "received_at_ms"
PUSH_INTERVAL_MS = "push_interval_ms"
TERMINATING = "terminating"
FILTERED = "filtered"
CONTENT_TYPE = "content_type"
REPORTED_BY = "reported_by"

OTLP_CONTENT_TYPE = "application/x-protobuf"
"""Value of the header `content_type`."""

PLAIN_OTLP = "otlp/"
"""Begins `event_source` and the record's key where a push came by plain OTLP: the key then says whose it is.

A broker gives its clients ids of their own; an instance id of plain OTLP is unique within its service alone.
"""

RECORD_HEADERS: tuple[RecordHeader, ...] = ENTRIES
"""The headers besides the identity keys."""

ALL_HEADER_NAMES: tuple[str, ...] = (
    *(header.name for header in ENTRIES if "telemetry" in header.topics),
    *IDENTITY_KEYS,
)
"""Every header a telemetry record may have."""
