"""Interceptors in their order: each gets what the one before it returned, or the last good record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter_ns
from typing import Any, Generic, NamedTuple, Optional, TypeVar, Union

from .containment import FAILURES, Failures, is_contained, reason_of
from .hook_counts import ONE_IN, HookCount
from .interface import ConsumerInterceptor, ProducerInterceptor
from .records import (
    AddedHeader,
    Batch,
    ConsumerRecord,
    OffsetAndMetadata,
    ProducerRecord,
    RecordMetadata,
    TopicPartition,
)

__all__ = ["ConsumerChain", "Named", "ProducerChain"]

T = TypeVar("T", ProducerInterceptor, ConsumerInterceptor)

_PAIR = 2


class Named(NamedTuple):
    """An interceptor by the name that a profile gives it."""

    name: str
    interceptor: Union[ProducerInterceptor, ConsumerInterceptor]


class _Link(Generic[T]):
    """One interceptor of a chain, with the counts of its hooks."""

    __slots__ = ("acknowledged", "closed", "committed", "consumed", "interceptor", "name", "sent")

    def __init__(self, name: str, interceptor: T) -> None:
        self.name = name
        self.interceptor: T = interceptor
        self.sent = HookCount()
        self.acknowledged = HookCount()
        self.consumed = HookCount()
        self.committed = HookCount()
        self.closed = HookCount()

    def counts(self) -> dict[str, HookCount]:
        return {
            "on_send": self.sent,
            "on_acknowledgement": self.acknowledged,
            "on_consume": self.consumed,
            "on_commit": self.committed,
            "close": self.closed,
        }


class _Chain(Generic[T]):
    def __init__(self, interceptors: Iterable[Union[T, Named]], failures: Failures = FAILURES) -> None:
        self._links: tuple[_Link[T], ...] = tuple(
            _Link(one.name, one.interceptor) if isinstance(one, Named) else _Link(_name_of(one), one)  # type: ignore[arg-type]
            for one in interceptors
        )
        self._failures = failures
        self._closed = False

    def __bool__(self) -> bool:
        return bool(self._links)

    @property
    def is_closed(self) -> bool:
        """Whether the client was closed."""
        return self._closed

    def counts(self) -> dict[tuple[str, str], HookCount]:
        """Return the counts by the interceptor's name and the hook."""
        return {(link.name, hook): count for link in self._links for hook, count in link.counts().items()}

    def close(self) -> None:
        """Close every interceptor, once."""
        if self._closed:
            return
        self._closed = True
        for link in self._links:
            link.closed.begin()
            try:
                link.interceptor.close()
            except BaseException as error:  # noqa: BLE001 - what is not the interceptor's own is raised again
                self._contain(error, link.name, "close", link.closed)

    def left_out(self, topic: str, reason: str, count: int = 1) -> None:
        """Have records counted that go without headers which the profile adds, once for all that do."""
        for link in self._links:
            told = getattr(link.interceptor, "kwitness_left_out", None)
            if told is None:
                continue
            try:
                told(topic, reason, count)
            except BaseException as error:  # noqa: BLE001 - as above
                self._contain(error, link.name, "on_send", link.sent, topic)
            return

    def _only_counts(self, method: str) -> bool:
        return len(self._links) == 1 and hasattr(self._links[0].interceptor, method)

    def _contain(
        self,
        error: BaseException,
        name: str,
        hook: str,
        count: HookCount,
        topic: Optional[str] = None,
        partition: Optional[int] = None,
    ) -> None:
        """Count it; raises it again where it was not the interceptor's own."""
        if not is_contained(error):
            raise error
        count.errors += 1
        self._failures.add(name, hook, reason_of(error), topic=topic, partition=partition)


class ProducerChain(_Chain[ProducerInterceptor]):
    """The interceptors of one producer; none of its methods raises what an interceptor raised.

    `wants_records` is false where the one interceptor there is only counts: it is told by `sent` and `settled`, for
    which nothing has to be made. `wants_serialized` says whether `serialized` has something to add.
    """

    def __init__(
        self, interceptors: Iterable[Union[ProducerInterceptor, Named]], failures: Failures = FAILURES
    ) -> None:
        super().__init__(interceptors, failures)
        self.wants_records = not self._only_counts("kwitness_sent")
        self._serialized = tuple(one for one in self._links if hasattr(one.interceptor, "kwitness_serialized"))
        self.wants_serialized = bool(self._serialized)

    def sent(self, topic: str) -> None:
        """Tell of a record that nobody changes."""
        link = self._links[0]
        count = link.sent
        count.calls = calls = count.calls + 1
        started = perf_counter_ns() if calls % ONE_IN == 1 else 0
        try:
            link.interceptor.kwitness_sent(topic)  # type: ignore[attr-defined] # as it was asked for
        except BaseException as error:  # noqa: BLE001 - as above
            self._contain(error, link.name, "on_send", count, topic)
        if started:
            count.add_time(perf_counter_ns() - started)

    def settled(
        self,
        topic: str,
        partition: int,
        offset: int,
        key_size: int,
        value_size: int,
        elapsed_seconds: float,
        exception: Optional[BaseException],
    ) -> None:
        """Tell what became of such a record, in the words of `RecordMetadata`."""
        link = self._links[0]
        count = link.acknowledged
        count.calls = calls = count.calls + 1
        started = perf_counter_ns() if calls % ONE_IN == 1 else 0
        try:
            link.interceptor.kwitness_settled(  # type: ignore[attr-defined] # as it was asked for
                topic, partition, offset, key_size, value_size, elapsed_seconds, exception
            )
        except BaseException as error:  # noqa: BLE001 - as above
            self._contain(error, link.name, "on_acknowledgement", count, topic, partition)
        if started:
            count.add_time(perf_counter_ns() - started)

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        """Return what is to be sent instead of this record."""
        for link in self._links:
            count = link.sent
            started = perf_counter_ns() if count.begin() else 0
            try:
                changed = link.interceptor.on_send(record)
                if changed is not record:
                    record = self._good(link, record, changed)
            except BaseException as error:  # noqa: BLE001 - as above
                self._contain(error, link.name, "on_send", count, record.topic, record.partition)
            if started:
                count.add_time(perf_counter_ns() - started)
        return record

    def serialized(self, topic: str, key: Any, value: Any, headers: Sequence[Any]) -> list[AddedHeader]:
        """Return the headers that a record gets once its bytes are known; `headers` are those that it has."""
        added: list[AddedHeader] = []
        for link in self._serialized:
            try:
                one = link.interceptor.kwitness_serialized(topic, key, value, headers)  # type: ignore[attr-defined] # as it was asked for
                if one is not None:
                    added.append(one)
            except BaseException as error:  # noqa: BLE001 - as above
                self._contain(error, link.name, "on_send", link.sent, topic)
        return added

    def on_send_batch(self, topic: str, partition: Optional[int], count: int) -> None:
        """Tell of records that cannot be changed any more."""
        self.left_out(topic, "headers_left_out", count)
        for link in self._links:
            link.sent.begin()
            try:
                link.interceptor.on_send_batch(topic, partition, count)
            except BaseException as error:  # noqa: BLE001 - as above
                self._contain(error, link.name, "on_send_batch", link.sent, topic, partition)

    def on_acknowledgement(self, metadata: RecordMetadata, exception: Optional[BaseException]) -> None:
        """Tell what became of a record."""
        for link in self._links:
            count = link.acknowledged
            started = perf_counter_ns() if count.begin() else 0
            try:
                link.interceptor.on_acknowledgement(metadata, exception)
            except BaseException as error:  # noqa: BLE001 - as above
                self._contain(error, link.name, "on_acknowledgement", count, metadata.topic, metadata.partition)
            if started:
                count.add_time(perf_counter_ns() - started)

    def _good(self, link: _Link[ProducerInterceptor], record: ProducerRecord, changed: object) -> ProducerRecord:
        """Return the changed record, or the one before it where the application's traffic would go elsewhere."""
        if not isinstance(changed, ProducerRecord):
            wrong, anomaly = f"returned {type(changed).__name__} instead of a ProducerRecord", "no_record"
        elif changed.topic != record.topic:
            wrong, anomaly = "returned a record for another topic", "topic_changed"
        elif not _is_sendable(changed, record):
            wrong, anomaly = "returned a record whose headers, partition or timestamp no client takes", "no_record"
        else:
            if changed.key is not record.key and _differ(changed.key, record.key):
                # Let through: encrypting a key is a use. Its partition and what compaction keeps change with it.
                self._note(link, record.topic, "key_changed")
            return changed
        link.sent.errors += 1
        self._note(link, record.topic, anomaly)
        self._failures.add(link.name, "on_send", wrong, topic=record.topic, partition=record.partition)
        return record

    def _note(self, link: _Link[ProducerInterceptor], topic: str, anomaly: str) -> None:
        self._failures.note(link.name, anomaly)
        for other in self._links:
            told = getattr(other.interceptor, "kwitness_anomaly", None)
            if told is not None:
                told(topic, anomaly)


class ConsumerChain(_Chain[ConsumerInterceptor]):
    """The interceptors of one consumer; none of its methods raises what an interceptor raised.

    `wants_records` is false where the one interceptor there is only counts: it is told by `consumed`.
    `wants_serialized` says whether `received` has something to compare.
    """

    def __init__(
        self, interceptors: Iterable[Union[ConsumerInterceptor, Named]], failures: Failures = FAILURES
    ) -> None:
        super().__init__(interceptors, failures)
        self.wants_records = not self._only_counts("kwitness_consumed")
        self._received = tuple(one for one in self._links if hasattr(one.interceptor, "kwitness_received"))
        self.wants_serialized = bool(self._received)

    def received(self, topic: str, key: Any, value: Any, headers: Sequence[Any], *, known: bool) -> None:
        """Tell of a record before it is deserialized; `known` says whether these are its bytes."""
        for link in self._received:
            try:
                link.interceptor.kwitness_received(topic, key, value, headers, known=known)  # type: ignore[attr-defined] # likewise
            except BaseException as error:  # noqa: BLE001 - as above
                self._contain(error, link.name, "on_consume", link.consumed, topic)

    def consumed(self, batches: Iterable[Batch]) -> None:
        """Tell of records that nobody changes, and that the application gets at once."""
        link = self._links[0]
        count = link.consumed
        started = perf_counter_ns() if count.begin() else 0
        try:
            for batch in batches:
                link.interceptor.kwitness_consumed(batch)  # type: ignore[attr-defined] # as it was asked for
        except BaseException as error:  # noqa: BLE001 - as above
            self._contain(error, link.name, "on_consume", count)
        if started:
            count.add_time(perf_counter_ns() - started)

    def on_consume(self, records: Sequence[ConsumerRecord]) -> Sequence[ConsumerRecord]:
        """Return what the application gets instead of these records, none of them twice and none that was not here."""
        for link in self._links:
            count = link.consumed
            started = perf_counter_ns() if count.begin() else 0
            try:
                changed = link.interceptor.on_consume(records)
                if changed is not records:
                    records = _those_of(records, changed)
            except BaseException as error:  # noqa: BLE001 - as above
                topic, partition = records[0][:2] if records else (None, None)
                self._contain(error, link.name, "on_consume", count, topic, partition)
            if started:
                count.add_time(perf_counter_ns() - started)
        return records

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """Tell of committed offsets."""
        for link in self._links:
            count = link.committed
            started = perf_counter_ns() if count.begin() else 0
            try:
                link.interceptor.on_commit(offsets)
            except BaseException as error:  # noqa: BLE001 - as above
                topic, partition = next(iter(offsets), (None, None))
                self._contain(error, link.name, "on_commit", count, topic, partition)
            if started:
                count.add_time(perf_counter_ns() - started)

    def commit_failed(self, places: Sequence[TopicPartition], why: BaseException) -> None:
        """Have offsets counted that were not committed, of each place one: KIP-42 has no hook for them."""
        for link in self._links:
            told = getattr(link.interceptor, "kwitness_commit_failed", None)
            if told is None:
                continue
            try:
                told(places, why)
            except BaseException as error:  # noqa: BLE001 - as above
                self._contain(error, link.name, "on_commit", link.committed)


def _differ(key: Any, before: Any) -> bool:
    """Whether a key is another one; keys that cannot be compared, as arrays, are."""
    try:
        return bool(key != before)
    except Exception:  # noqa: BLE001 - comparing is the application's own code
        return True


def _is_sendable(changed: ProducerRecord, before: ProducerRecord) -> bool:
    """Whether clients take what was changed and they do not serialize: headers, partition and timestamp."""
    numbers = ((changed.partition, before.partition), (changed.timestamp_ms, before.timestamp_ms))
    headers = changed.headers
    return all(value is own or value is None or (isinstance(value, int) and value >= 0) for value, own in numbers) and (
        headers is before.headers or (isinstance(headers, (tuple, list)) and all(map(_is_header, headers)))
    )


def _is_header(one: object) -> bool:
    return (
        isinstance(one, tuple)
        and len(one) == _PAIR
        and isinstance(one[0], str)
        and isinstance(one[1], (bytes, type(None)))
    )


def _those_of(records: Sequence[ConsumerRecord], changed: object) -> Sequence[ConsumerRecord]:
    """Return the changed records.

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
