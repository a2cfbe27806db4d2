"""Resident memory of a collector with everything on, at a thousand clients: `make bench`.

Each client pushes the thirty metrics that a Java producer and consumer send by default every second; Prometheus is
played by a scrape every five seconds. The bar is 90 MB after some minutes.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, MetricsData

from kwitness.bench.results import write_results
from kwitness.contracts.client_metrics import CLIENT_METRICS
from kwitness.e2e.kafka.local_broker import LocalBroker

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import batch, push

_BATCH = 50
_OK = 200
_SCRAPE_EVERY_S = 5
_BAR_MB = 90


def payload(metrics: int, number: int) -> str:
    """One push of a Java client as base64."""
    data = MetricsData()
    scope = data.resource_metrics.add().scope_metrics.add()
    for entry in [one for one in CLIENT_METRICS if "java" in one.senders][:metrics]:
        metric = scope.metrics.add()
        metric.name = entry.name
        if entry.type == "counter":
            metric.sum.is_monotonic = True
            metric.sum.aggregation_temporality = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
            point = metric.sum.data_points.add()
        else:
            point = metric.gauge.data_points.add()
        point.as_double = float(number % 97)
    return base64.b64encode(data.SerializeToString()).decode()


def measure(clients: int, metrics: int, seconds: float, bootstrap: str | None) -> dict[str, Any]:
    """Run one collector under load and return what it held, in MB, over time."""
    with tempfile.TemporaryDirectory() as folder:
        collector = CollectorProcess(Path(folder), bootstrap=bootstrap).start()
        empty = collector.resident_bytes()
        samples: list[float] = []
        began, seq, scraped = time.monotonic(), 0, 0.0
        while time.monotonic() - began < seconds:
            round_began = time.monotonic()
            for first in range(0, clients, _BATCH):
                pushes = []
                for number in range(first, first + _BATCH):
                    seq += 1
                    one = push(seq, client=f"client-{number}", client_id=f"application-{number}")
                    pushes.append({**one, "payload": payload(metrics, seq)})
                answer = collector.push(batch(pushes), compress=True)
                if answer.status != _OK:
                    raise RuntimeError(f"the collector answered {answer.status}: {answer.body}")
            if time.monotonic() - scraped > _SCRAPE_EVERY_S:
                scraped = time.monotonic()
                collector.scrape_text()
            samples.append(collector.resident_bytes() / 1e6)
            time.sleep(max(0.0, 1.0 - (time.monotonic() - round_began)))
        series = collector.value("kwitness_series")
        collector.stop()
    return {
        "clients": clients,
        "series": series,
        "pushes": seq,
        "seconds": seconds,
        "empty_mb": round(empty / 1e6, 1),
        "peak_mb": round(max(samples), 1),
        "end_mb": round(samples[-1], 1),
        "over_time_mb": [round(one, 1) for one in samples[:: max(1, len(samples) // 20)]],
    }


def section(found: dict[str, Any]) -> str:
    """The page's section."""
    verdict = "met" if found["end_mb"] < _BAR_MB else "missed"
    return (
        f"## Collector: resident memory at {found['clients']} clients\n\n"
        f"Everything on: TLS off, gRPC and both HTTP ports listening, topic writes to a real broker, a scrape every "
        f"{_SCRAPE_EVERY_S} s, {found['series']:g} series, {found['pushes']} pushes in {found['seconds']:g} s.\n\n"
        "| | MB |\n|---|---|\n"
        f"| after the start | {found['empty_mb']} |\n| peak | {found['peak_mb']} |\n| end | {found['end_mb']} |\n\n"
        f"Bar: under {_BAR_MB} MB: {verdict}.\n"
    )


def main() -> None:
    """Measure and write `collector_memory.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--clients", type=int, default=1_000)
    parser.add_argument("--metrics", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=600)
    wanted = parser.parse_args()
    with LocalBroker() as broker:
        found = measure(wanted.clients, wanted.metrics, wanted.seconds, broker.bootstrap)
    write_results(wanted.results, "collector_memory", found, section(found))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
