"""A class of one's own from a profile: called for the profile's topics alone, and not while it is suspended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

from kwitness_interceptors.interface import ConsumerInterceptor, ProducerInterceptor
from kwitness_interceptors.records import (
    ConsumerRecord,
    OffsetAndMetadata,
    ProducerRecord,
    RecordMetadata,
    TopicPartition,
)

__all__ = ["SelectedConsumerInterceptor", "SelectedProducerInterceptor"]

Counted = Callable[[str], bool]


class SelectedProducerInterceptor(ProducerInterceptor):
    """Passes on what concerns these topics; what the class raises is raised."""

    def __init__(self, interceptor: ProducerInterceptor, selected: Counted) -> None:
        self._interceptor = interceptor
        self._selected = selected

    def configure(self, config: Mapping[str, Any]) -> None:
        self._interceptor.configure(config)

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        return self._interceptor.on_send(record) if self._selected(record.topic) else record

    def on_send_batch(self, topic: str, partition: Optional[int], count: int) -> None:
        if self._selected(topic):
            self._interceptor.on_send_batch(topic, partition, count)

    def on_acknowledgement(self, metadata: RecordMetadata, exception: Optional[BaseException]) -> None:
        if self._selected(metadata.topic):
            self._interceptor.on_acknowledgement(metadata, exception)

    def close(self) -> None:
        self._interceptor.close()


class SelectedConsumerInterceptor(ConsumerInterceptor):
    """Passes on what concerns these topics; records of others keep their places."""

    def __init__(self, interceptor: ConsumerInterceptor, selected: Counted) -> None:
        self._interceptor = interceptor
        self._selected = selected

    def configure(self, config: Mapping[str, Any]) -> None:
        self._interceptor.configure(config)

    def on_consume(self, records: Sequence[ConsumerRecord]) -> Sequence[ConsumerRecord]:
        selected = [one for one in records if self._selected(one.topic)]
        if not selected:
            return records
        if len(selected) == len(records):
            return self._interceptor.on_consume(records)
        changed = self._interceptor.on_consume(selected)
        if changed is selected:
            return records
        by_place = {one[:3]: one for one in changed}
        others = ((one, by_place.get(one[:3]) if self._selected(one.topic) else one) for one in records)
        return [kept for _, kept in others if kept is not None]

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        selected = {place: offset for place, offset in offsets.items() if self._selected(place.topic)}
        if selected:
            self._interceptor.on_commit(selected)

    def close(self) -> None:
        self._interceptor.close()
