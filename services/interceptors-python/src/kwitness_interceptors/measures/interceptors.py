"""The interceptors Audit, Latency and Sizes: they count into one place in one call, and change nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from time import time
from typing import Optional

from kwitness_interceptors.interface import ConsumerInterceptor, ProducerInterceptor
from kwitness_interceptors.records import (
    Batch,
    ConsumerRecord,
    OffsetAndMetadata,
    ProducerRecord,
    RecordMetadata,
    TopicPartition,
)

from .client_counts import ClientCounts, TopicCounts, now_ms
from .failure_reasons import failure_reason

__all__ = ["ConsumerMeasure", "Counted", "ProducerMeasure"]

Counted = Callable[[str], bool]
"""Whether records of a topic are counted now."""


class ProducerMeasure(ProducerInterceptor):
    """All of the three that a profile has, at a producer: one call for each record, and one look for its place.

    Parameters
    ----------
    kinds
        Of ``Audit``, ``Latency`` and ``Sizes``.
    counts
        Where it counts.
    counted
        Which topics it counts.
    """

    def __init__(self, kinds: Collection[str], counts: ClientCounts, counted: Counted) -> None:
        self._counts = counts
        self._counted = counted
        self._audit, self._latency, self._sizes = (kind in kinds for kind in ("Audit", "Latency", "Sizes"))
        if self._audit:
            self.kwitness_anomaly = self._anomaly
        else:
            # What the others do at sending is nothing.
            self.on_send = _unchanged  # type: ignore[method-assign]

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        self.kwitness_sent(record.topic)
        return record

    def kwitness_sent(self, topic: str) -> None:
        """Count a record that is sent, as `on_send` does."""
        if self._audit and self._counted(topic):
            counts = self._counts
            with counts.lock:
                counts.topic(topic, time() * 1000).sent += 1

    def on_send_batch(self, topic: str, partition: Optional[int], count: int) -> None:
        if self._audit and self._counted(topic):
            counts = self._counts
            with counts.lock:
                counts.topic(topic, time() * 1000).sent += count

    def on_acknowledgement(self, metadata: RecordMetadata, exception: Optional[BaseException]) -> None:
        topic, partition, offset, _, key_size, value_size, _, elapsed = metadata
        self.kwitness_settled(topic, partition, offset, key_size, value_size, elapsed, exception)

    def kwitness_settled(
        self,
        name: str,
        number: int,
        offset: int,
        key_size: int,
        value_size: int,
        elapsed: float,
        exception: Optional[BaseException],
    ) -> None:
        """Count what became of a record in the window of now, as `on_acknowledgement` does."""
        if not self._counted(name):
            return
        counts = self._counts
        with counts.lock:
            topic = counts.topic(name, time() * 1000)
            if self._audit:
                if exception is None:
                    topic.acknowledged += 1
                    partition = topic.partitions.get(number) or topic.partition(number, counts.most_partitions)
                    if partition is not None:
                        partition.acknowledged += 1
                        partition.offsets.add(offset)
                else:
                    topic.failures[failure_reason(exception)] += 1
            if self._latency and exception is None and elapsed >= 0:
                topic.acknowledgement_time.add(int(elapsed * 1_000_000))
            if self._sizes:
                _add_sizes(topic, key_size, value_size)

    def _anomaly(self, topic: str, anomaly: str) -> None:
        if self._counted(topic):
            with self._counts.lock:
                self._counts.topic(topic, now_ms()).anomalies[anomaly] += 1


class ConsumerMeasure(ConsumerInterceptor):
    """All of the three that a profile has, at a consumer; its parameters are those of `ProducerMeasure`."""

    def __init__(self, kinds: Collection[str], counts: ClientCounts, counted: Counted) -> None:
        self._counts = counts
        self._counted = counted
        self._audit, self._latency, self._sizes = (kind in kinds for kind in ("Audit", "Latency", "Sizes"))

    def on_consume(self, records: Sequence[ConsumerRecord]) -> Sequence[ConsumerRecord]:
        counts, counted, audit, latency, sizes = self._counts, self._counted, self._audit, self._latency, self._sizes
        now = now_ms()
        name, topic = None, None
        with counts.lock:
            for record in records:
                if record[0] != name:
                    name = record[0]
                    topic = counts.topic(name, now) if counted(name) else None
                if topic is None:
                    continue
                _, number, offset, timestamp_ms, _, _, _, _, key_size, value_size, _ = record
                if audit:
                    topic.consumed += 1
                    partition = topic.partitions.get(number) or topic.partition(number, counts.most_partitions)
                    if partition is not None:
                        partition.consumed += 1
                        partition.offsets.add(offset)
                if latency and timestamp_ms >= 0:
                    _add_latency(topic, now - timestamp_ms)
                if sizes:
                    _add_sizes(topic, key_size, value_size)
        return records

    def kwitness_consumed(self, batch: Batch) -> None:
        """Count records of one topic, as `on_consume` does, but together."""
        if not self._counted(batch.topic):
            return
        counts = self._counts
        now = now_ms()
        with counts.lock:
            topic = counts.topic(batch.topic, now)
            if self._audit:
                topic.consumed += len(batch.offsets)
                for number, offsets in _by_partition(batch):
                    partition = topic.partition(number, counts.most_partitions)
                    if partition is not None:
                        partition.consumed += len(offsets)
                        partition.offsets.add_all(offsets)
            if self._latency:
                for (kind, timestamp_ms), count in Counter(batch.times).items():
                    if kind and timestamp_ms >= 0:
                        _add_latency(topic, now - timestamp_ms, count)
            if self._sizes:
                for (key_size, value_size), count in Counter(zip(batch.key_sizes, batch.value_sizes)).items():
                    _add_sizes(topic, key_size, value_size, count)

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        if not self._audit:
            return
        counts = self._counts
        now = now_ms()
        with counts.lock:
            for place, committed in offsets.items():
                if self._counted(place.topic):
                    topic = counts.topic(place.topic, now)
                    topic.commits += 1
                    partition = topic.partition(place.partition, counts.most_partitions)
                    if partition is not None:
                        partition.committed_offset = committed.offset

    def kwitness_commit_failed(self, places: Sequence[TopicPartition], why: BaseException) -> None:
        """Count the places whose commit failed, by the reason."""
        if not self._audit:
            return
        reason, now = failure_reason(why), now_ms()
        with self._counts.lock:
            for place in places:
                if self._counted(place.topic):
                    self._counts.topic(place.topic, now).commit_failures[reason] += 1


def _unchanged(record: ProducerRecord) -> ProducerRecord:
    return record


def _by_partition(batch: Batch) -> Iterable[tuple[int, Sequence[int]]]:
    """Return the offsets of each partition, in their order."""
    if len(set(batch.partitions)) == 1:
        return [(batch.partitions[0], batch.offsets)]
    found: dict[int, list[int]] = defaultdict(list)
    for number, offset in zip(batch.partitions, batch.offsets):
        found[number].append(offset)
    return found.items()


def _add_latency(topic: TopicCounts, milliseconds: float, count: int = 1) -> None:
    if milliseconds < 0:
        topic.anomalies["negative_latency"] += count
    else:
        topic.end_to_end.add(int(milliseconds * 1000), count)


def _add_sizes(topic: TopicCounts, key_size: int, value_size: int, count: int = 1) -> None:
    if key_size < 0:
        if value_size < 0:
            return
        key_size = 0
    elif value_size < 0:
        value_size = 0
    topic.key_bytes += key_size * count
    topic.value_bytes += value_size * count
    topic.sizes.add(key_size + value_size, count)
