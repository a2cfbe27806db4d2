"""Makes clients and lets go of them, so that librdkafka unloads the plugin each time: PLUGIN CLIENTS."""

import contextlib
import gc
import json
import sys

from confluent_kafka import Consumer, KafkaException, Producer

PLUGIN, CLIENTS = sys.argv[1], int(sys.argv[2])

acknowledged = 0
for number in range(CLIENTS):
    producer = Producer({"test.mock.num.brokers": 1, "plugin.library.paths": PLUGIN, "linger.ms": 0})
    producer.produce("orders", value=str(number))
    assert producer.flush(60) == 0
    acknowledged += 1
    # One that never speaks to anybody, and one whose configuration is refused after the plugin was loaded.
    Consumer({"bootstrap.servers": "127.0.0.1:1", "group.id": "g", "plugin.library.paths": PLUGIN}).close()
    with contextlib.suppress(KafkaException):
        Producer({"plugin.library.paths": PLUGIN, "no.such.property": "1"})
    del producer
    gc.collect()
print(json.dumps({"acknowledged": acknowledged}))
