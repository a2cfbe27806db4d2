"""Which classes of confluent-kafka get hooks, and how.

Left alone is `ShareConsumer`: share groups have no interceptors in any client. `AIOProducer` and `AIOConsumer` make
their `Producer` and `Consumer` by the package's names, so they have hooks where those have.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Optional

from .confluent_consumer import consumer_hooks
from .confluent_producer import producer_hooks

__all__ = ["intercept_extension", "intercept_package", "intercepted_class"]

_DONE = "_kwitness_intercepted"


def intercept_extension(extension: ModuleType) -> None:
    """Put classes with hooks in the places of `Producer` and `Consumer` in `confluent_kafka.cimpl`."""
    for name, hooks in (("Producer", producer_hooks), ("Consumer", consumer_hooks)):
        kind = getattr(extension, name)
        if not _is_done(kind):
            marked = {"serializing": False} if name == "Producer" else {"deserializing": False}
            setattr(extension, name, _derived(kind, hooks(kind, **marked)))


def intercept_package(package: ModuleType) -> None:
    """Give `SerializingProducer` and `DeserializingConsumer` hooks of their own, in place.

    Where the package was loaded before, its own names are set, too; what modules took from it by `from ... import` is
    out of reach.
    """
    extension = sys.modules[f"{package.__name__}.cimpl"]
    intercept_extension(extension)
    for name in ("Producer", "Consumer"):
        setattr(package, name, getattr(extension, name))
    _in_place(getattr(package, "SerializingProducer", None), producer_hooks, serializing=True)
    _in_place(getattr(package, "DeserializingConsumer", None), consumer_hooks, deserializing=True)


def intercepted_class(kind: type) -> Optional[type]:
    """Derive a class with hooks from one of confluent-kafka's, or the application's own; None where it is neither."""
    package = sys.modules.get("confluent_kafka")
    if package is None:
        return None
    if _is_done(kind):
        return kind
    if issubclass(kind, package.Producer):
        serializing = issubclass(kind, package.SerializingProducer)
        return _derived(kind, producer_hooks(kind, serializing=serializing))
    if issubclass(kind, package.Consumer):
        deserializing = issubclass(kind, package.DeserializingConsumer)
        return _derived(kind, consumer_hooks(kind, deserializing=deserializing))
    return None


def _in_place(kind: Optional[type], hooks: Any, **marked: bool) -> None:
    if kind is None or _DONE in vars(kind):
        return
    for name, value in hooks(kind, **marked).items():
        setattr(kind, name, value)
    setattr(kind, _DONE, True)


def _derived(kind: type, hooks: dict[str, Any]) -> type:
    """Derive a class that looks like its base."""
    looks = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__, _DONE: True}
    return type(kind.__name__, (kind,), {**looks, **hooks})


def _is_done(kind: type) -> bool:
    return bool(getattr(kind, _DONE, False))
