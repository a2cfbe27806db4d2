"""Opens a share consumer, where this confluent-kafka has one: PLUGIN."""

import json
import sys

import confluent_kafka

PLUGIN = sys.argv[1]

made = hasattr(confluent_kafka, "ShareConsumer")
if made:
    consumer = confluent_kafka.ShareConsumer(
        {"bootstrap.servers": "127.0.0.1:1", "group.id": "shared", "plugin.library.paths": PLUGIN}
    )
    consumer.close()
# An ordinary client, whose report says what became of the other.
producer = confluent_kafka.Producer({"test.mock.num.brokers": 1, "plugin.library.paths": PLUGIN})
producer.produce("orders", value="v")
assert producer.flush(60) == 0
del producer
print(json.dumps({"made": made}))
