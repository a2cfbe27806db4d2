"""Produces records, some of which no broker takes, consumes the others and commits: PLUGIN RECORDS."""

import json
import sys

import confluent_kafka
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition

PLUGIN, RECORDS = sys.argv[1], int(sys.argv[2])
TOPIC = "orders"


def address_and_partitions(producer):
    cluster = producer.list_topics(TOPIC, timeout=30)
    broker = next(iter(cluster.brokers.values()))
    return f"{broker.host}:{broker.port}", sorted(cluster.topics[TOPIC].partitions)


def produce(producer):
    acknowledged, failed = [], []

    def delivered(error, message):
        if error is None:
            acknowledged.append((message.partition(), message.offset()))
        else:
            failed.append(error.name())

    for number in range(RECORDS):
        producer.produce(TOPIC, key=f"key {number % 10}", value="v" * 100, on_delivery=delivered)
        producer.poll(0)
    producer.produce(TOPIC, value="without a key", on_delivery=delivered)
    assert producer.flush(60) == 0
    return acknowledged, failed


def refused(producer):
    """One that librdkafka itself refuses: no hook is called for it."""
    try:
        producer.produce(TOPIC, value="v" * 2_000_000)
    except KafkaException as error:
        return error.args[0].name()
    return None


def consume(bootstrap, partitions, count):
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "billing",
            "client.id": "orders-reader",
            "enable.auto.commit": False,
            "plugin.library.paths": PLUGIN,
        }
    )
    # A mock broker keeps the first member of a group waiting for three seconds.
    consumer.assign([TopicPartition(TOPIC, number, OFFSET_BEGINNING) for number in partitions])
    places = []
    while len(places) < count:
        message = consumer.poll(1.0)
        if message is not None and message.error() is None:
            places.append((message.partition(), message.offset()))
    committed = consumer.commit(asynchronous=False)
    consumer.close()
    return places, len(committed)


producer = Producer(
    {
        "test.mock.num.brokers": 1,
        "client.id": "orders-writer",
        "plugin.library.paths": PLUGIN,
        "kwitness.anything": "is ours",
        "message.max.bytes": 1_000_000,
    }
)
acknowledged, failed = produce(producer)
is_refused = refused(producer)
places, committed = consume(*address_and_partitions(producer), len(acknowledged))
said = {
    "librdkafka": confluent_kafka.libversion()[0],
    "sent": RECORDS + 1,
    "acknowledged": sorted(acknowledged),
    "failed": failed,
    "refused": is_refused,
    "consumed": sorted(places),
    "committed": committed,
}
del producer
print(json.dumps(said))
