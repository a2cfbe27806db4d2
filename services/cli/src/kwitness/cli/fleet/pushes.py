"""What a fleet's clients say about themselves: pushes of metrics (KIP-714), as the collector writes them.

OTLP is written by hand, so that a fleet needs no library. Source: opentelemetry-proto ``metrics/v1/metrics.proto``.
"""

from __future__ import annotations

import hashlib
import json
import random
import struct
from collections.abc import Iterator, Sequence

from kwitness.contracts.topics import SCHEMAS, TELEMETRY

from .clients import Client
from .fleet import Fleet
from .record import FleetRecord

__all__ = ["Pushes"]

_NAMES = ("producer", "consumer")
_SETTLES_MS = 1_200
"""Until a push is in Kafka: when what observers wrote of the window before has come, and before that of its own."""
_EPOCH_BEFORE_MS = 120_000
_HEADERS = ("principal", "client_id", "client_software_name", "client_software_version", "listener", "broker_id")


class Pushes:
    """The pushes of all clients, through the brokers that number them; windows are asked for in their order."""

    def __init__(self, fleet: Fleet, clients: Sequence[Client]) -> None:
        self._fleet = fleet
        self._clients = sorted(clients, key=lambda one: one.number)
        self._dice = random.Random(f"{fleet.seed}/pushes")  # noqa: S311 - it must be the same again
        self._next: dict[str, int] = {}
        self._epoch_ms = max(0, fleet.start_ms - _EPOCH_BEFORE_MS)

    def window(self, number: int) -> Iterator[FleetRecord]:
        """Yield the pushes of a window: of each client one, every `Fleet.push_s` seconds."""
        fleet = self._fleet
        every = fleet.push_s // fleet.window_s if fleet.push_s else 0
        start_ms = fleet.start_ms + number * fleet.window_ms
        within_ms = max(0, fleet.window_ms - _SETTLES_MS)
        for place, client in enumerate(self._clients):
            if every and (number + client.number) % every == 0:
                at_ms = start_ms + place * within_ms // len(self._clients)
                yield self._push(client, at_ms)

    def _push(self, client: Client, at_ms: int) -> FleetRecord:
        known = json.loads(f"{{{client.identity[:-1]}}}")
        broker = str(known["broker_id"])
        source = f"{self._fleet.cluster_id}/{broker}"
        self._next[broker] = seq = self._next.get(broker, 0) + 1
        instance = hashlib.blake2b(f"{self._fleet.seed}/instance/{client.number}".encode(), digest_size=8).hexdigest()
        texts = {
            "schema": SCHEMAS[TELEMETRY],
            "event_source": source,
            "event_epoch": str(self._epoch_ms),
            "event_seq": str(seq),
            "received_at_ms": str(at_ms),
            "content_type": "application/x-protobuf",
            "push_interval_ms": str(self._fleet.push_s * 1000),
            "cluster_id": self._fleet.cluster_id,
            "client_instance_id": instance,
            **{name: str(known[name]) for name in _HEADERS},
        }
        headers = tuple((name, text.encode()) for name, text in texts.items())
        return FleetRecord(TELEMETRY, instance.encode(), self._metrics(client, at_ms), headers, at_ms + _SETTLES_MS, "")

    def _metrics(self, client: Client, at_ms: int) -> bytes:
        role, chance = _NAMES[client.group is not None], self._dice.random
        since_ms = at_ms - self._fleet.push_s * 1000
        # Clients of one application have latencies of one kind; a few are far from their broker.
        far = 40.0 if client.number % 7 == 0 else 4.0
        metrics = [_count(f"{role}.connection.creation.total", 1 if chance() < 0.05 else 0, since_ms, at_ms)]  # noqa: PLR2004
        latency = far * (0.5 + chance())
        metrics.append(_value(f"{role}.node.request.latency.avg", latency, at_ms, client.number % 3))
        metrics.append(
            _value(f"{role}.node.request.latency.max", latency * (2 + 3 * chance()), at_ms, client.number % 3)
        )
        if client.group is None:
            metrics.append(_value("producer.record.queue.time.avg", chance() * 12, at_ms))
            metrics.append(_value("producer.record.queue.time.max", 12 + chance() * 50, at_ms))
        else:
            metrics.append(_value("consumer.poll.idle.ratio.avg", chance(), at_ms))
            metrics.append(_count("consumer.coordinator.rebalance.latency.total", int(chance() * 3), since_ms, at_ms))
        scope = b"".join(_field(2, one) for one in metrics)
        return _field(1, _field(2, scope))


def _value(name: str, value: float, at_ms: int, node: int | None = None) -> bytes:
    """A gauge of one point."""
    point = _fixed(3, "Q", at_ms * 1_000_000) + _fixed(4, "d", value)
    if node is not None:
        point += _field(7, _field(1, b"node.id") + _field(2, _field(1, str(node).encode())))
    return _field(1, f"org.apache.kafka.{name}".encode()) + _field(5, _field(1, point))


def _count(name: str, value: int, since_ms: int, at_ms: int) -> bytes:
    """A counter of one point, which says by how much it rose."""
    point = _fixed(2, "Q", since_ms * 1_000_000) + _fixed(3, "Q", at_ms * 1_000_000) + _fixed(4, "d", float(value))
    is_delta, is_monotonic = b"\x10\x01", b"\x18\x01"
    return _field(1, f"org.apache.kafka.{name}".encode()) + _field(7, _field(1, point) + is_delta + is_monotonic)


def _fixed(number: int, kind: str, value: float) -> bytes:
    return bytes([number << 3 | 1]) + struct.pack(f"<{kind}", value)


def _field(number: int, content: bytes) -> bytes:
    length, size = len(content), bytearray([number << 3 | 2])
    while length > 127:  # noqa: PLR2004 - the bits of a byte
        size.append(length & 127 | 128)
        length >>= 7
    size.append(length)
    return bytes(size) + content
