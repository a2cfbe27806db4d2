"""Sends records with headers, and tells what a consumer without the plugin gets: PLUGIN RECORDS MOST [COMMAND...].

RECORDS is JSON: of each its key and value, or null, its partition if it is not 0, and its headers as names and values,
or null; a number in the place of a value stands for so many bytes. MOST is message.max.bytes. A COMMAND sends one more
record to the broker that it gets as its last argument.
"""

import json
import subprocess
import sys

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition

PLUGIN, RECORDS, MOST, COMMAND = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
TOPIC = "orders"
OWN = {"message.max.bytes": MOST, "plugin.library.paths": PLUGIN}


def size(text):
    return "v" * text if isinstance(text, int) else text


def produce(producer):
    failed = []

    def delivered(error, _message):
        if error is not None:
            failed.append(error.name())

    for record in RECORDS:
        headers = [(name, size(value)) for name, value in record["headers"]]
        # One that has none has no list of the application's, either.
        more = {"headers": headers} if headers else {}
        partition, value = record.get("partition", 0), size(record["value"])
        try:
            producer.produce(TOPIC, partition=partition, key=record["key"], value=value, on_delivery=delivered, **more)
        except KafkaException as error:
            failed.append(error.args[0].name())
    assert producer.flush(60) == 0
    return failed


def consume(bootstrap, count, plugin):
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "billing", "enable.auto.commit": False, **plugin})
    consumer.assign([TopicPartition(TOPIC, 0, OFFSET_BEGINNING)])
    got = []
    while len(got) < count:
        message = consumer.poll(1.0)
        if message is not None and message.error() is None:
            got.append(message)
    consumer.close()
    return got


def told(message):
    def text(value):
        return value if value is None or len(value) <= 1_000 else len(value)

    def decoded(value):
        return text(value).decode() if isinstance(text(value), bytes) else text(value)

    headers = [[name, decoded(value)] for name, value in message.headers() or []]
    return {"key": decoded(message.key()), "value": decoded(message.value()), "headers": headers}


producer = Producer({"test.mock.num.brokers": 1, "client.id": "orders-writer", "linger.ms": 0, **OWN})
broker = next(iter(producer.list_topics(TOPIC, timeout=30).brokers.values()))
bootstrap = f"{broker.host}:{broker.port}"
failed = produce(producer)
sent = len(RECORDS) - len(failed)
if COMMAND:
    subprocess.run([*COMMAND, bootstrap], input="by a command\n", text=True, check=True, timeout=60)
    sent += 1
got = consume(bootstrap, sent, {})
consume(bootstrap, sent, {"plugin.library.paths": PLUGIN})
del producer
print(json.dumps({"failed": failed, "got": [told(message) for message in got]}))
