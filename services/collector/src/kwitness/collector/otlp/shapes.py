"""Pushes that differ from an earlier one in nothing but values: read by one `struct` call instead of as messages.

A Kafka client sends the same metrics at every interval, and OTLP writes values and times in eight bytes each. So two
pushes of a client usually have the same length and the same bytes everywhere else. A `Shape` knows where the values
are; whatever does not match it byte by byte is decoded as usual.
Source: protobuf's wire format; opentelemetry-proto ``metrics/v1/metrics.proto``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from kwitness.collector.otlp.points import Decoded, Kind
from kwitness.collector.otlp.wire import BYTES, FIXED64, fields

_PATH: Final = ((1,), (2,), (2,), (5, 7), (1,))
"""Field numbers from ``MetricsData`` down to a data point: resource, scope, metric, gauge or sum, data point."""
_TIMES: Final = frozenset({2, 3})
_DOUBLE: Final = 4
_INT: Final = 6
_KINDS: Final = frozenset({Kind.GAUGE, Kind.DELTA})
"""Kinds whose values mean the same whenever they were taken."""
MAX_BYTES: Final = 64 * 1024
"""Larger pushes are decoded as usual: a shape holds as many bytes as the push."""


class Shape:
    """The bytes of a push without its values. ``metrics`` are the names as sent; ``decoded`` is not kept."""

    __slots__ = ("__weakref__", "_literals", "_read_literals", "_read_values", "metrics", "size")

    def __init__(self, payload: bytes, variable: list[tuple[int, str]], decoded: Decoded) -> None:
        literal, values, position = ["<"], ["<"], 0
        for offset, code in variable:
            literal.append(f"{offset - position}s8x")
            values.append(f"{offset - position}x{code}")
            position = offset + 8
        literal.append(f"{len(payload) - position}s")
        values.append(f"{len(payload) - position}x")
        self._read_literals = struct.Struct("".join(literal)).unpack
        self._read_values = struct.Struct("".join(values)).unpack
        self._literals = self._read_literals(payload)
        self.size = len(payload)
        self.metrics = tuple(metric.name for metric in decoded.metrics)

    def values(self, payload: bytes) -> tuple[float, ...] | None:
        """Return all values in the order in which `decode` would, or None if the push has another shape."""
        if len(payload) != self.size or self._read_literals(payload) != self._literals:
            return None
        return self._read_values(payload)

    def key(self) -> tuple[bytes, ...]:
        """Return what two equal shapes share."""
        return (*self._literals, repr(self.metrics).encode())


def shape_of(payload: bytes, decoded: Decoded) -> Shape | None:
    """Find the shape of a push that was decoded; None when it has none that is worth knowing, or is not certain."""
    if len(payload) > MAX_BYTES or decoded.unsupported or any(one.kind not in _KINDS for one in decoded.metrics):
        return None
    try:
        variable = list(_points(payload, 0, len(payload), 0))
    except (IndexError, ValueError):
        return None
    shape = Shape(payload, variable, decoded)
    expected = [repr(value) for metric in decoded.metrics for _, value, _, _ in metric.points]
    # What the messages say decides: a wire form that was not understood here gives no shape.
    return shape if [repr(value) for value in shape.values(payload) or ()] == expected else None


def _points(data: bytes, start: int, end: int, depth: int) -> Iterator[tuple[int, str]]:
    if depth == len(_PATH):
        yield from _point(data, start, end)
        return
    for number, wire, _, position, following in fields(data, start, end):
        if wire == BYTES and number in _PATH[depth]:
            yield from _points(data, position, following, depth + 1)


def _point(data: bytes, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the offsets of a data point's times (``8x``) and value, in the order of the bytes."""
    for number, wire, _, position, _ in fields(data, start, end):
        if wire == FIXED64 and number in _TIMES:
            yield position, "8x"
        elif wire == FIXED64 and number == _DOUBLE:
            yield position, "d"
        elif wire == FIXED64 and number == _INT:
            yield position, "q"
