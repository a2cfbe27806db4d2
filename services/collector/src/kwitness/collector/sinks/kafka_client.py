"""The collector's own Kafka producer."""

from __future__ import annotations

from typing import Any, Final

from confluent_kafka import Producer

from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.runtime.kafka_client import connection_settings, librdkafka_log

DELIVERY_MS: Final = 8_000
"""How long a write may take before the sender is told to try again."""
_QUEUE_KBYTES: Final = 32 * 1024
_MAX_MESSAGE: Final = 8 * 1024 * 1024

_LOG: Final = librdkafka_log("kwitness.collector.librdkafka")


def settings(kafka: KafkaConnection, client_id: str) -> dict[str, Any]:
    """Decide librdkafka's configuration; raises what `connection_settings` does."""
    return {
        **connection_settings(kafka),
        "client.id": client_id,
        "client.software.name": "kwitness-collector",
        "acks": "all",
        "enable.idempotence": True,
        "compression.type": "zstd",
        "linger.ms": 5,
        "message.timeout.ms": DELIVERY_MS,
        "message.max.bytes": _MAX_MESSAGE,
        "queue.buffering.max.kbytes": _QUEUE_KBYTES,
    }


def connect(chosen: dict[str, Any]) -> Producer:
    """Make the producer; it connects by itself, now and whenever it must."""
    return Producer(chosen, logger=_LOG)
