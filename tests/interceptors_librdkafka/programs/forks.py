"""Forks while a client is open; parent and child each produce with a client of their own: PLUGIN RECORDS."""

import json
import os
import sys

from confluent_kafka import Producer

PLUGIN, RECORDS = sys.argv[1], int(sys.argv[2])


def produce(client_id):
    producer = Producer({"test.mock.num.brokers": 1, "client.id": client_id, "plugin.library.paths": PLUGIN})
    for number in range(RECORDS):
        producer.produce("orders", value=str(number))
    assert producer.flush(60) == 0
    return producer


kept = produce("parent")
child = os.fork()
if child == 0:
    status = 1
    try:
        # What the parent has is there, and its threads are not: to end it would wait for them for ever.
        produce("child")
        status = 0
    finally:
        sys.stdout.flush()
        os._exit(status)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
for number in range(RECORDS):
    kept.produce("orders", value=str(number))
assert kept.flush(60) == 0
del kept
print(json.dumps({"parent": 2 * RECORDS, "child": RECORDS}))
