"""Interceptors for applications that ask for them in their own code."""

from __future__ import annotations

from typing import TypeVar, cast

from .clients.registry import intercepted_class

__all__ = ["wrap"]

T = TypeVar("T")


def wrap(kind: type[T]) -> type[T]:
    """Derive a class from a client's class whose configuration may have `interceptor.classes`.

    Raises
    ------
    TypeError
        It is no class of a client that can have interceptors.
    """
    derived = intercepted_class(kind)
    if derived is None:
        raise TypeError(
            f"{kind.__module__}.{kind.__qualname__} cannot have interceptors: wrap a producer or consumer of"
            " confluent-kafka, kafka-python or aiokafka; for AIOProducer and AIOConsumer call install() before"
            " confluent_kafka.aio is imported"
        )
    return cast("type[T]", derived)
