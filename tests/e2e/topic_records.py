"""Records of a topic that name clients, read from inside the cluster."""

from __future__ import annotations

import base64
import json
from typing import NamedTuple

from kwitness.demo.toolbox import Toolbox

_PROGRAM = """
import base64, glob, json, sys
sys.path[:0] = sorted(glob.glob("/opt/confluent-*"))[:1]
from confluent_kafka import Consumer, TopicPartition

order = json.load(sys.stdin)
topic, clients = order["topic"], order["client_ids"]
consumer = Consumer({"bootstrap.servers": order["bootstrap"], "group.id": "toolbox", "enable.auto.commit": False})
left = {}
for number in consumer.list_topics(topic, 20).topics[topic].partitions:
    _, end = consumer.get_watermark_offsets(TopicPartition(topic, number), 20)
    [since] = consumer.offsets_for_times([TopicPartition(topic, number, order["since_ms"])], 20)
    start = end if since.offset < 0 else since.offset
    if start < end:
        left[number] = start, end
consumer.assign([TopicPartition(topic, number, start) for number, (start, _) in left.items()])
found = []
while left:
    for record in consumer.consume(500, 1):
        if record.error():
            raise SystemExit(str(record.error()))
        headers = {key: (value or b"").decode() for key, value in record.headers() or ()}
        value = record.value() or b""
        if headers.get("client_id") in clients or any(json.dumps(client).encode() in value for client in clients):
            found.append([headers, base64.b64encode(value).decode()])
        if record.partition() in left and record.offset() + 1 >= left[record.partition()][1]:
            del left[record.partition()]
print(json.dumps(found))
"""


class TopicRecord(NamedTuple):
    """A record's headers as text, and its value."""

    headers: dict[str, str]
    value: bytes


def of_clients(toolbox: Toolbox, topic: str, *client_ids: str, since_ms: int = 0) -> list[TopicRecord]:
    """Records since a time that name a client in a header or in their JSON; one that is there twice is given once."""
    order = {"bootstrap": toolbox.bootstrap, "topic": topic, "client_ids": client_ids, "since_ms": since_ms}
    answer = toolbox.cluster.kubectl(
        *("exec", "-i", "toolbox", "--namespace", toolbox.namespace, "--", "python3", "-c", _PROGRAM),
        input=json.dumps(order),
    )
    once = {
        tuple(headers[key] for key in ("event_source", "event_epoch", "event_seq")): TopicRecord(
            headers, base64.b64decode(value)
        )
        for headers, value in json.loads(answer)
    }
    return list(once.values())
