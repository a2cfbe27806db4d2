"""Which classes of confluent-kafka get hooks, and how.

Left alone is `ShareConsumer`: share groups have no interceptors in any client. `AIOProducer` and `AIOConsumer` make
their `Producer` and `Consumer` by the package's names, so they have hooks where those have.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Optional

from .confluent_consumer import consumer_hooks
from .confluent_producer import producer_hooks
from .hooked_classes import derived, in_place, is_hooked

__all__ = ["intercept_extension", "intercept_package", "intercepted_class"]


def intercept_extension(extension: ModuleType) -> None:
    """Put classes with hooks in the places of `Producer` and `Consumer` in `confluent_kafka.cimpl`."""
    for name, hooks in (("Producer", producer_hooks), ("Consumer", consumer_hooks)):
        kind = getattr(extension, name)
        marked = {"serializing": False} if name == "Producer" else {"deserializing": False}
        setattr(extension, name, derived(kind, hooks(kind, **marked)))


def intercept_package(package: ModuleType) -> None:
    """Give `SerializingProducer` and `DeserializingConsumer` hooks of their own, in place.

    Where the package was loaded before, its own names are set, too; what modules took from it by `from ... import` is
    out of reach.
    """
    extension = sys.modules[f"{package.__name__}.cimpl"]
    intercept_extension(extension)
    for name in ("Producer", "Consumer"):
        setattr(package, name, getattr(extension, name))
    producer, consumer = getattr(package, "SerializingProducer", None), getattr(package, "DeserializingConsumer", None)
    if producer is not None:
        in_place(producer, producer_hooks(producer, serializing=True))
    if consumer is not None:
        in_place(consumer, consumer_hooks(consumer, deserializing=True))


def intercepted_class(kind: type) -> Optional[type]:
    """Derive a class with hooks from one of confluent-kafka's, or the application's own; None where it is neither."""
    package = sys.modules.get("confluent_kafka")
    if package is None:
        return None
    if is_hooked(kind):
        return kind
    if issubclass(kind, package.Producer):
        serializing = issubclass(kind, package.SerializingProducer)
        return derived(kind, producer_hooks(kind, serializing=serializing))
    if issubclass(kind, package.Consumer):
        deserializing = issubclass(kind, package.DeserializingConsumer)
        return derived(kind, consumer_hooks(kind, deserializing=deserializing))
    return None
