"""An application on confluent-kafka that keeps a journal: see README.md."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition

BOOTSTRAP, SASL_BOOTSTRAP, PREFIX, RECORDS, JOURNAL, *PLUGIN = sys.argv[1:]
MANY = int(RECORDS)
PARTITIONS = 3
TRANSACTIONS = 6
WAIT_S = 60
LINE = 1

journal = Path(JOURNAL).open("w", buffering=-1 if MANY else LINE)  # noqa: SIM115 - one is killed while it is open


def note(*words: object) -> None:
    print(int(time.time() * 1000), *words, file=journal)


def ask(what: str) -> None:
    print(what, flush=True)
    assert sys.stdin.readline()


def common(client_id: str, config: dict[str, Any]) -> dict[str, Any]:
    ours = {"bootstrap.servers": BOOTSTRAP, "client.id": client_id, "log_level": 2}
    return {**ours, **config, **({"plugin.library.paths": PLUGIN[0]} if PLUGIN else {})}


class Sending:
    """A producer, and the journal of what it does."""

    def __init__(self, client_id: str, **config: Any) -> None:
        self.client_id = client_id
        self.failed = 0
        self.producer = Producer(common(client_id, config))

    def send(self, topic: str, value: bytes, key: bytes | None = None, **more: Any) -> None:
        name = f"{PREFIX}-{topic}"
        while True:
            note("sent", self.client_id, name)
            try:
                self.producer.produce(name, value, key, on_delivery=self.told, **more)
            except BufferError:
                note("refused", self.client_id, name, "_QUEUE_FULL")
                self.producer.poll(0.01)
                continue
            except KafkaException as error:
                note("refused", self.client_id, name, error.args[0].name())
            break
        self.producer.poll(0)

    def told(self, error: Any, message: Any) -> None:
        if error is None:
            note("acknowledged", self.client_id, message.topic(), message.partition(), message.offset())
        else:
            self.failed += 1
            note("failed", self.client_id, message.topic(), error.name())

    def flush(self) -> None:
        assert self.producer.flush(WAIT_S) == 0


class Reading:
    """A consumer, and the journal of what it does."""

    def __init__(self, client_id: str, group: str, **config: Any) -> None:
        self.client_id = client_id
        self.next: dict[tuple[str, int], int] = {}
        self.at_end: set[int] = set()
        self.answers = 0
        own = {"group.id": f"{PREFIX}-{group}", "auto.offset.reset": "earliest", "enable.auto.commit": False}
        times = {"session.timeout.ms": 10_000, "heartbeat.interval.ms": 200, "on_commit": self.answered}
        self.consumer = Consumer(common(client_id, {**own, **times, **config}))

    def take(self, most: int, within_s: float) -> int:
        taken = 0
        for message in self.consumer.consume(most, within_s):
            if message.error() is None:
                place = message.topic(), message.partition()
                note("consumed", self.client_id, *place, message.offset())
                self.next[place] = message.offset() + 1
                taken += 1
            elif message.error().code() == KafkaError._PARTITION_EOF:
                self.at_end.add(message.partition())
            else:
                raise KafkaException(message.error())
        return taken

    def read(self, topic: str, partitions: int) -> None:
        """Read all that is there."""
        self.consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(partitions)])
        while len(self.at_end) < partitions:
            self.take(500, 0.1)
        self.commit()

    def commit(self) -> None:
        """Commit what was read, and wait for the answer."""
        offsets = [TopicPartition(*place, offset) for place, offset in self.next.items()]
        try:
            self.told(None, self.consumer.commit(offsets=offsets, asynchronous=False))
        except KafkaException as error:
            self.told(error.args[0], offsets)

    def commit_later(self) -> None:
        self.consumer.commit(
            offsets=[TopicPartition(*place, offset) for place, offset in self.next.items()], asynchronous=True
        )

    def answered(self, error: Any, offsets: list[TopicPartition]) -> None:
        self.answers += 1
        self.told(error, offsets)

    def told(self, error: Any, offsets: list[TopicPartition]) -> None:
        for one in offsets:
            why = error or one.error
            if why is None:
                note("committed", self.client_id, one.topic, one.partition, one.offset)
            else:
                note("uncommitted", self.client_id, one.topic, why.name())

    def revoked(self, _: Any, partitions: list[TopicPartition]) -> None:
        """Commit what was read of what goes to another one."""
        if self.next:
            self.commit()
        for one in partitions:
            self.next.pop((one.topic, one.partition), None)


def produce_also_while_the_broker_is_stopped(steady: Sending, count: int) -> None:
    hurried = Sending("hurried", **{"message.timeout.ms": 2_000, "linger.ms": 0})
    for number in range(count // 2):
        steady.send("orders", b"v" * 100, b"key %d" % (number % 100))
    hurried.producer.list_topics(f"{PREFIX}-hurried", WAIT_S)
    steady.flush()
    ask("stop")
    for number in range(1_000):
        steady.send("orders", b"v" * 100, b"key %d" % (number % 100))
    for _ in range(200):
        hurried.send("hurried", b"too late")
    while hurried.failed < 200:
        hurried.producer.poll(0.1)
        steady.producer.poll(0)
    for _ in range(50):
        hurried.send("hurried", b"given up by the application")
    hurried.producer.purge()
    hurried.flush()
    ask("continue")
    for number in range(count - count // 2 - 1_000):
        steady.send("orders", b"v" * 100, b"key %d" % (number % 100))
    steady.flush()
    hurried.producer.close()


def produce_what_is_refused() -> None:
    refused = Sending("refused", **{"message.max.bytes": 100_000, "linger.ms": 0})
    for number in range(100):
        refused.send("small", b"good", b"key %d" % number)
        if number % 10 == 0:
            refused.flush()
            refused.send("small", b"v" * 5_000)
            refused.send("small", b"v" * 200_000)
            refused.flush()
    for _ in range(3):
        refused.send("keyed", b"without a key")
        refused.flush()
    for number in range(10):
        refused.send("keyed", b"of several", None if number % 3 else b"key")
    refused.flush()
    refused.producer.close()
    sasl = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "bootstrap.servers": SASL_BOOTSTRAP}
    forbidden = Sending("forbidden", **sasl, **{"sasl.username": "alice", "sasl.password": "alice-secret"})
    for _ in range(3):
        forbidden.send("forbidden", b"v")
    forbidden.flush()
    forbidden.producer.close()


def produce_transactions(count: int) -> None:
    transactional = Sending("transactional", **{"transactional.id": f"{PREFIX}-audit"})
    transactional.producer.init_transactions(WAIT_S)
    for number in range(TRANSACTIONS):
        transactional.producer.begin_transaction()
        for record in range(count // TRANSACTIONS):
            transactional.send("audited", b"v" * 100, b"key %d" % record)
        if number % 2:
            transactional.producer.commit_transaction(WAIT_S)
            continue
        transactional.flush()
        if number == 0:
            for record in range(100):
                transactional.send("audited", b"given up", b"key %d" % record)
        transactional.producer.abort_transaction(WAIT_S)
    transactional.producer.close()


def consume_with_two(steady: Sending, count: int) -> None:
    topic = f"{PREFIX}-orders"
    first, second = Reading("first", "billing"), Reading("second", "billing")
    reached: dict[int, int] = {}

    def take(*readers: Reading, until: int) -> None:
        """Take turns until so many records were read of the topic, which has no gaps."""
        while sum(reached.values()) < until:
            take_turns(200, *readers)

    def take_turns(most: int, *readers: Reading) -> None:
        for reader in readers:
            if reader.take(most, 0.01):
                reader.commit_later()
            # Before another one gets the partitions: where all of one was read, nobody reads of it again.
            for (_, partition), offset in reader.next.items():
                reached[partition] = max(offset, reached.get(partition, 0))

    first.consumer.subscribe([topic], on_revoke=first.revoked)
    take(first, until=count // 10)
    second.consumer.subscribe([topic], on_revoke=second.revoked)
    while not second.consumer.assignment():
        take_turns(1, first, second)
    take(first, second, until=count)
    first.commit()
    second.commit()
    outsider = Reading("outsider", "billing")
    outsider.consumer.assign([TopicPartition(topic, 0, 0)])
    outsider.next[topic, 0] = 7
    outsider.commit()
    outsider.commit_later()
    while not outsider.answers:
        outsider.consumer.poll(0.1)
    outsider.consumer.close()
    first.consumer.close()
    for _ in range(100):
        steady.send("orders", b"later", b"key")
    steady.flush()
    take(second, until=count + 100)
    second.commit()
    second.consumer.close()


def produce_until_killed() -> None:
    killed = Sending("killed", **{"enable.idempotence": True, "linger.ms": 0})
    while True:
        killed.send("killed", b"v" * 100, b"key")
        killed.producer.poll(0.005)


def main() -> None:
    idempotent = {"enable.idempotence": True, "socket.timeout.ms": 1_000, "queue.buffering.max.messages": 5_000}
    steady = Sending("steady", **idempotent)
    produce_also_while_the_broker_is_stopped(steady, MANY * 6 // 10)
    produce_what_is_refused()
    produce_transactions(MANY * 4 // 10)
    consume_with_two(steady, MANY * 6 // 10)
    steady.producer.close()
    for client_id, topic, partitions in (("auditor", f"{PREFIX}-audited", PARTITIONS), ("compacted", "compacted", 1)):
        reading = Reading(client_id, client_id, **{"enable.partition.eof": True})
        reading.read(topic, partitions)
        reading.consumer.close()
    journal.close()


if MANY:
    main()
else:
    produce_until_killed()
