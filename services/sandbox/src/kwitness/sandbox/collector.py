"""Runs one collector that the broker's plugin, observers and readers of this machine reach on loopback."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kwitness.contracts.broker_configs import BrokerSubscriptionConfig
from kwitness.contracts.collector_config import CollectorConfig, IngestConfig, PrometheusConfig, SubscriptionsFile
from kwitness.contracts.endpoints import METRICS_PATH
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.sandbox.guarded_process import GuardedProcess
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.probed_process import DIRECT, start_and_wait

__all__ = ["NAME", "NAMESPACE", "Collector"]

NAMESPACE: Final = "try"
"""Stands for the Kubernetes namespace that a collector writes into what it exposes."""
NAME: Final = "collector"


class Collector:
    """A collector without topics: what it counts is on its metrics page and in its inventory.

    Attributes
    ----------
    address
        HOST:PORT of pushes and of the inventory, plaintext.
    metrics_url
        The page for Prometheus.
    plugin_token_file, observer_token_file
        Files with the token of the broker's plugin and of an observer.
    reader_token
        Permits to read the inventory.
    """

    def __init__(self, folder: Path, *, cluster_id: str, bootstrap: str) -> None:
        self._folder = folder
        self._port, self._metrics_port = free_port(), free_port()
        self.address = f"127.0.0.1:{self._port}"
        self.metrics_url = f"http://127.0.0.1:{self._metrics_port}{METRICS_PATH}"
        self.reader_token = secrets.token_urlsafe(32)
        self.plugin_token_file, self.observer_token_file = folder / "plugin-token", folder / "observer-token"
        self._own_token_file = folder / "own-token"
        tokens = {
            self.plugin_token_file: f"plugin {cluster_id}",
            self.observer_token_file: f"observer {cluster_id} gateway {NAMESPACE}/observer",
            self._own_token_file: f"collector {cluster_id}",
        }
        lines = [f"{self.reader_token} reader {cluster_id}"]
        for file, permissions in tokens.items():
            token = secrets.token_urlsafe(32)
            file.write_text(token)
            lines.append(f"{token} {permissions}")
        (folder / "tokens").write_text("".join(f"{line}\n" for line in lines))
        config = CollectorConfig(
            cluster_id=cluster_id,
            namespace=NAMESPACE,
            name=NAME,
            replicas=1,
            # People read the page, so counters are 0 for a moment alone.
            prometheus=PrometheusConfig(scrape_interval_ms=1000),
            kafka=KafkaConnection(bootstrap_servers=(bootstrap,)),
            ingest=IngestConfig(tokens_file=str(folder / "tokens")),
            state_dir=str(folder / "state"),
        )
        (folder / "config.json").write_text(config.model_dump_json())
        self.subscribe(())
        self.process: GuardedProcess | None = None

    def subscribe(self, subscriptions: Sequence[BrokerSubscriptionConfig]) -> None:
        """Write the broker's subscriptions, by which the collector explains what clients are asked for."""
        file = SubscriptionsFile(subscriptions=tuple(subscriptions))
        (self._folder / "subscriptions.json").write_text(file.model_dump_json())

    def start(self) -> None:
        """Start it and wait until it takes requests.

        Raises
        ------
        RuntimeError
            It ended; the message holds the end of its log.
        """
        command = [sys.executable, "-m", "kwitness.collector", "--config", str(self._folder / "config.json")]
        command += ["--host", "127.0.0.1", "--port", str(self._port), "--metrics-port", str(self._metrics_port)]
        command += ["--otlp-http-port", str(free_port()), "--otlp-grpc-port", str(free_port())]
        command += ["--pod-name", f"kwitness-collector-{NAME}-0", "--api-server", ""]
        command += ["--token-file", str(self._own_token_file)]
        self.process = start_and_wait(
            "the collector", command, probe_port=self._metrics_port, log_file=self._folder / "collector.log"
        )

    def scrape(self) -> str:
        """Return the metrics page.

        Raises
        ------
        OSError
            The collector does not answer.
        """
        with DIRECT.open(self.metrics_url, timeout=10) as answer:
            return str(answer.read().decode())

    def stop(self) -> None:
        """End the collector."""
        if self.process is not None:
            self.process.stop()
