"""The interceptors Audit, Latency and Sizes: they count into one place, and change nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Optional

from kwitness_interceptors.interface import ConsumerInterceptor, ProducerInterceptor
from kwitness_interceptors.records import (
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
    """One of the three at a producer.

    Parameters
    ----------
    kind
        ``Audit``, ``Latency`` or ``Sizes``.
    counts
        Where it counts.
    counted
        Which topics it counts.
    """

    def __init__(self, kind: str, counts: ClientCounts, counted: Counted) -> None:
        self._counts = counts
        self._counted = counted
        self._count = {"Audit": self._audit, "Latency": self._latency, "Sizes": self._sizes}[kind]
        if kind != "Audit":
            # What the others do at sending is nothing.
            self.on_send = _unchanged  # type: ignore[method-assign]
        else:
            self.kwitness_anomaly = self._anomaly

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        if self._counted(record.topic):
            counts = self._counts
            with counts.lock:
                counts.topic(record.topic, now_ms()).sent += 1
        return record

    def on_send_batch(self, topic: str, partition: Optional[int], count: int) -> None:
        if self._count == self._audit and self._counted(topic):
            counts = self._counts
            with counts.lock:
                counts.topic(topic, now_ms()).sent += count

    def on_acknowledgement(self, metadata: RecordMetadata, exception: Optional[BaseException]) -> None:
        if not self._counted(metadata.topic):
            return
        counts = self._counts
        # In the window of its sending.
        sent_at = now_ms() - max(0.0, metadata.elapsed_seconds) * 1000
        with counts.lock:
            self._count(counts.topic(metadata.topic, sent_at), metadata, exception)

    def _audit(self, topic: TopicCounts, metadata: RecordMetadata, exception: Optional[BaseException]) -> None:
        if exception is not None:
            topic.failures[failure_reason(exception)] += 1
            return
        topic.acknowledged += 1
        partition = topic.partition(metadata.partition, self._counts.most_partitions)
        if partition is not None:
            partition.acknowledged += 1
            partition.offsets.add(metadata.offset)

    @staticmethod
    def _latency(topic: TopicCounts, metadata: RecordMetadata, exception: Optional[BaseException]) -> None:
        if exception is None and metadata.elapsed_seconds >= 0:
            topic.acknowledgement_time.add(int(metadata.elapsed_seconds * 1_000_000))

    @staticmethod
    def _sizes(topic: TopicCounts, metadata: RecordMetadata, _: Optional[BaseException]) -> None:
        _add_sizes(topic, metadata.serialized_key_size, metadata.serialized_value_size)

    def _anomaly(self, topic: str, anomaly: str) -> None:
        if self._counted(topic):
            with self._counts.lock:
                self._counts.topic(topic, now_ms()).anomalies[anomaly] += 1


class ConsumerMeasure(ConsumerInterceptor):
    """One of the three at a consumer; its parameters are those of `ProducerMeasure`."""

    def __init__(self, kind: str, counts: ClientCounts, counted: Counted) -> None:
        self._counts = counts
        self._counted = counted
        self._count = {"Audit": self._audit, "Latency": self._latency, "Sizes": self._sizes}[kind]
        self._commits = kind == "Audit"
        if self._commits:
            self.kwitness_commit_failed = self._commit_failed

    def on_consume(self, records: Sequence[ConsumerRecord]) -> Sequence[ConsumerRecord]:
        counts, counted, count = self._counts, self._counted, self._count
        now = now_ms()
        name, topic = None, None
        with counts.lock:
            for record in records:
                if record.topic != name:
                    name = record.topic
                    topic = counts.topic(name, now) if counted(name) else None
                if topic is not None:
                    count(topic, record, now)
        return records

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        if not self._commits:
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

    def _commit_failed(self, places: Sequence[TopicPartition], why: BaseException) -> None:
        reason, now = failure_reason(why), now_ms()
        with self._counts.lock:
            for place in places:
                if self._counted(place.topic):
                    self._counts.topic(place.topic, now).commit_failures[reason] += 1

    def _audit(self, topic: TopicCounts, record: ConsumerRecord, _now: float) -> None:
        topic.consumed += 1
        partition = topic.partition(record.partition, self._counts.most_partitions)
        if partition is not None:
            partition.consumed += 1
            partition.offsets.add(record.offset)

    @staticmethod
    def _latency(topic: TopicCounts, record: ConsumerRecord, now: float) -> None:
        if record.timestamp_ms < 0:
            return
        latency_ms = now - record.timestamp_ms
        if latency_ms < 0:
            topic.anomalies["negative_latency"] += 1
        else:
            topic.end_to_end.add(int(latency_ms * 1000))

    @staticmethod
    def _sizes(topic: TopicCounts, record: ConsumerRecord, _now: float) -> None:
        _add_sizes(topic, record.serialized_key_size, record.serialized_value_size)


def _unchanged(record: ProducerRecord) -> ProducerRecord:
    return record


def _add_sizes(topic: TopicCounts, key_size: int, value_size: int) -> None:
    if key_size < 0 and value_size < 0:
        return
    key_bytes, value_bytes = max(0, key_size), max(0, value_size)
    topic.key_bytes += key_bytes
    topic.value_bytes += value_bytes
    topic.sizes.add(key_bytes + value_bytes)
