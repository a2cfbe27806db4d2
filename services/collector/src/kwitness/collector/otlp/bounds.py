"""Bounds how much an OTLP message may hold, before protobuf makes an object of every two bytes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.otlp.wire import BYTES, WireField, fields

MAX_POINTS: Final = 100_000
"""Data points of one export."""
MAX_FIELDS: Final = 1_000_000
"""Fields of all messages of one export together: eight for each of a hundred thousand points and more."""
MAX_PUSH_POINTS: Final = 10_000
"""Data points, metrics, scopes and resources of one push that are exposed: the OpenTelemetry Collector sends 8,192."""
MAX_PUSH_FIELDS: Final = 250_000
MAX_RESOURCES: Final = 10_000
"""Resources of one export, and Kafka clients that its points name: each is a push of its own."""
MAX_REPEATED: Final = 4 * 1024 * 1024
"""Bytes of resources, scopes and names of one export that are written again for each Kafka client."""
MAX_JSON: Final = 1024 * 1024
"""Bytes of an export as JSON, which has no streaming reader here."""
MAX_JSON_ELEMENTS: Final = 100_000
SMALL: Final = 64 * 1024
"""A message of so many bytes holds few enough by its length alone."""
_DEEPEST: Final = 100
"""Messages in each other, as protobuf allows."""
_VARINTS: Final = frozenset({3, 4, 5, 8, 13, 14, 17, 18})
"""Numbers of `FieldDescriptor` for types that may be packed into one byte each."""


class TooMuchError(ValueError):
    """There is more in a message than is read of one."""


@dataclass
class _Message:
    nested: dict[int, _Message] = field(default_factory=dict)
    packed: set[int] = field(default_factory=set)
    is_point: bool = False


def _describe(descriptor: Any, known: dict[str, _Message]) -> _Message:
    if descriptor.full_name in known:
        return known[descriptor.full_name]
    message = known[descriptor.full_name] = _Message(is_point=descriptor.name.endswith("DataPoint"))
    for found in descriptor.fields:
        if found.message_type is not None:
            message.nested[found.number] = _describe(found.message_type, known)
        elif found.type in _VARINTS:
            message.packed.add(found.number)
    return message


_ROOT: Final = _describe(MetricsData.DESCRIPTOR, {})


def check(payload: bytes, most_points: int, most_fields: int) -> None:
    """Walk over a ``MetricsData``, or an export request, which is the same on the wire.

    Raises
    ------
    TooMuchError
        At the first point or field beyond the bounds.
    IndexError, ValueError
        If it is no message.
    """
    if len(payload) <= SMALL:
        return
    points = count = 0
    levels: list[tuple[_Message, Iterator[WireField]]] = [(_ROOT, fields(payload, 0, len(payload)))]
    while levels:
        message, left = levels[-1]
        for number, wire, _, position, following in left:
            count += 1
            nested = message.nested.get(number) if wire == BYTES else None
            if nested is not None:
                points += nested.is_point
                if position < following:
                    levels.append((nested, fields(payload, position, following)))
                    break
            elif wire == BYTES and number in message.packed:
                count += following - position
            if points > most_points or count > most_fields:
                raise _too_much(most_points, most_fields)
        else:
            levels.pop()
        if len(levels) > _DEEPEST:
            raise ValueError("messages are nested too deeply")
        if points > most_points or count > most_fields:
            raise _too_much(most_points, most_fields)


def _too_much(most_points: int, most_fields: int) -> TooMuchError:
    return TooMuchError(f"it holds more than {most_points} data points or {most_fields} fields; send smaller batches")


def keep_first(resource_metrics: Any, most: int) -> int:
    """Delete what is beyond the first ``most`` points, metrics, scopes and resources; returns how many points that was.

    Each of them costs work: an empty one as well.
    """
    beyond = 0
    for resource in resource_metrics:
        most -= 1
        for scope in resource.scope_metrics:
            most -= 1
            for metric in scope.metrics:
                most -= 1
                which = metric.WhichOneof("data")
                if which is None:
                    continue
                points = getattr(metric, which).data_points
                kept = min(len(points), max(most, 0))
                beyond += len(points) - kept
                most -= kept
                if not kept:
                    metric.ClearField(which)
                elif kept < len(points):
                    del points[kept:]
    return beyond
