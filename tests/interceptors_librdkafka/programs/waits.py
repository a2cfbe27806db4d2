"""Produces a record for each line of its standard input, and says so: PLUGIN."""

import sys

from confluent_kafka import Producer

producer = Producer({"test.mock.num.brokers": 1, "linger.ms": 0, "plugin.library.paths": sys.argv[1]})
for line in sys.stdin:
    producer.produce("orders", key=line.strip(), value=line)
    assert producer.flush(60) == 0
    print("sent", flush=True)
print("{}")
