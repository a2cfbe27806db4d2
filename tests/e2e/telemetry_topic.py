"""What clients pushed, as the telemetry topic holds it: what the exposed counters must add up to."""

from __future__ import annotations

import base64
import json

from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_DELTA, MetricsData

from kwitness.demo.toolbox import Toolbox

TOPIC = "kwitness.telemetry"
_PROGRAM = """
import base64, glob, json, sys
sys.path[:0] = sorted(glob.glob("/opt/confluent-*"))[:1]
from confluent_kafka import Consumer, TopicPartition

order = json.load(sys.stdin)
topic = order["topic"]
consumer = Consumer({"bootstrap.servers": order["bootstrap"], "group.id": "toolbox", "enable.auto.commit": False})
left = {}
for number in consumer.list_topics(topic, 20).topics[topic].partitions:
    start, end = consumer.get_watermark_offsets(TopicPartition(topic, number), 20)
    if start < end:
        left[number] = start, end
consumer.assign([TopicPartition(topic, number, start) for number, (start, _) in left.items()])
found = []
while left:
    for record in consumer.consume(500, 1):
        if record.error():
            raise SystemExit(str(record.error()))
        headers = {key: (value or b"").decode() for key, value in record.headers() or ()}
        if headers.get("client_id") == order["client_id"]:
            event = [headers[key] for key in ("event_source", "event_epoch", "event_seq")]
            found.append([event, base64.b64encode(record.value() or b"").decode()])
        if record.partition() in left and record.offset() + 1 >= left[record.partition()][1]:
            del left[record.partition()]
print(json.dumps(found))
"""


def summed(toolbox: Toolbox, client_id: str, metric: str) -> float:
    """The sum of a client's deltas of one metric; a push that is in the topic twice counts once."""
    order = {"bootstrap": toolbox.bootstrap, "topic": TOPIC, "client_id": client_id}
    answer = toolbox.cluster.kubectl(
        *("exec", "-i", "toolbox", "--namespace", toolbox.namespace, "--", "python3", "-c", _PROGRAM),
        input=json.dumps(order),
    )
    pushes = {tuple(event): base64.b64decode(payload) for event, payload in json.loads(answer)}
    return sum(_delta(payload, metric) for payload in pushes.values())


def _delta(payload: bytes, metric: str) -> float:
    total = 0.0
    for resource in MetricsData.FromString(payload).resource_metrics:
        for scope in resource.scope_metrics:
            for one in scope.metrics:
                if one.name == metric:
                    assert one.sum.aggregation_temporality == AGGREGATION_TEMPORALITY_DELTA, metric
                    total += sum(point.as_double or point.as_int for point in one.sum.data_points)
    return total
