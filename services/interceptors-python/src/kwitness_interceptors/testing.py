"""A test kit for interceptors: classes are made and called as a client does it, without a client and without Kafka.

What a client would contain is raised: a class that cannot be used, a hook that raises, what is no record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

from .chain import ConsumerChain, ProducerChain
from .containment import Failures
from .interface import ConsumerInterceptor, ProducerInterceptor
from .loading import load
from .records import ConsumerRecord, OffsetAndMetadata, ProducerRecord, RecordMetadata, TopicPartition

__all__ = ["InterceptorFailedError", "consumed", "produced", "stored"]

_CLIENT_ID = "test"


class InterceptorFailedError(AssertionError):
    """A client would have gone on without the class, or with the record before it; names class, hook and reason."""


class _Noted(Failures):
    """Keeps the first failure, to be raised when a client would have gone on."""

    def __init__(self) -> None:
        super().__init__()
        self._first: Optional[str] = None

    def add(
        self, name: str, hook: str, reason: str, *, topic: Optional[str] = None, partition: Optional[int] = None
    ) -> None:
        if self._first is None:
            self._first = f"{name} failed in {hook} (topic {topic}, partition {partition}): {reason}"

    def check(self) -> None:
        if self._first is not None:
            raise InterceptorFailedError(self._first)


def produced(
    classes: object,
    records: Iterable[ProducerRecord],
    *,
    config: Optional[Mapping[str, Any]] = None,
    error: Optional[BaseException] = None,
) -> list[ProducerRecord]:
    """Have the interceptors of a producer called for these records, and return what the client would serialize.

    Parameters
    ----------
    classes
        What `interceptor.classes` would have.
    records
        Each is sent and acknowledged, in partition 0 where it names none, with offsets from 0 on.
    config
        What `configure` gets beside ``client.id``, by Kafka's names.
    error
        Why no record is taken, if so: `on_acknowledgement` gets it, with no offset.

    Raises
    ------
    InterceptorFailedError
        An interceptor failed, or cannot be used.
    """
    failures = _Noted()
    chain = ProducerChain(load(classes, ProducerInterceptor, _whole(config), failures), failures)
    failures.check()
    sent = [chain.on_send(record) for record in records]
    for offset, record in enumerate(sent):
        partition = record.partition
        if error is None:
            metadata = RecordMetadata(record.topic, partition or 0, offset, record.timestamp_ms or 0)
        else:
            metadata = RecordMetadata(record.topic, -1 if partition is None else partition)
        chain.on_acknowledgement(metadata, error)
    chain.close()
    failures.check()
    return sent


def stored(records: Iterable[ProducerRecord]) -> list[ConsumerRecord]:
    """Return these records as a consumer gets them: in partition 0 where they name none, with offsets from 0 on."""
    return [
        ConsumerRecord(
            record.topic,
            record.partition or 0,
            offset,
            record.timestamp_ms or 0,
            0,
            record.key,
            record.value,
            tuple(record.headers),
        )
        for offset, record in enumerate(records)
    ]


def consumed(
    classes: object, records: Sequence[ConsumerRecord], *, config: Optional[Mapping[str, Any]] = None
) -> list[ConsumerRecord]:
    """Have the interceptors of a consumer called for these records in one go, and return what the application gets.

    The offsets after them are committed then. `classes`, `config` and what is raised are as of `produced`.
    """
    failures = _Noted()
    chain = ConsumerChain(load(classes, ConsumerInterceptor, _whole(config), failures), failures)
    failures.check()
    kept = chain.on_consume(records)
    chain.on_commit({TopicPartition(*one[:2]): OffsetAndMetadata(one.offset + 1) for one in records})
    chain.close()
    failures.check()
    return list(kept)


def _whole(config: Optional[Mapping[str, Any]]) -> dict[str, Any]:
    return {"client.id": _CLIENT_ID, **(config or {})}
