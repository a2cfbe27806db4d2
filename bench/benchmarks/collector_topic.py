"""Pushes passed on to Kafka as they are: per CPU-second, beside an OpenTelemetry Collector's Kafka exporter.

One broker, one topic for each, acknowledged by it before a sender is answered, zstd. The same requests over OTLP/gRPC,
gzip off, to both; and to ours the same metrics as brokers send them, 500 pushes a request, gzip on. A push is one record
in each topic, and the records are counted in the end. The component under load is pinned to core 1 and single-threaded
where it can be told so, the generator and the broker to core 0; blocks alternate in random order.
The peer is built from Go modules (`bench/otelcol`): otlpreceiver, kafkaexporter without a queue.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import gzip
import itertools
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import requests
from collectors.exports import METRICS, RESOURCES, add_metrics, exports
from collectors.exports import load as send_for
from collectors.otelcol import VERSION, OtelCollector, peer_binary
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.bench.bars import HEAD, at_least, row
from kwitness.bench.paired_measurement import COMPONENT_CORE, GENERATOR_CORE, cpu_seconds, pin
from kwitness.bench.results import write_results
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.sandbox.ports import free_port

from tests.collector.collector_process import PLUGIN, TOPICS, CollectorProcess
from tests.collector.collector_samples import batch, push

BROKERS, OTLP, PEER_OTLP = "kwitness, from brokers", "kwitness, OTLP", "otelcol, OTLP"
CLIENTS, BATCH, PARTITIONS = 1_000, 500, 3
UNDER_WAY = 16
WARM_S = 5.0
_OK = 200
OURS, THEIRS = TOPICS["telemetry"], "peer.telemetry"
PEER = """
receivers:
  otlp:
    protocols:
      grpc: {{endpoint: "127.0.0.1:{grpc}", max_recv_msg_size_mib: 16}}
exporters:
  kafka:
    brokers: ["{bootstrap}"]
    metrics: {{topic: "{topic}", encoding: otlp_proto}}
    partition_metrics_by_resource_attributes: true
    producer: {{required_acks: -1, compression: zstd, linger: 5ms, max_message_bytes: 8388608}}
    sending_queue: {{enabled: false}}
service:
  telemetry:
    metrics: {{level: none}}
    logs: {{level: error}}
  pipelines:
    metrics: {{receivers: [otlp], exporters: [kafka]}}
"""


class Ours:
    """The collector with everything on: what it passes on it exposes, too, which nothing turns off."""

    def __init__(self, folder: Path, bootstrap: str) -> None:
        self.process = CollectorProcess(folder, bootstrap=bootstrap).start()
        self.grpc_port = self.process.otlp_grpc_port
        self.pid = self.process.process.pid if self.process.process is not None else 0
        self.name = OTLP

    def stop(self) -> None:
        """End it."""
        self.process.kill()


class Peer(OtelCollector):
    """The OpenTelemetry Collector with its Kafka exporter: a record a resource, as ours."""

    def __init__(self, folder: Path, bootstrap: str) -> None:
        self.grpc_port = free_port()
        text = PEER.format(grpc=self.grpc_port, bootstrap=bootstrap, topic=THEIRS)
        super().__init__(folder, text, self.grpc_port)


def payload(number: int) -> str:
    """The push of one client as base64."""
    data = MetricsData()
    add_metrics(data.resource_metrics.add().scope_metrics.add(), METRICS, number)
    return base64.b64encode(data.SerializeToString()).decode()


class Broker:
    """Sends as the plugin in a broker does: the next batch when the one before it was answered."""

    def __init__(self, ours: Ours) -> None:
        self._url = f"http://127.0.0.1:{ours.process.port}/v1/pushes"
        self._payloads = [payload(number) for number in range(CLIENTS)]
        self._session = requests.Session()
        self._session.headers.update(
            {
                "Authorization": f"Bearer {PLUGIN}",
                "Content-Type": "application/json",
                "Content-Encoding": "gzip",
            }
        )
        self._sent = itertools.count(1)

    def send_for(self, seconds: float) -> int:
        """Send for some seconds; returns the pushes taken."""
        taken = 0
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            answer = self._session.post(self._url, data=self._body(), timeout=30)
            if answer.status_code != _OK:
                raise RuntimeError(f"the collector answered {answer.status_code}: {answer.text[:500]}")
            taken += BATCH
        return taken

    def _body(self) -> bytes:
        pushes = []
        for _ in range(BATCH):
            seq = next(self._sent)
            client = seq % CLIENTS
            one = push(seq, client=f"instance-{client}", client_id=f"application-{client % 50}")
            pushes.append({**one, "payload": self._payloads[client]})
        return gzip.compress(json.dumps(batch(pushes)).encode(), compresslevel=1)


def records(bootstrap: str, topic: str) -> int:
    """Count the records of a topic."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "bench"})
    try:
        return sum(
            consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=30)[1]
            for partition in range(PARTITIONS)
        )
    finally:
        consumer.close()


def make_topics(bootstrap: str) -> None:
    """Make the topics of both, with as many partitions."""
    names = {*TOPICS.values(), THEIRS}
    topics = [NewTopic(name, PARTITIONS if name in {OURS, THEIRS} else 1, 1) for name in names]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.create_topics(topics).values():
        future.result()


def rates(bootstrap: str, blocks: int, seconds: float) -> list[dict[str, Any]]:
    """Alternate the three ways under load, and compare what was taken with what is in the topics."""
    bodies = [(body, RESOURCES) for body in exports(CLIENTS)]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        ours, peer = Ours(Path(folder) / "ours", bootstrap), Peer(Path(folder) / "peer", bootstrap)
        for one in (ours, peer):
            stack.callback(one.stop)
            pin(one.pid, COMPONENT_CORE)
        broker = Broker(ours)
        ways = {
            BROKERS: (ours, broker.send_for),
            OTLP: (ours, lambda s: send_for(ours, bodies, s, UNDER_WAY)),
            PEER_OTLP: (peer, lambda s: send_for(peer, bodies, s, UNDER_WAY)),
        }
        taken = dict.fromkeys(ways, 0)
        for name, (_, send) in ways.items():
            taken[name] += send(WARM_S)
        order = list(ways)
        for block in range(blocks):
            random.shuffle(order)
            for name in order:
                component, send = ways[name]
                before, began = cpu_seconds(component.pid), time.monotonic()
                pushes = send(seconds)
                took = time.monotonic() - began
                cpu = cpu_seconds(component.pid) - before
                taken[name] += pushes
                rows.append({"block": block, "way": name, "pushes": pushes, "cpu_s": cpu, "seconds": took})
                print(f"  block {block + 1}/{blocks} {name}: {pushes / cpu:,.0f} pushes/CPU-s", flush=True)
        found = {"ours": records(bootstrap, OURS), "peer": records(bootstrap, THEIRS)}
    sent = {"ours": taken[BROKERS] + taken[OTLP], "peer": taken[PEER_OTLP]}
    if found != sent:
        raise RuntimeError(f"records in the topics: {found}, pushes taken: {sent}")
    return rows


def section(rows: list[dict[str, Any]], load_average: float) -> str:
    """The page's section."""
    blocks: dict[int, dict[str, float]] = {}
    for one in rows:
        blocks.setdefault(one["block"], {})[one["way"]] = one["pushes"] / one["cpu_s"]
    middle = {way: statistics.median(one[way] for one in blocks.values()) for way in (BROKERS, OTLP, PEER_OTLP)}
    told = {
        BROKERS: f"pushes per CPU-second, {BATCH} a request from a broker",
        OTLP: "pushes per CPU-second, OTLP/gRPC",
    }
    lines = [
        "## Collector: pushes to Kafka beside an OpenTelemetry Collector's Kafka exporter",
        "",
        (
            f"{METRICS} points a push, {CLIENTS} clients, a record a push, one broker, zstd, acknowledged before the sender is "
            f"answered; {len(blocks)} blocks; OpenTelemetry Collector {VERSION} with GOMAXPROCS=1 and without a queue, by "
            f"OTLP/gRPC with {RESOURCES} pushes a request; load average before the start {load_average:.1f}. Ours exposes to "
            "Prometheus what it passes on, in the same processor time; the peer does not."
        ),
        "",
        *HEAD,
    ]
    for way, what in told.items():
        ratios = [one[way] / one[PEER_OTLP] for one in blocks.values()]
        lines.append(row(what, f"{middle[way]:,.0f}", f"{middle[PEER_OTLP]:,.0f}", ratios, at_least(4, 10)))
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure and write `collector_topic.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=4.0)
    wanted = parser.parse_args()
    load_average = os.getloadavg()[0]
    peer_binary()
    os.sched_setaffinity(0, {GENERATOR_CORE})
    with LocalBroker() as broker:
        make_topics(broker.bootstrap)
        rows = rates(broker.bootstrap, wanted.blocks, wanted.seconds)
    raw = {"blocks": rows, "load_average": load_average}
    write_results(wanted.results, "collector_topic", raw, section(rows, load_average))


if __name__ == "__main__":
    main()
