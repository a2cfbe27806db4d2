"""The delivery callback of one record of confluent-kafka: the chain is told first, then the application."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, Optional

from kwitness_interceptors.chain import ProducerChain
from kwitness_interceptors.containment import FAILURES, reason_of
from kwitness_interceptors.records import RecordMetadata

__all__ = ["Delivery", "DeliveryCallback", "exception_of", "only_errors", "size_of"]

DeliveryCallback = Callable[[Any, Any], None]


class Delivery:
    """Knows a record from `on_send` until its acknowledgement, and tells the chain of it once.

    Parameters
    ----------
    chain
        Who is told.
    topic, partition
        Where the record is sent to; None where the client is to choose the partition.
    callback
        The application's own; what it raises is the application's.
    key_size, value_size
        In bytes, serialized; both are -1 where they are not yet.

    `knows_bytes` says whether it was told of the serialized key and value. `fallback` has the record's headers without
    those that the profile added, None where it added none.
    """

    __slots__ = (
        "_callback",
        "_chain",
        "_key_size",
        "_partition",
        "_started",
        "_told",
        "_topic",
        "_value_size",
        "fallback",
        "knows_bytes",
    )

    def __init__(
        self,
        chain: ProducerChain,
        topic: str,
        partition: Optional[int],
        callback: Optional[DeliveryCallback],
        key_size: int,
        value_size: int,
    ) -> None:
        self._chain = chain
        self._topic = topic
        self._partition = partition
        self._callback = callback
        self._key_size = key_size
        self._value_size = value_size
        self._told = False
        self.knows_bytes = False
        self.fallback: Optional[list[tuple[str, Optional[bytes]]]] = None
        self._started = perf_counter()

    def __call__(self, error: Any, message: Any) -> None:
        self._tell(message, None if error is None else exception_of(error))
        if self._callback is not None:
            self._callback(error, message)

    def refuse(self, error: BaseException) -> None:
        """Say that the client did not take the record; the application is told by what the client raises."""
        self._tell(None, error)

    def serialized(self, key: object, value: object) -> None:
        """Take the sizes of key and value, which are known now."""
        self.knows_bytes = True
        self._key_size, self._value_size = size_of(key), size_of(value)

    def _tell(self, message: Any, error: Optional[BaseException]) -> None:
        if self._told:
            return
        self._told = True
        elapsed = perf_counter() - self._started
        chain, asked = self._chain, self._partition
        partition, offset, timestamp_ms = -1 if asked is None else asked, -1, -1
        try:
            if message is not None:
                if self._key_size == self._value_size == -1:
                    self.serialized(message.key(), message.value())
                known, placed = message.partition(), message.offset()
                partition = -1 if known is None else known
                offset = placed if placed is not None and placed >= 0 else -1
                if chain.wants_records:
                    kind, timestamp = message.timestamp()
                    timestamp_ms = timestamp if kind else -1
        except Exception as unexpected:  # noqa: BLE001 - it is shown that something is there, if not what
            FAILURES.add("kwitness_interceptors", "on_acknowledgement", reason_of(unexpected))
            partition = offset = -1
        key_size, value_size = self._key_size, self._value_size
        if chain.wants_records:
            metadata = RecordMetadata(self._topic, partition, offset, timestamp_ms, key_size, value_size, None, elapsed)
            chain.on_acknowledgement(metadata, error)
        else:
            chain.settled(self._topic, partition, offset, key_size, value_size, elapsed, error)


def only_errors(callback: DeliveryCallback) -> DeliveryCallback:
    """Return a callback for an application that wants to be told of errors alone."""

    def failed(error: Any, message: Any) -> None:
        if error is not None:
            callback(error, message)

    return failed


def size_of(data: object) -> int:
    """Return the serialized size of a key or value, in bytes; -1 for null, and where it is not serialized yet."""
    if data is None:
        return -1
    if isinstance(data, bytes):
        return len(data)
    if isinstance(data, str):
        return len(data) if data.isascii() else len(data.encode("utf-8", "surrogateescape"))
    return -1


def exception_of(error: Any) -> BaseException:
    """Return the exception that confluent-kafka has for one of its errors."""
    if isinstance(error, BaseException):
        return error
    from confluent_kafka.cimpl import KafkaException  # noqa: PLC0415 - it is loaded, or there would be no error

    exception: BaseException = KafkaException(error)
    return exception
