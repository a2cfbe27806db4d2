"""Queues records that a producer must not send yet, and reads slower than it commits: PLUGIN BOOTSTRAP RECORDS."""

import json
import sys
import time

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

PLUGIN, BOOTSTRAP, RECORDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
TOPIC, COMMITTED, SECONDS = "orders-behind", 10, 4.0
CONNECTION = {"bootstrap.servers": BOOTSTRAP, "plugin.library.paths": PLUGIN}


def delivered(error, message):
    """Do nothing: without a callback librdkafka's plugin asks for no statistics, since nothing polls for certain."""


def produce(producer, count):
    for number in range(count):
        producer.produce(TOPIC, value="v" * 100, partition=number % 2, on_delivery=delivered)


admin = AdminClient({"bootstrap.servers": BOOTSTRAP})
admin.create_topics([NewTopic(TOPIC, 2, 1)])[TOPIC].result(30)
first = Producer({**CONNECTION, "client.id": "orders-first"})
produce(first, RECORDS)
assert first.flush(30) == 0

lingering = Producer(
    {**CONNECTION, "client.id": "orders-writer", "linger.ms": 60_000, "queue.buffering.max.messages": 1234}
)
produce(lingering, RECORDS)

nowhere = Producer({**CONNECTION, "client.id": "orders-nowhere", "bootstrap.servers": "127.0.0.1:1"})
for _ in range(7):
    nowhere.produce(TOPIC, value="v" * 100, on_delivery=delivered)

consumer = Consumer(
    {
        **CONNECTION,
        "client.id": "orders-reader",
        "group.id": "billing-behind",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
)
consumer.subscribe([TOPIC])
read = 0
while read < COMMITTED:
    message = consumer.poll(1.0)
    read += message is not None and message.error() is None
consumer.commit(asynchronous=False)
end = time.monotonic() + SECONDS
while time.monotonic() < end:  # statistics are served before records
    read += consumer.poll(0.5) is not None
    lingering.poll(0)
    nowhere.poll(0)
    time.sleep(0.2)
lingering.purge()
nowhere.purge()
consumer.close()
print(json.dumps({"read": read, "committed": COMMITTED}))
