"""The delivery callback of one record of confluent-kafka: the chain is told first, then the application."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, Optional

from kwitness_interceptors.chain import ProducerChain
from kwitness_interceptors.containment import FAILURES, reason_of
from kwitness_interceptors.records import ProducerRecord, RecordMetadata

__all__ = ["Delivery", "DeliveryCallback", "exception_of", "size_of"]

DeliveryCallback = Callable[[Any, Any], None]


class Delivery:
    """Knows a record from `on_send` until its acknowledgement, and tells the chain of it once.

    Parameters
    ----------
    chain
        Who is told.
    record
        What is sent.
    callback
        The application's own; what it raises is the application's.
    only_errors
        Whether the application wants to be told of errors alone.
    """

    __slots__ = ("_callback", "_chain", "_only_errors", "_record", "_started", "_told", "key_size", "value_size")

    def __init__(
        self, chain: ProducerChain, record: ProducerRecord, callback: Optional[DeliveryCallback], *, only_errors: bool
    ) -> None:
        self._chain = chain
        self._record = record
        self._callback = callback
        self._only_errors = only_errors
        self._started = perf_counter()
        self._told = False
        self.key_size = self.value_size = -1

    def __call__(self, error: Any, message: Any) -> None:
        self._tell(message, None if error is None else exception_of(error))
        if self._callback is not None and not (self._only_errors and error is None):
            self._callback(error, message)

    def refuse(self, error: BaseException) -> None:
        """Say that the client did not take the record; the application is told by what the client raises."""
        self._tell(None, error)

    def _tell(self, message: Any, error: Optional[BaseException]) -> None:
        if self._told:
            return
        self._told = True
        try:
            metadata = self._metadata(message)
        except Exception as unexpected:  # noqa: BLE001 - it is shown that something is there, if not what
            FAILURES.add("kwitness_interceptors", "on_acknowledgement", reason_of(unexpected))
            metadata = RecordMetadata(self._record.topic)
        self._chain.on_acknowledgement(metadata, error)

    def _metadata(self, message: Any) -> RecordMetadata:
        elapsed = perf_counter() - self._started
        topic, asked = self._record.topic, self._record.partition
        if message is None:
            return RecordMetadata(
                *(topic, -1 if asked is None else asked, -1, -1, self.key_size, self.value_size, None, elapsed)
            )
        if self.key_size == self.value_size == -1:
            self.key_size, self.value_size = size_of(message.key()), size_of(message.value())
        partition, offset = message.partition(), message.offset()
        kind, timestamp = message.timestamp()
        return RecordMetadata(
            topic,
            -1 if partition is None else partition,
            offset if offset is not None and offset >= 0 else -1,
            timestamp if kind else -1,
            self.key_size,
            self.value_size,
            None,
            elapsed,
        )


def size_of(data: object) -> int:
    """Return the serialized size of a key or value, in bytes; -1 for null, and where it is not serialized yet."""
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
