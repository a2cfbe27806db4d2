"""A client that bootstraps from a gateway, in the toolbox's pod."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kwitness.demo.platform import Platform
from kwitness.demo.toolbox import Toolbox

from tests.e2e import subscriptions

KIND = "observerdeployment"
TOPIC = "demo.orders"
PROGRAM = """
import glob, json, sys
# The newest: librdkafka 2.5.0 signs in by SCRAM-SHA-512 nowhere.
versions = {tuple(map(int, path.rpartition("-")[2].split("."))): path for path in glob.glob("/opt/confluent-*")}
sys.path.insert(0, versions[max(versions)])
from confluent_kafka import Consumer, Producer, TopicPartition

order = json.load(sys.stdin)
topic, records = order["topic"], order["records"]
common = {"bootstrap.servers": order["bootstrap"], "client.id": order["client_id"], **order["security"]}
at = []


def delivered(error, message):
    if error is not None:
        raise SystemExit(str(error))
    at.append((message.partition(), message.offset()))


producer = Producer(common)
for number in range(records):
    producer.produce(topic, key=str(number), value="v" * 100, on_delivery=delivered)
    producer.poll(0)
if producer.flush(60):
    raise SystemExit("not all records were delivered within 60 s")
offsets = {}
for partition, offset in at:
    offsets.setdefault(partition, []).append(offset)
consumer = Consumer({**common, "group.id": order["client_id"], "enable.auto.commit": False})
consumer.assign([TopicPartition(topic, partition, min(found)) for partition, found in offsets.items()])
wanted, got = set(at), set()
while wanted - got:
    for record in consumer.consume(500, 1):
        if record.error():
            raise SystemExit(str(record.error()))
        got.add((record.partition(), record.offset()))
brokers = [f"{one.host}:{one.port}" for one in consumer.list_topics(topic, 20).brokers.values()]
consumer.close()
print(json.dumps({"offsets": offsets, "brokers": brokers}))
"""


def through(
    gateway: str,
    platform: Platform,
    toolbox: Toolbox,
    *,
    client_id: str,
    records: int,
    security: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Produce and read back so many records; gives offsets by partition, and the brokers as the client knows them.

    `security` are librdkafka's settings; they go by standard input and are seen by nobody.
    """
    order = {
        "bootstrap": subscriptions.found(platform, gateway, KIND)["status"]["bootstrapServers"],
        "topic": TOPIC,
        "client_id": client_id,
        "records": records,
        "security": dict(security or {}),
    }
    answer = toolbox.cluster.kubectl(
        *("exec", "-i", "toolbox", "--namespace", toolbox.namespace, "--", "python3", "-c", PROGRAM),
        input=json.dumps(order),
    )
    return dict(json.loads(answer))
