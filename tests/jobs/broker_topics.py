"""Topics of one test on the shared broker: made, written and committed to, by hand."""

from __future__ import annotations

from contextlib import suppress

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic

from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.eventually import deliver, eventually
from tests.jobs.ordered_producer import ordered_producer


def create(admin: AdminClient, *names: str, partitions: int = 1) -> None:
    """Make topics."""
    for future in admin.create_topics([NewTopic(name, partitions, 1) for name in names]).values():
        future.result()


def compact(admin: AdminClient, name: str) -> None:
    """Make a topic a compacted one; its records need no keys where they are written before."""
    policy = ConfigEntry("cleanup.policy", "compact", incremental_operation=AlterConfigOpType.SET)
    changed = ConfigResource(ConfigResource.Type.TOPIC, name, incremental_configs=[policy])
    admin.incremental_alter_configs([changed])[changed].result()


def write(kafka: LocalBroker, topic: str, count: int, *, at_ms: int = 0) -> None:
    """Write some records into partition 0, as of a time, or of now."""
    producer = ordered_producer(kafka.bootstrap)
    for number in range(count):
        producer.produce(topic, str(number), partition=0, timestamp=at_ms)
    deliver(producer)


def tell(kafka: LocalBroker, topic: str, *records: KafkaRecord, at_ms: int = 0) -> None:
    """Write records of the platform, as of a time, or of now."""
    producer = ordered_producer(kafka.bootstrap)
    for record in records:
        producer.produce(topic, record.value, headers=list(record.headers), timestamp=at_ms)
    deliver(producer)


def commit(kafka: LocalBroker, group: str, topic: str, offset: int) -> None:
    """Commit an offset of partition 0 for a group, which is empty then."""
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": group})
    # A broker that has just started is not yet the group's coordinator.
    eventually(lambda: _committed(consumer, TopicPartition(topic, 0, offset)), every=0.2)
    consumer.close()


def _committed(consumer: Consumer, where: TopicPartition) -> bool:
    with suppress(KafkaException):
        consumer.commit(offsets=[where], asynchronous=False)
        return True
    return False
