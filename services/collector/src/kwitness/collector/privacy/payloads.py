"""OTLP payloads with metrics and attributes left out, or attributes hashed, on the wire level.

What is not to change is copied byte by byte; of a metric in which no name of an attribute occurs that is to go, nothing
but its own name is read. Which fields of which messages hold attributes is read from OTLP's definitions, not said here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import re2
from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, MetricsData

from kwitness.collector.otlp.decode import MalformedPayloadError, attributes_of
from kwitness.collector.otlp.wire import BYTES, fields, write_varint
from kwitness.collector.privacy.merging import merged
from kwitness.contracts.collector_config import FilterConfig
from kwitness.contracts.identity import IdentityKey

_NAME: Final = Metric.DESCRIPTOR.fields_by_name["name"].number
_DATA: Final = frozenset(one.number for one in Metric.DESCRIPTOR.oneofs_by_name["data"].fields)
_POINTS: Final = 1
"""Field of the data points in every kind of data."""
_REMEMBERED: Final = 4_096
_REMEMBERED_BYTES: Final = 256
"""Attributes whose rewriting is remembered, and the longest of them: clients send the same again and again."""


@dataclass(frozen=True)
class _Message:
    """Numbers of a message's fields: of attributes, of messages that hold some, and of all others there are."""

    attributes: frozenset[int]
    others: frozenset[int]
    is_metric: bool
    inside: dict[int, _Message] = field(default_factory=dict)


def _message(descriptor: Any) -> _Message | None:
    """Read a definition; None for a message without attributes."""
    attributes, others, inside = set(), set(), {}
    for one in descriptor.fields:
        if one.message_type is not None and one.message_type.full_name == KeyValue.DESCRIPTOR.full_name:
            attributes.add(one.number)
        elif one.message_type is not None and (child := _message(one.message_type)) is not None:
            inside[one.number] = child
        else:
            others.add(one.number)
    is_metric = descriptor.full_name == Metric.DESCRIPTOR.full_name
    return _Message(frozenset(attributes), frozenset(others), is_metric, inside) if attributes or inside else None


_ROOT: Final = _message(MetricsData.DESCRIPTOR) or _Message(frozenset(), frozenset(), is_metric=False)


class Rewritten(NamedTuple):
    """A payload, and how many points were left out of it and how many attributes removed or hashed."""

    payload: bytes
    points: int
    attributes: int


class PayloadRewriter:
    """Rewrites payloads.

    ``names`` has identity keys by the names of attributes that tell them; ``treat`` returns what is told in place of a
    value, None for nothing.
    """

    def __init__(
        self,
        leave_out: FilterConfig,
        names: Mapping[str, IdentityKey],
        treat: Callable[[IdentityKey, str], str | None],
    ) -> None:
        self._allow = tuple(one.encode() for one in leave_out.allow)
        self._deny = tuple(one.encode() for one in leave_out.deny)
        self._dropped = frozenset(leave_out.drop_attributes)
        self._names = names
        self._treat = treat
        concerned = sorted({*self._dropped, *names})
        self._concerned = re2.compile("|".join(map(re2.escape, concerned)).encode()) if concerned else None
        self._known: dict[bytes, bytes | None] = {}
        self._points = self._attributes = self._removed = 0

    def rewrite(self, payload: bytes) -> Rewritten:
        """Return what may be passed on of a payload.

        Raises
        ------
        MalformedPayloadError
            If it cannot be read, so that nothing of it may.
        """
        self._points = self._attributes = 0
        try:
            MetricsData.FromString(payload)
            rewritten = self._message(payload, _ROOT)
        except (DecodeError, ValueError, IndexError) as error:
            raise MalformedPayloadError(f"{len(payload)} bytes that are no OTLP MetricsData") from error
        return Rewritten(rewritten, self._points, self._attributes)

    def _concerns(self, content: bytes) -> bool:
        return self._concerned is not None and self._concerned.search(content) is not None

    def _message(self, data: bytes, message: _Message) -> bytes:
        pieces: list[bytes] = []
        copied = 0
        for number, wire, at, content, following in fields(data, 0, len(data)):
            if number in message.others:
                continue
            # What OTLP does not define may hold anything, and goes.
            new: bytes | None = None
            if wire == BYTES:
                old = data[content:following]
                if number in message.inside:
                    new = self._inside(old, message.inside[number])
                elif number in message.attributes:
                    new = self._attribute(old)
                if new is old:
                    continue
            pieces.append(data[copied:at])
            if new is not None:
                pieces += (write_varint(number << 3 | BYTES), write_varint(len(new)), new)
            copied = following
        if not pieces:
            return data
        pieces.append(data[copied:])
        return b"".join(pieces)

    def _inside(self, data: bytes, message: _Message) -> bytes | None:
        if message.is_metric:
            return self._metric(data, message)
        if not self._concerns(data) and not (self._allow or self._deny):
            return data
        return self._message(data, message)

    def _metric(self, data: bytes, message: _Message) -> bytes | None:
        if not self._passes(data):
            self._points += _points_of(data)
            return None
        if not self._concerns(data):
            return data
        before = self._removed
        rewritten = self._message(data, message)
        if self._removed == before:
            return rewritten
        rewritten, left_out = merged(rewritten)
        self._points += left_out
        return rewritten

    def _passes(self, metric: bytes) -> bool:
        if not (self._allow or self._deny):
            return True
        names = [
            metric[content:following]
            for number, wire, _, content, following in fields(metric, 0, len(metric))
            if number == _NAME and wire == BYTES
        ]
        # A field that is there twice counts as it is there last for most readers, and not for all.
        return all(
            (not self._allow or name.startswith(self._allow)) and not name.startswith(self._deny)
            for name in names or [b""]
        )

    def _attribute(self, old: bytes) -> bytes | None:
        if old in self._known:
            new = self._known[old]
            # The caller tells by identity what did not change.
            new = old if new == old else new
        else:
            new = self._rewritten(old)
            if len(old) <= _REMEMBERED_BYTES:
                if len(self._known) >= _REMEMBERED:
                    self._known.clear()
                self._known[old] = new
        self._attributes += new is not old
        self._removed += new is None
        return new

    def _rewritten(self, old: bytes) -> bytes | None:
        if not self._concerns(old):
            return old
        attribute = KeyValue.FromString(old)
        told = self._told(attribute)
        if told is None:
            return None
        return old if told == attribute else bytes(told.SerializeToString())

    def _told(self, attribute: Any) -> Any | None:
        """Return an attribute as it may be passed on; None where it may not."""
        name = attribute.key
        if name in self._dropped:
            return None
        told = KeyValue()
        told.key = name
        if name in self._names:
            ((_, text),) = attributes_of((attribute,))
            value = self._treat(self._names[name], text)
            if value is None:
                return None
            told.value.string_value = value
            return told
        self._copy(attribute.value, told.value)
        return told

    def _copy(self, value: Any, told: Any) -> None:
        """Copy a value, with what is inside of lists and maps as it may be passed on."""
        match value.WhichOneof("value"):
            case "kvlist_value":
                told.kvlist_value.SetInParent()
                for one in value.kvlist_value.values:
                    inner = self._told(one)
                    if inner is not None:
                        told.kvlist_value.values.append(inner)
            case "array_value":
                told.array_value.SetInParent()
                for one in value.array_value.values:
                    self._copy(one, told.array_value.values.add())
            case _:
                told.CopyFrom(value)


def _points_of(metric: bytes) -> int:
    total = 0
    for number, wire, _, content, following in fields(metric, 0, len(metric)):
        if number in _DATA and wire == BYTES:
            inner = fields(metric, content, following)
            total += sum(one[0] == _POINTS and one[1] == BYTES for one in inner)
    return total
