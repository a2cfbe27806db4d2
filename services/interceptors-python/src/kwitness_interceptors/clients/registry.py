"""Which modules of clients get hooks once they are loaded.

Every Python program of a pod reads this as it starts, most of them for nothing: what hooks need is imported with the
client.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Optional

__all__ = ["AFTER_LOADING", "intercept", "intercepted_class"]

_CONFLUENT_KAFKA = "confluent_kafka_classes"
_KAFKA_PYTHON = "kafka_python_classes"
_AIOKAFKA = "aiokafka_classes"

AFTER_LOADING: Mapping[str, tuple[str, str]] = {
    # The package's own names are taken from the extension while the package loads.
    "confluent_kafka.cimpl": (_CONFLUENT_KAFKA, "intercept_extension"),
    "confluent_kafka": (_CONFLUENT_KAFKA, "intercept_package"),
    "kafka.producer.kafka": (_KAFKA_PYTHON, "intercept_producers"),
    "kafka.consumer.group": (_KAFKA_PYTHON, "intercept_consumers"),
    "aiokafka.producer.producer": (_AIOKAFKA, "intercept_producers"),
    "aiokafka.consumer.consumer": (_AIOKAFKA, "intercept_consumers"),
}
"""Module and function by the client's module, in the order in which those are loaded."""


def intercept(module: ModuleType) -> None:
    """Give one of these modules hooks.

    Raises
    ------
    Exception
        Any: the module is not as it is expected to be.
    """
    name, function = AFTER_LOADING[module.__name__]
    getattr(importlib.import_module(f"{__package__}.{name}"), function)(module)


def intercepted_class(kind: type) -> Optional[type]:
    """Derive a class with hooks from a client's; None where it is no client's."""
    for name in (_CONFLUENT_KAFKA, _KAFKA_PYTHON, _AIOKAFKA):
        derived: Optional[type] = importlib.import_module(f"{__package__}.{name}").intercepted_class(kind)
        if derived is not None:
            return derived
    return None
