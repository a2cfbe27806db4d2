"""From a recorded event to the call of an observer."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from kwitness.contracts.identity import Identity
from kwitness.contracts.records.requests import RequestEvent
from kwitness.observer.interface import Observer
from kwitness.observer.views import ApiKey, PartitionData, Request, Response, frozen

__all__ = ["Call", "connection_of"]


def connection_of(event: RequestEvent) -> str:
    """Name the connection of an event so that no other has the name, whichever process observed it."""
    return f"{event.event_source}/{event.event_epoch}/{event.connection_id}"


class Call:
    """One event as observers are told of it: made once, and the same for all of them."""

    __slots__ = ("_correlation_id", "_message", "_version")

    def __init__(self, event: RequestEvent) -> None:
        self._version = event.api_version
        # Kafka counts them within a connection alone.
        self._correlation_id = f"{connection_of(event)}/{event.correlation_id}"
        self._message = _message(event)

    def make(self, observer: Observer) -> None:
        """Call the method for it; raises whatever that raises."""
        message = self._message
        if isinstance(message, Request):
            identity = message.identity
            observer.record_request(
                message,
                identity.client_address,
                identity.principal,
                message.api_key,
                self._version,
                self._correlation_id,
            )
        else:
            observer.record_response(message, self._version, self._correlation_id)


def _message(event: RequestEvent) -> Request | Response:
    place = f"{event.api} {event.kind}"
    fields = frozen(event.fields or {}, place)
    known: dict[str, Any] = {
        "_fields": fields._fields,
        "_place": place,
        "api_key": ApiKey(event.api_key, event.api),
        "connection_id": connection_of(event),
        "occurred_at_ms": event.occurred_at_ms,
        "size_bytes": event.size_bytes,
        "topics": event.topics,
        "partitions": tuple(
            PartitionData(one.topic, one.partition, one.records, one.bytes, one.error) for one in event.partitions
        ),
        "identity": Identity.model_validate(event.known()),
        "has_fields": event.fields is not None,
        "truncated": event.truncated,
    }
    if event.kind == "request":
        return Request(**known)
    return Response(**known, errors=MappingProxyType(dict(event.errors)), response_time_us=event.response_time_us)
