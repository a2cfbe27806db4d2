"""Spans of the application's OpenTelemetry, where it has imported that; nothing of it is imported here."""

from __future__ import annotations

import sys
from typing import Any, Optional

from .traceparent import TraceParent

__all__ = ["of_receiving", "of_sending"]

_API = "opentelemetry.trace"
_TRACER = "kwitness.interceptors"
_INSTRUMENTATIONS = tuple(f"opentelemetry.instrumentation.{one}" for one in ("confluent_kafka", "kafka", "aiokafka"))
_NO_PROVIDERS = frozenset({"ProxyTracerProvider", "NoOpTracerProvider"})


def of_sending(topic: str, own: Optional[TraceParent]) -> Optional[TraceParent]:
    """Return what a record is to say: of a span of its own within the active one, else within the record's `own`.

    Where spans are made by nobody it is the active one's own; None where there is no OpenTelemetry, or no span.
    """
    api = _api()
    if api is None:
        return None
    active = _parent_of(api.get_current_span())
    if active is not None and own is not None and active[:2] == own[:2]:
        # An instrumentation has said so already.
        return own
    if not _has_provider(api):
        return active
    return _span(api, "send", api.SpanKind.PRODUCER, topic, own if active is None else None) or active


def of_receiving(topic: str, own: TraceParent) -> None:
    """Have a span say that a record was received, unless an instrumentation of the client does."""
    api = _api()
    if api is None or not _has_provider(api) or any(one in sys.modules for one in _INSTRUMENTATIONS):
        return
    _span(api, "poll", api.SpanKind.CONSUMER, topic, own)


def _api() -> Optional[Any]:
    api = sys.modules.get(_API)
    # It may be loading.
    return api if hasattr(api, "get_tracer_provider") else None


def _has_provider(api: Any) -> bool:
    """Whether spans go anywhere."""
    return type(api.get_tracer_provider()).__name__ not in _NO_PROVIDERS


def _span(api: Any, operation: str, kind: Any, topic: str, parent: Optional[TraceParent]) -> Optional[TraceParent]:
    """Make a span within the active one, or within `parent`, that ends where it begins."""
    context = None
    if parent is not None:
        before = api.SpanContext(
            int(parent.trace_id, 16), int(parent.parent_id, 16), True, api.TraceFlags(parent.flags)
        )
        context = api.set_span_in_context(api.NonRecordingSpan(before))
    attributes = {
        "messaging.system": "kafka",
        "messaging.operation.name": operation,
        "messaging.operation.type": "send" if operation == "send" else "receive",
        "messaging.destination.name": topic,
    }
    tracer = api.get_tracer(_TRACER)
    span = tracer.start_span(f"{operation} {topic}", context=context, kind=kind, attributes=attributes)
    span.end()
    return _parent_of(span)


def _parent_of(span: Any) -> Optional[TraceParent]:
    context = span.get_span_context()
    if not context.is_valid:
        return None
    return TraceParent(f"{context.trace_id:032x}", f"{context.span_id:016x}", int(context.trace_flags))
