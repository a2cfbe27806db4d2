"""Interceptors in their order: each gets what the one before it returned, or the last good record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, Optional, TypeVar

from .containment import FAILURES, Failures, is_contained, reason_of
from .hook_times import HOOK_TIMES, HookTimes
from .interface import ConsumerInterceptor, ProducerInterceptor
from .records import ConsumerRecord, OffsetAndMetadata, ProducerRecord, RecordMetadata, TopicPartition

__all__ = ["ConsumerChain", "ProducerChain"]

T = TypeVar("T", ProducerInterceptor, ConsumerInterceptor)


class _Chain(Generic[T]):
    def __init__(
        self, interceptors: Iterable[T], failures: Failures = FAILURES, hook_times: HookTimes = HOOK_TIMES
    ) -> None:
        self._named = tuple((_name_of(one), one) for one in interceptors)
        self._failures = failures
        self._times = hook_times
        self._closed = False

    def __bool__(self) -> bool:
        return bool(self._named)

    def close(self) -> None:
        """Close every interceptor, once."""
        if self._closed:
            return
        self._closed = True
        for name, one in self._named:
            try:
                one.close()
            except BaseException as error:
                self._contain(error, name, "close")

    def _contain(
        self,
        error: BaseException,
        name: str,
        hook: str,
        topic: Optional[str] = None,
        partition: Optional[int] = None,
    ) -> None:
        """Count it; raises it again where it was not the interceptor's own."""
        if not is_contained(error):
            raise error
        self._failures.add(name, hook, reason_of(error), topic=topic, partition=partition)


class ProducerChain(_Chain[ProducerInterceptor]):
    """The interceptors of one producer; none of its methods raises what an interceptor raised."""

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        """Return what is to be sent instead of this record."""
        times = self._times
        for name, one in self._named:
            started = times.start()
            try:
                changed = one.on_send(record)
            except BaseException as error:  # noqa: BLE001 - what is not the interceptor's own is raised again
                self._contain(error, name, "on_send", record.topic, record.partition)
            else:
                if changed is not record:
                    record = self._good(name, record, changed)
            if started:
                times.stop(name, "on_send", started)
        return record

    def on_send_batch(self, topic: str, partition: Optional[int], count: int) -> None:
        """Tell of records that cannot be changed any more."""
        for name, one in self._named:
            try:
                one.on_send_batch(topic, partition, count)
            except BaseException as error:  # noqa: BLE001 - as above
                self._contain(error, name, "on_send_batch", topic, partition)

    def on_acknowledgement(self, metadata: RecordMetadata, exception: Optional[BaseException]) -> None:
        """Tell what became of a record."""
        times = self._times
        for name, one in self._named:
            started = times.start()
            try:
                one.on_acknowledgement(metadata, exception)
            except BaseException as error:  # noqa: BLE001 - as above
                self._contain(error, name, "on_acknowledgement", metadata.topic, metadata.partition)
            if started:
                times.stop(name, "on_acknowledgement", started)

    def _good(self, name: str, record: ProducerRecord, changed: object) -> ProducerRecord:
        """Return the changed record, or the one before it where the application's traffic would go elsewhere."""
        if not isinstance(changed, ProducerRecord):
            wrong = f"returned {type(changed).__name__} instead of a ProducerRecord"
        elif changed.topic != record.topic:
            wrong = "returned a record for another topic"
        else:
            if changed.key is not record.key and changed.key != record.key:
                # Let through: encrypting a key is a use. Its partition and what compaction keeps change with it.
                self._failures.note(name, "key_changed")
            return changed
        self._failures.add(name, "on_send", wrong, topic=record.topic, partition=record.partition)
        return record


class ConsumerChain(_Chain[ConsumerInterceptor]):
    """The interceptors of one consumer; none of its methods raises what an interceptor raised."""

    def on_consume(self, records: Sequence[ConsumerRecord]) -> Sequence[ConsumerRecord]:
        """Return what the application gets instead of these records, none of them twice and none that was not here."""
        times = self._times
        for name, one in self._named:
            started = times.start()
            first = records[0] if records else None
            topic, partition = (first.topic, first.partition) if first is not None else (None, None)
            try:
                changed = one.on_consume(records)
                if changed is not records:
                    records = _those_of(records, changed)
            except BaseException as error:  # noqa: BLE001 - as above
                self._contain(error, name, "on_consume", topic, partition)
            if started:
                times.stop(name, "on_consume", started)
        return records

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """Tell of committed offsets."""
        for name, one in self._named:
            try:
                one.on_commit(offsets)
            except BaseException as error:  # noqa: BLE001 - as above
                first = next(iter(offsets), None)
                topic, partition = first if first is not None else (None, None)
                self._contain(error, name, "on_commit", topic, partition)


def _those_of(records: Sequence[ConsumerRecord], changed: object) -> Sequence[ConsumerRecord]:
    """Return the changed records as a list.

    Raises
    ------
    TypeError
        They are no records.
    ValueError
        One of them is not among those that the consumer got, or comes again.
    """
    if not isinstance(changed, (list, tuple)):
        raise TypeError(f"returned {type(changed).__name__} instead of a list of ConsumerRecord")
    known = {one[:3] for one in records}
    for one in changed:
        if not isinstance(one, ConsumerRecord):
            raise TypeError(f"returned a list with {type(one).__name__} instead of ConsumerRecord")
        if one[:3] not in known:
            raise ValueError(
                "returned a record that the consumer did not get, or one twice: keep topic, partition and offset"
            )
        known.remove(one[:3])
    return changed


def _name_of(interceptor: object) -> str:
    kind = type(interceptor)
    return f"{kind.__module__}.{kind.__qualname__}"
