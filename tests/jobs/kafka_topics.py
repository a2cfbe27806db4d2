"""A pair of topics of one test on the shared broker, filled by hand."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import dataclass, field

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from kwitness.contracts.kafka_connection import TopicNames
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.eventually import deliver, eventually
from tests.jobs.ordered_producer import ordered_producer
from tests.jobs.traffic import CONNECTIONS, TELEMETRY

#: Above what brokers take by default.
_LARGEST = 12_000_000


@dataclass
class Topics:
    """Two topics with one partition for telemetry and one for connections, unless told otherwise."""

    bootstrap: str
    names: TopicNames = field(default_factory=lambda: unique_names())  # noqa: PLW0108 - defined below
    written: list[KafkaRecord] = field(default_factory=list)

    def create(self) -> Topics:
        """Make both topics."""
        large = {"max.message.bytes": str(_LARGEST)}
        topics = [NewTopic(name, 1, 1, config=large) for name in (self.names.telemetry, self.names.connections)]
        admin = self._admin()
        for future in admin.create_topics(topics).values():
            future.result()
        return self

    def write(self, records: list[KafkaRecord]) -> None:
        """Write records in order; `written` has them with the offsets they got."""
        producer = ordered_producer(self.bootstrap, {"linger.ms": 5, "message.max.bytes": _LARGEST})
        names = {TELEMETRY: self.names.telemetry, CONNECTIONS: self.names.connections}
        for record in records:
            topic = names[record.topic]
            offset = sum(one.topic == topic for one in self.written)
            producer.produce(topic, record.value, record.key, headers=list(record.headers), partition=0)
            self.written.append(record._replace(topic=topic, partition=0, offset=offset))
        deliver(producer)

    def expire(self, topic: str, before: int) -> None:
        """Remove the records before an offset, as retention does."""
        partition = TopicPartition(topic, 0, before)
        admin = self._admin()
        for future in admin.delete_records([partition]).values():
            future.result()

    def make_anew(self, topic: str) -> None:
        """Delete a topic and make it again, empty; `written` forgets what it held."""
        admin = self._admin()
        for future in admin.delete_topics([topic]).values():
            future.result()
        self.written = [record for record in self.written if record.topic != topic]
        eventually(lambda: _is_created(admin, topic), every=0.2)
        # Until the broker follows its controller, it still has the old one and would take records for it.
        eventually(lambda: _is_empty(admin, topic), every=0.2)

    def kinded(self) -> list[tuple[str, KafkaRecord]]:
        """All that was written, with the kind of its topic."""
        kinds = {self.names.telemetry: "telemetry", self.names.connections: "connections"}
        return [(kinds[record.topic], record) for record in self.written]

    def _admin(self) -> AdminClient:
        return AdminClient({"bootstrap.servers": self.bootstrap})


def _is_created(admin: AdminClient, topic: str) -> bool:
    with suppress(KafkaException):
        admin.create_topics([NewTopic(topic, 1, 1)])[topic].result()
        return True
    return False


def _is_empty(admin: AdminClient, topic: str) -> bool:
    partition = TopicPartition(topic, 0)
    with suppress(KafkaException):
        end = admin.list_offsets({partition: OffsetSpec.latest()})[partition].result()
        return bool(end.offset == 0)
    return False


def unique_names() -> TopicNames:
    unique = uuid.uuid4().hex[:8]
    return TopicNames(telemetry=f"{unique}.telemetry", connections=f"{unique}.connections")
