"""Topics on a broker, and what is in them by a client that has no interceptors."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, Final

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic

from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import deliver, eventually

COMPACTED: Final = "compacted"
TOPICS: Final[Mapping[str, tuple[int, Mapping[str, str]]]] = {
    "orders": (3, {}),
    "hurried": (1, {}),
    "small": (1, {"max.message.bytes": "2000"}),
    "keyed": (1, {"cleanup.policy": "compact"}),
    "forbidden": (1, {}),
    "audited": (3, {}),
    "killed": (1, {}),
}
"""Partitions and settings, by what follows the prefix of a program."""
_BLOCK: Final = 300
_AGO_MS: Final = 600_000


def _admin(broker: LocalBroker) -> Any:
    return AdminClient({"bootstrap.servers": broker.bootstrap})


def _make(broker: LocalBroker, *topics: NewTopic) -> None:
    admin = _admin(broker)
    for made in admin.create_topics(list(topics)).values():
        made.result()


def make_topics(broker: LocalBroker) -> str:
    """Make the topics of a program, and return their prefix."""
    prefix = f"counted-{uuid.uuid4().hex[:8]}"
    topics = TOPICS.items()
    _make(broker, *(NewTopic(f"{prefix}-{name}", count, 1, config=dict(config)) for name, (count, config) in topics))
    return prefix


def make_gaps(broker: LocalBroker) -> None:
    """Make a compacted topic, and wait until every second block of its records is gone."""
    settings = {"cleanup.policy": "compact", "segment.ms": "1000", "min.cleanable.dirty.ratio": "0.001"}
    _make(broker, NewTopic(COMPACTED, 1, 1, config=settings))
    producer: Any = Producer({"bootstrap.servers": broker.bootstrap})
    ago = int(time.time() * 1000) - _AGO_MS
    for block in ("kept 1", "again", "kept 2", "again", "kept 3"):
        for number in range(_BLOCK):
            producer.produce(COMPACTED, b"v", f"{block} {number}", timestamp=ago)
    deliver(producer)
    # So much later a new segment begins; only those before it are compacted.
    producer.produce(COMPACTED, b"v", "last")
    deliver(producer)
    with _compacting_at_once(broker):
        eventually(lambda: len(offsets(broker, COMPACTED)), lambda found: found == 4 * _BLOCK + 1)


@contextmanager
def _compacting_at_once(broker: LocalBroker) -> Iterator[None]:
    """The broker looks for what can be compacted all the time, instead of every 15 s."""
    admin = _admin(broker)
    for operation in (AlterConfigOpType.SET, AlterConfigOpType.DELETE):
        entry = ConfigEntry("log.cleaner.backoff.ms", "100", incremental_operation=operation)
        resource = ConfigResource(ConfigResource.Type.BROKER, str(broker.node_id), incremental_configs=[entry])
        admin.incremental_alter_configs([resource])[resource].result()
        if operation is AlterConfigOpType.SET:
            yield


def ends(broker: LocalBroker, topic: str) -> dict[int, int]:
    """The end offset of each partition that has had records."""
    with closing(Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "ends"})) as consumer:
        partitions = consumer.list_topics(topic, 30).topics[topic].partitions
        found = {one: consumer.get_watermark_offsets(TopicPartition(topic, one), 30)[1] for one in partitions}
    return {partition: end for partition, end in found.items() if end}


def offsets(broker: LocalBroker, topic: str) -> set[tuple[int, int]]:
    """Partition and offset of each record that can be read; of transactions of those that were committed."""
    config = {"bootstrap.servers": broker.bootstrap, "group.id": "offsets", "enable.partition.eof": True}
    found, open_ = set(), set(ends(broker, topic))
    with closing(Consumer(config)) as consumer:
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in open_])
        while open_:
            for message in consumer.consume(1_000, 0.1):
                error = message.error()
                if error is None:
                    found.add((message.partition(), message.offset()))
                else:
                    assert error.code() == KafkaError._PARTITION_EOF, error
                    open_.discard(message.partition())
    return found


def committed(broker: LocalBroker, group: str, topic: str) -> dict[int, int]:
    """The offset that a group has committed of each partition."""
    places = [TopicPartition(topic, partition) for partition in ends(broker, topic)]
    with closing(Consumer({"bootstrap.servers": broker.bootstrap, "group.id": group})) as consumer:
        return {one.partition: one.offset for one in consumer.committed(places, 30) if one.offset >= 0}
