"""Generated from contracts/registry/record_headers.yaml by `make generate`; do not edit."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from kwitness.contracts.registry_entries import RecordHeader

ENTRIES: tuple[RecordHeader, ...] = (
    RecordHeader(name="schema", type="string", topics=("telemetry", "traffic", "connections", "requests", "interceptions", "headers", "seals"), required=True, help="Name and version of the value, such as kwitness.telemetry/1."),
    RecordHeader(name="event_source", type="string", topics=("telemetry", "traffic", "connections", "requests", "interceptions", "headers", "seals"), required=True, help="Who numbered the event: <cluster id>/<broker id> for a plugin, <namespace>/<pod> for an observer, <namespace>/<pod>/<reporter> for interceptors."),
    RecordHeader(name="event_epoch", type="int64", topics=("telemetry", "traffic", "connections", "requests", "interceptions", "headers", "seals"), required=True, help="Start of the source, in milliseconds since 1970; a restart begins a new epoch."),
    RecordHeader(name="event_seq", type="int64", topics=("telemetry", "traffic", "connections", "requests", "interceptions", "headers", "seals"), required=True, help="Number within the epoch; source, epoch and number together are the event id."),
    RecordHeader(name="received_at_ms", type="int64", topics=("telemetry",), required=True, help="When the source received the push, in milliseconds since 1970."),
    RecordHeader(name="push_interval_ms", type="int64", topics=("telemetry",), required=False, help="The client's push interval, where the broker says it."),
    RecordHeader(name="terminating", type="boolean", topics=("telemetry",), required=False, help="true for a client's last push."),
    RecordHeader(name="filtered", type="boolean", topics=("telemetry",), required=False, help="true where the collector's spec.filter or spec.identity was applied to the payload: its bytes need not be the client's."),
    RecordHeader(name="content_type", type="string", topics=("telemetry",), required=True, help="Always application/x-protobuf: an OTLP MetricsData message."),
    RecordHeader(name="reported_by", type="string", topics=("traffic", "connections", "requests", "interceptions", "headers", "seals"), required=True, help="What the collector knows the observer as: gateway, broker, or pod (interceptors always), whose owner may claim any client. The key of this name in the value is what it said itself."),
)
