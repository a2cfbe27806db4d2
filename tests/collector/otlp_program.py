"""A program with OpenTelemetry's SDK: services that count, all with one instance id; commands come as lines of JSON.

Run by the tests with the SDK on its path: nothing of ours is imported here.
"""

from __future__ import annotations

import json
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as HttpExporter
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource


class Service:
    """One service; ``name`` says how it exports: <anything>-<cumulative or delta>-<grpc or http>."""

    def __init__(self, name: str, instance: str, ports: dict[str, int], token: str, timeout_s: float) -> None:
        _, temporality, protocol = name.rsplit("-", 2)
        chosen = AggregationTemporality.DELTA if temporality == "delta" else AggregationTemporality.CUMULATIVE
        shared: dict[str, Any] = {"preferred_temporality": {Counter: chosen, Histogram: chosen}, "timeout": timeout_s}
        exporter: Any = (
            GrpcExporter(
                f"127.0.0.1:{ports['grpc']}", insecure=True, headers=(("authorization", f"Bearer {token}"),), **shared
            )
            if protocol == "grpc"
            else HttpExporter(
                f"http://127.0.0.1:{ports['http']}/v1/metrics", headers={"Authorization": f"Bearer {token}"}, **shared
            )
        )
        reader = PeriodicExportingMetricReader(exporter, export_interval_millis=math.inf)
        resource = {"service.namespace": "shop", "service.name": name, "service.instance.id": instance}
        self._provider = MeterProvider([reader], Resource(resource), shutdown_on_exit=False)
        meter = self._provider.get_meter("orders")
        self._orders = meter.create_counter("app.orders")
        self._duration = meter.create_histogram("app.duration", unit="s")

    def add(self, amount: int) -> None:
        self._orders.add(amount)
        for _ in range(amount):
            self._duration.record(0.3)

    def export(self) -> None:
        self._provider.force_flush(30_000)


def main() -> None:
    """Obey until the input ends."""
    settings = json.loads(sys.argv[1])
    more = (settings["ports"], settings["token"], settings["timeout_s"])
    services = [Service(name, instance, *more) for name, instance in settings["services"]]
    with ThreadPoolExecutor(len(services)) as pool:
        for line in sys.stdin:
            amount = int(line)
            for service in services:
                service.add(amount)
            list(pool.map(Service.export, services))
            sys.stdout.write("exported\n")
            sys.stdout.flush()


main()
