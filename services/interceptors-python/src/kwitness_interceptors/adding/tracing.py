"""Tracing: each record says which trace it belongs to, by W3C Trace Context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from kwitness_interceptors.interface import ConsumerInterceptor, ProducerInterceptor
from kwitness_interceptors.measures.client_counts import ClientCounts
from kwitness_interceptors.records import AddedHeader, ConsumerRecord, Header, ProducerRecord

from .left_out import Adding, Counted
from .spans import of_receiving, of_sending
from .traceparent import TRACEPARENT, TraceParent, begun, parse_traceparent

__all__ = ["ConsumerTracing", "ProducerTracing"]


class ProducerTracing(Adding, ProducerInterceptor):
    """Continues the trace of the active span, else the record's own, else begins one; other headers stay.

    `header` is the key of one more that gets the trace's id, None without.
    """

    def __init__(self, header: Optional[str], counts: Optional[ClientCounts], counted: Counted) -> None:
        super().__init__(counts, counted)
        self._header = header

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        if not self._counted(record.topic):
            return record
        own = _own(record.headers)
        trace = of_sending(record.topic, own) or own or begun()
        headers = record.headers
        if trace != own:
            headers = _with(headers, TRACEPARENT, bytes(trace))
        if self._header is not None:
            headers = _with(headers, self._header, trace.trace_id.encode())
        return record if headers is record.headers else record._replace(headers=headers)


class ConsumerTracing(ConsumerInterceptor):
    """Has OpenTelemetry, where the application has it, know which records were received; they stay as they are."""

    def __init__(self, counted: Counted) -> None:
        self._counted = counted

    def on_consume(self, records: Sequence[ConsumerRecord]) -> Sequence[ConsumerRecord]:
        for record in records:
            own = _own(record.headers) if self._counted(record.topic) else None
            if own is not None:
                of_receiving(record.topic, own)
        return records


def _own(headers: Sequence[Header]) -> Optional[TraceParent]:
    """Return what the last of these headers says."""
    for key, value in reversed(headers):
        if key == TRACEPARENT:
            return parse_traceparent(value)
    return None


def _with(headers: tuple[Header, ...], key: str, value: bytes) -> tuple[Header, ...]:
    """Return headers with this one alone of its key."""
    if [one[1] for one in headers if one[0] == key] == [value]:
        return headers
    return (*(one for one in headers if one[0] != key), AddedHeader(key, value))
