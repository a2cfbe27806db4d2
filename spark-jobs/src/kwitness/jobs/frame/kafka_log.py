"""The ends of a topic's partitions as the broker has them now, asked with a Java consumer of the driver's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import SparkSession

from kwitness.jobs.frame.offsets import Positions, TopicPartition

_POLL_MS = 2000


class KafkaLog:
    """Asks for the beginnings and ends of partitions. Not for use by two threads at a time.

    Parameters
    ----------
    options
        Consumer settings by Kafka's names.
    """

    def __init__(self, session: SparkSession, options: Mapping[str, str]) -> None:
        # PySpark has no public way to Kafka's Java client.
        jvm: Any = session.sparkContext._jvm  # noqa: SLF001
        self._jvm = jvm
        settings = jvm.java.util.Properties()
        deserializer = "org.apache.kafka.common.serialization.ByteArrayDeserializer"
        own = {
            "key.deserializer": deserializer,
            "value.deserializer": deserializer,
            "allow.auto.create.topics": "false",
            "enable.auto.commit": "false",
            "auto.offset.reset": "none",
            "max.poll.records": "1",
            "fetch.max.bytes": "65536",
            "default.api.timeout.ms": "20000",
        }
        for key, value in {**options, **own}.items():
            settings.put(key, value)
        self._consumer: Any = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(settings)

    def missing(self, topics: Iterable[str]) -> tuple[str, ...]:
        """Those of the topics that are not there, sorted; topics that may not be described count as missing."""
        known = self._consumer.listTopics()
        return tuple(sorted(topic for topic in topics if not known.containsKey(topic)))

    def starts(self, topics: Iterable[str]) -> dict[TopicPartition, int]:
        """The offset of the first record that is still there, for each partition."""
        return self._offsets(topics, self._consumer.beginningOffsets)

    def ends(self, topics: Iterable[str]) -> dict[TopicPartition, int]:
        """The offset of the next record to be written, for each partition."""
        return self._offsets(topics, self._consumer.endOffsets)

    def oldest_timestamp_ms(self, positions: Positions) -> int | None:
        """The smallest time of the records at `positions`, or None if none could be read within two seconds."""
        times: list[int] = []
        for where, offset in positions.items():
            one = self._jvm.java.util.ArrayList()
            one.add(self._jvm.org.apache.kafka.common.TopicPartition(*where))
            self._consumer.assign(one)
            self._consumer.seek(one.get(0), offset)
            found = self._consumer.poll(self._jvm.java.time.Duration.ofMillis(_POLL_MS // len(positions)))
            records = found.iterator()
            if records.hasNext():
                times.append(int(records.next().timestamp()))
        return min(times, default=None)

    def close(self) -> None:
        """Give the connection back."""
        self._consumer.close()

    def _offsets(self, topics: Iterable[str], ask: Any) -> dict[TopicPartition, int]:
        partitions = self._jvm.java.util.ArrayList()
        for topic in topics:
            for info in self._consumer.partitionsFor(topic) or ():
                partitions.add(self._jvm.org.apache.kafka.common.TopicPartition(topic, info.partition()))
        found = ask(partitions)
        return {TopicPartition(where.topic(), where.partition()): int(found.get(where)) for where in partitions}
