"""Prometheus and an OpenTelemetry Collector, built from their Go modules, as processes on loopback."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import requests
import yaml
from prometheus_client.parser import text_string_to_metric_families

from kwitness.e2e.binaries import GoCommand, built
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import communicate

from tests.eventually import eventually

MODULE = Path(__file__).parent / "otlp_backends"
GUIDES = Path(__file__).resolve().parents[2] / "docs/guides"
PROMETHEUS = GoCommand(
    # Without service discovery, most of what it is made of.
    "prometheus",
    MODULE,
    "github.com/prometheus/prometheus/cmd/prometheus",
    tags=("remove_all_sd",),
)
OTELCOL = GoCommand("otelcol", MODULE, "./otelcol")


def example(page: str, first_line: str) -> Any:
    """The example of a guide that begins with a comment."""
    found = re.search(rf"```yaml\n# {re.escape(first_line)}\n(.*?)```", (GUIDES / page).read_text(), re.DOTALL)
    assert found is not None, f"{page} has no example {first_line}"
    return yaml.safe_load(found[1])


class Backend:
    """A program that runs until it is stopped."""

    def __init__(self, command: list[str | Path], log: Path, ready: str) -> None:
        self._log = log
        with log.open("w") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        eventually(lambda: requests.get(ready, timeout=10).ok, passing=(OSError,), needs=[self._process], every=0.05)

    @property
    def log(self) -> str:
        return self._log.read_text()

    def stop(self) -> None:
        self._process.kill()
        communicate(self._process)


class Prometheus(Backend):
    """A Prometheus that receives OTLP and scrapes nothing, as the guide on forwards configures it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        config = folder / "prometheus.yml"
        config.write_text(json.dumps(example("forward.md", "prometheus.yml")))
        self.url = f"http://127.0.0.1:{free_port()}"
        self.endpoint = f"{self.url}/api/v1/otlp/v1/metrics"
        address = self.url.removeprefix("http://")
        command = [
            built(PROMETHEUS) / "prometheus",
            f"--config.file={config}",
            f"--storage.tsdb.path={folder / 'data'}",
        ]
        command += ["--web.enable-otlp-receiver", f"--web.listen-address={address}"]
        super().__init__([*command], folder / "log", f"{self.url}/-/ready")

    def query(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """Labels and value of each series now."""
        answer = requests.get(f"{self.url}/api/v1/query", params={"query": expression}, timeout=30)
        answer.raise_for_status()
        return [(series["metric"], float(series["value"][1])) for series in answer.json()["data"]["result"]]


class OtelCollector(Backend):
    """An OpenTelemetry Collector with the configuration of an example, on ports of its own."""

    def __init__(
        self, folder: Path, config: Mapping[str, Any], places: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Replace addresses and files of the example by ``places``."""
        folder.mkdir(parents=True)
        ports = {"4317": free_port(), "4318": free_port(), "8889": free_port(), "metrics": free_port()}
        telemetry = {"exporter": {"prometheus": {"host": "127.0.0.1", "port": ports["metrics"]}}}
        merged = {
            **config,
            "service": {**config["service"], "telemetry": {"metrics": {"readers": [{"pull": telemetry}]}}},
        }
        text = re.sub(r"0\.0\.0\.0:(4317|4318|8889)", lambda found: f"127.0.0.1:{ports[found[1]]}", json.dumps(merged))
        for place, here in places.items():
            assert place in text
            text = text.replace(place, here)
        (folder / "config.yaml").write_text(text)
        self.endpoint = f"http://127.0.0.1:{ports['4318']}/v1/metrics"
        self.grpc_endpoint = f"http://127.0.0.1:{ports['4317']}"
        self._page = f"http://127.0.0.1:{ports['8889']}/metrics"
        ready = f"http://127.0.0.1:{ports['metrics']}/metrics"
        super().__init__([built(OTELCOL) / "otelcol", "--config", folder / "config.yaml"], folder / "log", ready)

    def scrape(self, name: str) -> list[tuple[dict[str, str], float]]:
        """Labels and value of each series of its exporter for Prometheus."""
        answer = requests.get(self._page, timeout=30)
        answer.raise_for_status()
        samples = (sample for family in text_string_to_metric_families(answer.text) for sample in family.samples)
        return [(sample.labels, sample.value) for sample in samples if sample.name == name]
