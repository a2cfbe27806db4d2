"""Which modules of clients get hooks once they are loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Optional

from . import aiokafka_classes, confluent_kafka_classes, kafka_python_classes

__all__ = ["AFTER_LOADING", "intercepted_class"]

AFTER_LOADING: Mapping[str, Callable[[ModuleType], None]] = {
    # The package's own names are taken from the extension while the package loads.
    "confluent_kafka.cimpl": confluent_kafka_classes.intercept_extension,
    "confluent_kafka": confluent_kafka_classes.intercept_package,
    "kafka.producer.kafka": kafka_python_classes.intercept_producers,
    "kafka.consumer.group": kafka_python_classes.intercept_consumers,
    "aiokafka.producer.producer": aiokafka_classes.intercept_producers,
    "aiokafka.consumer.consumer": aiokafka_classes.intercept_consumers,
}
"""By full name, in the order in which they are loaded."""


def intercepted_class(kind: type) -> Optional[type]:
    """Derive a class with hooks from a client's; None where it is no client's."""
    for client in (confluent_kafka_classes, kafka_python_classes, aiokafka_classes):
        derived = client.intercepted_class(kind)
        if derived is not None:
            return derived
    return None
