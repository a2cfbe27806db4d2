"""One push on its way through the collector, wherever it came from."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pydantic import Field

from kwitness.collector.client_labels import told_by_client
from kwitness.collector.decompression import (
    CorruptCompressionError,
    TooLargeError,
    UnknownCompressionError,
    decompress,
)
from kwitness.collector.failures import BodyTooLargeError
from kwitness.collector.fairness import holder_of
from kwitness.contracts import record_headers
from kwitness.contracts.envelopes import PushAnswer, PushBatch, Rejection
from kwitness.contracts.envelopes.pushes import MAX_PUSHES, Push
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.observers import ReportedBy
from kwitness.contracts.topics import TELEMETRY_SCHEMA

_POD: Final = "pod/"
"""Begins what a sidecar's client is known as."""
_OF_BROKER: Final = tuple(key for key in IDENTITY_KEYS if key in Push.model_fields)
"""Identity keys of a push that its broker says."""
_PUSH_BYTES: Final = 4 * 1024 * 1024
"""Most bytes one push may hold once decompressed: a client's real pushes have some tens of thousands."""
_BATCH_BYTES: Final = 16 * 1024 * 1024
"""Most bytes all pushes of a batch may hold together once decompressed: as many as a plugin may be set to send."""


def instance_of(identity: Mapping[str, str]) -> str:
    """Return the client instance id; one made from the whole identity where plain OTLP has none."""
    known = identity.get("client_instance_id")
    if known:
        return known
    text = repr(sorted(identity.items())).encode("utf-8", "replace")
    return f"derived-{hashlib.sha256(text).hexdigest()[:16]}"


def is_of_broker(client: str) -> bool:
    """Return true for the key of a client whose address a broker saw, or an observer in its place."""
    return not client.partition("/")[2].startswith((_POD, record_headers.PLAIN_OTLP))


@dataclass(frozen=True, slots=True)
class Event:
    """A push: the event id (source, epoch, seq), who pushed, and the OTLP bytes as the client made them.

    ``identity`` holds known identity keys only, as text. Times are in milliseconds since 1970. ``reported_by`` says
    where the observer runs that answered in a broker's place.
    """

    source: str
    epoch: int
    seq: int
    received_at_ms: int
    identity: Mapping[str, str]
    payload: bytes
    push_interval_ms: int | None = None
    terminating: bool = False
    reported_by: ReportedBy | None = None
    filtered: bool = False
    """Whether the collector's settings were applied to the payload; what follows is of such events alone."""
    malformed: str | None = None
    """Why the payload could not be read, so that nothing of it is left."""
    known_as: str | None = None
    """By what the client is told from others, where that is not to be seen from the identity: of plain OTLP always."""
    content: str | None = None
    """By what a part of an export is known when it comes again; None where coming again adds nothing."""
    raw: Mapping[str, str] | None = None
    """The identity as it came, where it was treated: for memory alone."""
    treated: frozenset[str] = frozenset()
    """Identity keys whose values are not what they were."""
    caller: str | None = None
    """Who brought it by plain OTLP: for memory alone."""
    is_placed: bool = False
    """True where a list of pods proves the pod in the identity: for memory alone."""

    @property
    def holder(self) -> str:
        """Whose share of what is bounded it counts for (docs/decisions/0131)."""
        if self.is_of_pod:
            return f"pod {str(self.known_as).split('/')[1]}"
        return holder_of(self.identity if self.raw is None else self.raw, self.caller) or f"source {self.source}"

    @property
    def instance(self) -> str:
        """The client instance id, by which the owner is found."""
        return self.known_as or instance_of(self.identity)

    @property
    def client(self) -> str:
        """The client's key within this collector."""
        return f"{self.identity.get('cluster_id', '')}/{self.instance}"

    @property
    def is_plain_otlp(self) -> bool:
        """Whether a sender of plain OTLP made it, so that no broker saw the client that it names."""
        return self.source.startswith(record_headers.PLAIN_OTLP)

    @property
    def is_of_pod(self) -> bool:
        """True for what a sidecar made, which speaks of its own pod alone."""
        return self.known_as is not None and self.known_as.startswith(_POD)

    def headers(self) -> list[tuple[str, str | bytes | None]]:
        """Return the record headers for the telemetry topic."""
        headers = {
            record_headers.SCHEMA: TELEMETRY_SCHEMA,
            record_headers.EVENT_SOURCE: self.source,
            record_headers.EVENT_EPOCH: str(self.epoch),
            record_headers.EVENT_SEQ: str(self.seq),
            record_headers.RECEIVED_AT_MS: str(self.received_at_ms),
            record_headers.CONTENT_TYPE: record_headers.OTLP_CONTENT_TYPE,
        }
        if self.push_interval_ms is not None:
            headers[record_headers.PUSH_INTERVAL_MS] = str(self.push_interval_ms)
        if self.terminating:
            headers[record_headers.TERMINATING] = "true"
        if self.filtered:
            headers[record_headers.FILTERED] = "true"
        if self.reported_by is not None:
            headers[record_headers.REPORTED_BY] = self.reported_by
        headers.update(self.identity)
        return [(key, value.encode("utf-8", "replace")) for key, value in headers.items()]


class ForwardedPush(Push):
    """A push between replicas: with all identity keys, since plain OTLP knows more than a plugin says."""

    identity_keys: dict[str, str] | None = None
    caller: str | None = None
    known_as: str | None = None
    content: str | None = None


class ForwardedBatch(PushBatch):
    """A batch between replicas."""

    pushes: tuple[ForwardedPush, ...]


class ForwardedAnswer(PushAnswer):
    """What became of such a batch; ``left_out`` counts points that are not exposed, by reason."""

    left_out: dict[str, int] = Field(default_factory=dict)


class Outcome(NamedTuple):
    """What became of a batch; ``left_out`` counts points that are not exposed, by reason."""

    accepted: int
    duplicates: int
    rejected: tuple[Rejection, ...]
    left_out: Mapping[str, int] = MappingProxyType({})


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """Add up what became of the parts of a batch."""
    left_out = Counter[str]()
    for one in outcomes:
        left_out.update(one.left_out)
    return Outcome(
        sum(one.accepted for one in outcomes),
        sum(one.duplicates for one in outcomes),
        tuple(rejection for one in outcomes for rejection in one.rejected),
        left_out,
    )


def of_pod(namespace: str, pod: str, instance: str) -> str:
    """Return by what a client beside a sidecar is told from others: names of Kubernetes have no slash."""
    return f"{_POD}{namespace}/{pod}/{instance}"


def of_batch(
    batch: PushBatch, place: Mapping[str, str] | None = None, hold: Callable[[int], None] = lambda _: None
) -> tuple[list[Event], list[Rejection]]:
    """Turn an envelope into events; a payload that is not base64 or too large is rejected, and only that one.

    ``place`` holds namespace and pod of a sidecar, as its token has them: its clients are in that pod. ``hold`` takes
    room for so many bytes more before they are there, and raises where there is none.

    Raises
    ------
    BodyTooLargeError
        If all together hold more than is taken at once.
    """
    events: list[Event] = []
    rejected: list[Rejection] = []
    budget = _BATCH_BYTES
    for push in batch.pushes:
        hold(len(push.payload))
        try:
            payload = base64.b64decode(push.payload, validate=True) if push.payload else b""
        except (binascii.Error, ValueError) as error:
            message = f"the payload of push {push.seq} is not base64: {error}"
            rejected.append(Rejection(seq=push.seq, reason="MalformedPayload", message=message))
            continue
        if push.payload_compression is not None:
            try:
                payload = _plain(payload, push.payload_compression, hold)
            except TooLargeError:
                rejected.append(_too_large(push.seq))
                continue
        elif len(payload) > _PUSH_BYTES:
            rejected.append(_too_large(push.seq))
            continue
        budget -= len(payload)
        if budget < 0:
            raise BodyTooLargeError(
                "TooLarge", f"the pushes hold more than {_BATCH_BYTES} bytes once decompressed; send fewer at once"
            )
        events.append(
            Event(
                source=batch.source,
                epoch=batch.epoch,
                seq=push.seq,
                received_at_ms=push.received_at_ms,
                identity={**_identity(batch, push, payload), **(place or {})},
                payload=payload,
                push_interval_ms=push.push_interval_ms,
                terminating=push.terminating,
                reported_by=batch.reported_by,
                caller=push.caller if isinstance(push, ForwardedPush) else None,
                known_as=_known_as(push, place),
                content=push.content if isinstance(push, ForwardedPush) else None,
            )
        )
    return events, rejected


def _known_as(push: Push, place: Mapping[str, str] | None) -> str | None:
    if isinstance(push, ForwardedPush):
        return push.known_as
    return of_pod(place["k8s_namespace"], place["k8s_pod"], push.client_instance_id) if place else None


def _too_large(seq: int) -> Rejection:
    message = f"the payload of push {seq} has more than {_PUSH_BYTES} bytes once decompressed"
    return Rejection(seq=seq, reason="TooLarge", message=message)


def _plain(payload: bytes, compression: str, hold: Callable[[int], None]) -> bytes:
    """Undo the compression Kafka 3.7 leaves in place; what cannot be undone stays as it is and is opaque to all."""
    try:
        return decompress(payload, compression, _PUSH_BYTES, hold)
    except (UnknownCompressionError, CorruptCompressionError):
        return payload


def _identity(batch: PushBatch, push: Push, payload: bytes) -> dict[str, str]:
    """Say who pushed: what the broker knows comes before what the client tells of itself."""
    if isinstance(push, ForwardedPush) and push.identity_keys is not None:
        return {key: push.identity_keys[key] for key in IDENTITY_KEYS if key in push.identity_keys}
    known = {**told_by_client(payload), "cluster_id": batch.cluster_id}
    if batch.broker_id:
        known["broker_id"] = batch.broker_id
    for key in _OF_BROKER:
        value = getattr(push, key)
        if value not in {None, ""}:
            known[key] = str(value)
    return known


def to_bodies(events: Sequence[Event], most: int) -> Iterator[tuple[list[Event], bytes]]:
    """Write events of one source and epoch as bodies that another replica takes, each with the events in it.

    A body has at most ``most`` bytes and `MAX_PUSHES` events; a larger single event is alone in its body.
    """
    first = events[0]
    envelope: dict[str, Any] = {
        "schema": "kwitness.pushes/1",
        "source": first.source,
        "epoch": first.epoch,
        "cluster_id": first.identity.get("cluster_id", "unknown"),
    }
    if first.reported_by is not None:
        envelope["reported_by"] = first.reported_by
    begin, end = json.dumps(envelope).encode()[:-1] + b', "pushes": [', b"]}"
    part: list[Event] = []
    pieces: list[bytes] = []
    size, limit = 0, most - len(begin) - len(end)
    for event in events:
        piece = json.dumps(_forwarded(event)).encode()
        if part and (size + len(piece) > limit or len(part) >= MAX_PUSHES):
            yield part, begin + b",".join(pieces) + end
            part, pieces, size = [], [], 0
        part.append(event)
        pieces.append(piece)
        size += len(piece) + 1
    yield part, begin + b",".join(pieces) + end


def _forwarded(event: Event) -> dict[str, Any]:
    return {
        "seq": event.seq,
        "received_at_ms": event.received_at_ms,
        "client_instance_id": event.instance[:64],
        "push_interval_ms": event.push_interval_ms,
        "terminating": event.terminating,
        "identity_keys": dict(event.identity),
        "caller": event.caller,
        "known_as": event.known_as,
        "content": event.content,
        "payload": base64.b64encode(event.payload).decode(),
    }
