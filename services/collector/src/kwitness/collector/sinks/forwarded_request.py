"""Writes pushes as one OTLP request, with who pushed as attributes of each resource."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from kwitness.collector.events import Event
from kwitness.collector.otlp import bounds
from kwitness.contracts.collector_config import ForwardConfig
from kwitness.contracts.semantic_attributes import semantic_attributes

_OF_CONNECTIONS: Final = frozenset({"broker_id", "listener", "client_address", "client_source_port"})
"""Identity keys that change while a client lives. Backends would add up a sum before and one after a change."""


def encode(batch: Iterable[Event], config: ForwardConfig) -> tuple[bytes, list[Event]]:
    """Return a request, and the pushes in it: those that can be read."""
    request = ExportMetricsServiceRequest()
    readable: list[Event] = []
    for event in batch:
        try:
            bounds.check(event.payload, bounds.MAX_PUSH_FIELDS, bounds.MAX_PUSH_FIELDS)
            export = ExportMetricsServiceRequest.FromString(event.payload)
        except (DecodeError, IndexError, ValueError):
            continue
        added = _added(event.identity, config)
        for resource_metrics in export.resource_metrics:
            present = {attribute.key for attribute in resource_metrics.resource.attributes}
            for key, value in added.items():
                if key not in present:
                    attribute = resource_metrics.resource.attributes.add()
                    attribute.key, attribute.value.string_value = key, value.encode("utf-8", "replace").decode()
        request.MergeFrom(export)
        readable.append(event)
    return request.SerializeToString(), readable


def _added(identity: Mapping[str, str], config: ForwardConfig) -> dict[str, str]:
    added = {} if config.attributes == "semantic" else dict(identity)
    if config.temporality == "cumulative":
        added = {key: value for key, value in added.items() if key not in _OF_CONNECTIONS}
    return added if config.attributes == "own" else {**added, **semantic_attributes(identity)}
