"""OTLP to Prometheus: points per CPU-second of the collector beside an OpenTelemetry Collector, and memory per series.

Both get the same requests over OTLP/gRPC, gzip off, from the same generator: each holds the resources of several
clients with the metrics that Kafka clients push (delta sums and gauges). The component under load is pinned to core 1
and single-threaded, the generator to core 0; blocks alternate in random order; each ends with one scrape, which counts.
The peer is built from Go modules (`bench/otelcol`): otlpreceiver, batch, prometheusexporter.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import grpc
import requests
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality

from kwitness.bench.paired_measurement import COMPONENT_CORE, GENERATOR_CORE, cpu_seconds, interval, pin, resident_mb
from kwitness.bench.results import write_results
from kwitness.contracts.client_metrics import CLIENT_METRICS
from kwitness.e2e.ports import free_port
from kwitness.images import cache

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.collector.collector_process import OTLP, CollectorProcess

ROOT = Path(__file__).parents[2]
UNDER_WAY = 4
RESOURCES, METRICS = 20, 30
SAME, CHANGING = "same shape", "changing shape"
CLIENTS = 1_000
EXPORT = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
WARM_S = 5.0
BAR, MEMORY_BAR, SLACK = 2.0, 0.5, 1.2
PEER = """
receivers:
  otlp:
    protocols:
      grpc: {{endpoint: "127.0.0.1:{grpc}", max_recv_msg_size_mib: 16}}
processors:
  batch: {{}}
exporters:
  prometheus:
    endpoint: "127.0.0.1:{metrics}"
    resource_to_telemetry_conversion: {{enabled: true}}
    metric_expiration: 60m
service:
  telemetry:
    metrics: {{level: none}}
    logs: {{level: error}}
  pipelines:
    metrics: {{receivers: [otlp], processors: [batch], exporters: [prometheus]}}
"""


class Component(Protocol):
    """Something that takes OTLP and is scraped."""

    name: str
    pid: int
    grpc_port: int
    metrics_port: int


class Ours:
    """The collector, without Kafka, as the peer has none."""

    name = "kwitness"

    def __init__(self, folder: Path, max_series: int) -> None:
        labels = ["client_id", "client_instance_id", "client_software_name", "client_software_version"]
        config = {"prometheus": {"max_series": max_series, "labels": labels}}
        self._process = CollectorProcess(folder, config=config).start()
        self.pid = self._process.process.pid if self._process.process is not None else 0
        self.grpc_port, self.metrics_port = self._process.otlp_grpc_port, self._process.metrics_port

    def stop(self) -> None:
        """End it."""
        self._process.kill()


class Peer:
    """The OpenTelemetry Collector, with one processor."""

    name = "otelcol"

    def __init__(self, folder: Path, _: int) -> None:
        self.grpc_port, self.metrics_port = free_port(), free_port()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "peer.yaml").write_text(PEER.format(grpc=self.grpc_port, metrics=self.metrics_port))
        self._log = (folder / "peer.log").open("wb")
        self._process = subprocess.Popen(
            [str(peer_binary()), "--config", f"file:{folder / 'peer.yaml'}"],
            stdout=self._log,
            stderr=self._log,
            env={**os.environ, "GOMAXPROCS": "1"},
        )
        self.pid = self._process.pid
        deadline = time.monotonic() + 30
        while True:
            try:
                requests.get(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=1)
            except requests.ConnectionError as error:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    text = (folder / "peer.log").read_text()[-2000:]
                    raise RuntimeError(f"the peer did not start:\n{text}") from error
                time.sleep(0.1)
            else:
                return

    def stop(self) -> None:
        """End it."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._log.close()


def peer_binary() -> Path:
    """Build the peer, once per content of its sources."""
    source = ROOT / "bench/otelcol"

    def build(folder: Path) -> None:
        go = shutil.which("go")
        if go is None:
            raise RuntimeError("the peer needs Go 1.25 or newer to be built; install it")
        print("building the peer from Go modules (minutes, once)", flush=True)
        subprocess.run([go, "build", "-o", str(folder / "otelcol"), "."], cwd=source, check=True)

    return cache.cached_folder("otelcol", cache.content_key(source), build) / "otelcol"


def exports(clients: int, metrics: int = METRICS, value: int = 0) -> list[bytes]:
    """Requests that cover all clients once; ``value`` changes the values."""
    names = [one for one in CLIENT_METRICS if "java" in one.senders]
    made: list[bytes] = []
    for first in range(0, clients, RESOURCES):
        request = ExportMetricsServiceRequest()
        for number in range(first, first + RESOURCES):
            resource = request.resource_metrics.add()
            for key, text in {
                "service.name": f"application-{number % 50}",
                "service.instance.id": f"instance-{number}",
                "client_software_name": "apache-kafka-java",
                "client_software_version": "4.3.1",
            }.items():
                attribute = resource.resource.attributes.add()
                attribute.key, attribute.value.string_value = key, text
            scope = resource.scope_metrics.add()
            for entry in names[:metrics]:
                metric = scope.metrics.add()
                metric.name = entry.name
                if entry.type == "counter":
                    metric.sum.is_monotonic = True
                    metric.sum.aggregation_temporality = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
                    point = metric.sum.data_points.add()
                else:
                    point = metric.gauge.data_points.add()
                point.time_unix_nano = 1_700_000_000_000_000_000
                point.start_time_unix_nano = 1_600_000_000_000_000_000
                point.as_double = float((number + value) % 97)
                attribute = point.attributes.add()
                attribute.key, attribute.value.string_value = "node_id", "1"
        made.append(request.SerializeToString())
    return made


@contextlib.contextmanager
def sending(component: Component) -> Iterator[Any]:
    """A channel to the component."""
    with grpc.insecure_channel(f"127.0.0.1:{component.grpc_port}") as channel:
        yield channel.unary_unary(EXPORT)


def load(component: Component, bodies: Sequence[tuple[bytes, int]], seconds: float) -> int:
    """Send with some requests under way for some seconds, scrape once; returns the points taken."""
    metadata = [("authorization", f"Bearer {OTLP}")]
    points = 0
    with sending(component) as export:
        waiting: list[Any] = []
        deadline = time.monotonic() + seconds
        number = 0
        while time.monotonic() < deadline:
            body, count = bodies[number % len(bodies)]
            waiting.append((export.future(body, metadata=metadata, timeout=30), count))
            number += 1
            if len(waiting) >= UNDER_WAY:
                first, count = waiting.pop(0)
                first.result()
                points += count
        for one, count in waiting:
            one.result()
            points += count
    scrape(component)
    return points


def rounds(kind: str) -> list[tuple[bytes, int]]:
    """Three rounds of all clients: values alone change, or also how many metrics there are, which no client does."""
    made: list[tuple[bytes, int]] = []
    for number in range(3):
        metrics = METRICS - (number if kind == CHANGING else 0)
        made += [(body, metrics * RESOURCES) for body in exports(CLIENTS, metrics, number)]
    return made


def scrape(component: Component) -> int:
    """Scrape and return the number of samples of Kafka clients."""
    answer = requests.get(f"http://127.0.0.1:{component.metrics_port}/metrics", timeout=60)
    answer.raise_for_status()
    return sum(line.startswith((b"kafka_client_", b"org_apache_kafka_")) for line in answer.iter_lines())


def rates(kind: str, blocks: int, seconds: float) -> list[dict[str, Any]]:
    """Alternate both under load."""
    bodies = rounds(kind)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        components: list[Ours | Peer] = [Ours(Path(folder) / "ours", 200_000), Peer(Path(folder) / "peer", 0)]
        for component in components:
            stack.callback(component.stop)
            pin(component.pid, COMPONENT_CORE)
            load(component, bodies, WARM_S)
        for block in range(blocks):
            random.shuffle(components)
            for component in components:
                before, began = cpu_seconds(component.pid), time.monotonic()
                points = load(component, bodies, seconds)
                time.sleep(0.5)  # what the batch processor still holds belongs to the block
                took = time.monotonic() - began - 0.5
                cpu = cpu_seconds(component.pid) - before
                row = {
                    "kind": kind,
                    "block": block,
                    "component": component.name,
                    "points": points,
                    "cpu_s": cpu,
                    "seconds": took,
                }
                rows.append({**row, "points_per_cpu_s": points / cpu, "resident_mb": resident_mb(component.pid)})
                print(
                    f"  block {block + 1}/{blocks} {kind} {component.name}: {points / cpu:,.0f} points/CPU-s",
                    flush=True,
                )
    return rows


def memory(series: int) -> dict[str, float]:
    """Growth of resident memory by that many series, after two rounds of pushes and two scrapes."""
    found: dict[str, float] = {}
    bodies = exports(series // METRICS // RESOURCES * RESOURCES)
    for make in (Ours, Peer):
        with tempfile.TemporaryDirectory() as folder:
            component = make(Path(folder), series * 2)
            try:
                empty = resident_mb(component.pid)
                metadata = [("authorization", f"Bearer {OTLP}")]
                with sending(component) as export:
                    for body in bodies * 2:
                        export(body, metadata=metadata, timeout=30)
                scrape(component)
                samples = scrape(component)
                if samples != series:
                    raise RuntimeError(f"{component.name} exposes {samples} samples, {series} were sent")
                time.sleep(35)  # both give memory back after a while
                found[component.name] = round(resident_mb(component.pid) - empty, 1)
            finally:
                component.stop()
    return found


def section(rows: list[dict[str, Any]], grown: dict[str, float], series: int, load_average: float) -> str:
    """The page's section."""
    lines = [
        "## Collector: OTLP to Prometheus beside an OpenTelemetry Collector",
        "",
        (
            f"OTLP/gRPC, {RESOURCES} clients × {METRICS} points a request, {CLIENTS} clients, {CLIENTS * METRICS:,} series, "
            f"one scrape a block, {len(rows) // 4} blocks; OpenTelemetry Collector 0.155.0 with GOMAXPROCS=1; load average "
            f"before the start {load_average:.1f}. Same shape: a client's pushes differ in values only, as those of Kafka "
            "clients do. Changing shape: each push has another number of metrics than the one before."
        ),
        "",
        "| | kwitness | OpenTelemetry Collector | ratio (95 % interval) | bar |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind in (SAME, CHANGING):
        blocks: dict[int, dict[str, float]] = {}
        for row in rows:
            if row["kind"] == kind:
                blocks.setdefault(row["block"], {})[row["component"]] = row["points_per_cpu_s"]
        middle, low, high = interval([one["kwitness"] / one["otelcol"] for one in blocks.values()])
        ours, peer = (statistics.median(one[name] for one in blocks.values()) for name in ("kwitness", "otelcol"))
        verdict = f"≥ {BAR:g}: {judged(middle / BAR)}" if kind == SAME else ""
        lines.append(
            f"| points per CPU-second, {kind} | {ours:,.0f} | {peer:,.0f} | {middle:.2f} ({low:.2f} to {high:.2f}) "
            f"| {verdict} |"
        )
    ratio = grown["kwitness"] / grown["otelcol"]
    lines.append(
        f"| MB for {series:,} series | {grown['kwitness']:g} | {grown['otelcol']:g} | {ratio:.2f} "
        f"| ≤ {MEMORY_BAR:g}: {judged(MEMORY_BAR / ratio)} |"
    )
    lines += [
        "",
        "Decoding and exposition are Python, behind `kwitness.collector.core`, where a native core can take their place.",
        "Not measured: opaque pushes to Kafka beside the peer's Kafka exporter.",
        "",
    ]
    return "\n".join(lines)


def judged(reached: float) -> str:
    """What to say of a bar of which this share was reached."""
    if reached >= 1:
        return "met"
    return "met within the slack of 20 % for noise" if reached * SLACK >= 1 else "missed"


def main() -> None:
    """Measure and write `collector.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--series", type=int, default=99_600)
    wanted = parser.parse_args()
    load_average = os.getloadavg()[0]
    peer_binary()
    os.sched_setaffinity(0, {GENERATOR_CORE})
    rows = [row for kind in (SAME, CHANGING) for row in rates(kind, wanted.blocks, wanted.seconds)]
    grown = memory(wanted.series)
    raw = {"blocks": rows, "memory_mb": grown, "series": wanted.series, "load_average": load_average}
    write_results(wanted.results, "collector", raw, section(rows, grown, wanted.series, load_average))


if __name__ == "__main__":
    main()
