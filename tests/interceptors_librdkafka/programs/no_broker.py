"""Produces records where no broker answers, and gives them up after a second: PLUGIN RECORDS."""

import json
import sys

from confluent_kafka import Producer

failed = []
producer = Producer(
    {"bootstrap.servers": "127.0.0.1:1", "message.timeout.ms": 1_000, "plugin.library.paths": sys.argv[1]}
)
for _ in range(int(sys.argv[2])):
    producer.produce("orders", value="v", on_delivery=lambda error, _message: failed.append(error.name()))
assert producer.flush(60) == 0
del producer
print(json.dumps({"failed": failed}))
