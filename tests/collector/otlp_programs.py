"""Programs with OpenTelemetry's SDKs, and what Prometheus makes of what they export."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from kwitness.sandbox.waiting import communicate

from tests.collector.collector_process import CollectorProcess

COUNTS = ("app_orders_total", "app_duration_seconds_count")
WAYS = [f"{temporality}-{protocol}" for temporality in ("cumulative", "delta") for protocol in ("grpc", "http")]


class Program:
    """A process with services, each of which counts what a line of its input says and exports it once."""

    def __init__(self, command: Sequence[str | Path], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
        )

    def add(self, amount: int) -> None:
        """Have each service count, and export once."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{amount}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "exported\n"

    def kill(self) -> None:
        """End it without a last word."""
        self._process.kill()
        communicate(self._process)


class Prometheus:
    """What `increase` is made of: the raw samples of each series, each fall a reset, from 0 on."""

    def __init__(self, collector: CollectorProcess, services: Collection[str]) -> None:
        self.risen: dict[tuple[str, str], float] = {}
        self._collector = collector
        self._services = services
        self._last: dict[tuple[str, str], float] = {}

    def scrape(self) -> None:
        """Scrape once."""
        page = self._collector.scrape()
        for name in COUNTS:
            for labels, found in page.get(name, {}).items():
                key = (name, dict(labels)["client_id"])
                if key[1] not in self._services:
                    continue
                last = self._last.get(key, 0)
                self.risen[key] = self.risen.get(key, 0) + (found - last if found >= last else found)
                self._last[key] = found

    def each(self) -> set[float]:
        """Return by how much the series of all services rose."""
        assert len(self.risen) == len(COUNTS) * len(self._services)
        return set(self.risen.values())
