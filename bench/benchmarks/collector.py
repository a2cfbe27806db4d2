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
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import requests
from collectors.exports import METRICS, RESOURCES, exports, sending
from collectors.exports import load as send_for
from collectors.otelcol import VERSION, OtelCollector, peer_binary

from kwitness.bench.paired_measurement import COMPONENT_CORE, GENERATOR_CORE, cpu_seconds, interval, pin, resident_mb
from kwitness.bench.results import write_results
from kwitness.sandbox.ports import free_port

from tests.collector.collector_process import CollectorProcess

SAME, CHANGING = "same shape", "changing shape"
CLIENTS = 1_000
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


class Peer(OtelCollector):
    """The OpenTelemetry Collector, with one processor."""

    def __init__(self, folder: Path, _: int) -> None:
        self.grpc_port, self.metrics_port = free_port(), free_port()
        super().__init__(folder, PEER.format(grpc=self.grpc_port, metrics=self.metrics_port), self.metrics_port)


def load(component: Component, bodies: Sequence[tuple[bytes, int]], seconds: float) -> int:
    """Send with some requests under way for some seconds, scrape once; returns the points taken."""
    points = send_for(component, bodies, seconds)
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
                with sending(component) as send:
                    for body in bodies * 2:
                        send(body).result()
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
            f"one scrape a block, {len(rows) // 4} blocks; OpenTelemetry Collector {VERSION} with GOMAXPROCS=1; load average "
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
