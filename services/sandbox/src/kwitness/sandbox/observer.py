"""Runs an observer in front of the broker, which reports to the collector."""

from __future__ import annotations

import os
from pathlib import Path

from kwitness.contracts.observer_settings import (
    CollectorAddress,
    IdentitySettings,
    LimitSettings,
    ListenerSettings,
    ObserverSettings,
    ReportSettings,
    UpstreamSettings,
)
from kwitness.sandbox.collector import NAMESPACE, Collector
from kwitness.sandbox.guarded_process import GuardedProcess
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.probed_process import start_and_wait

__all__ = ["Observer"]


class Observer:
    """A gateway on loopback; clients that begin at `bootstrap` are seen by it.

    Parameters
    ----------
    program
        The program `kwitness-observer`.
    """

    def __init__(self, program: Path, folder: Path, *, cluster_id: str, broker: str, collector: Collector) -> None:
        self._program, self._folder = program, folder
        self._metrics_port, port = free_port(), free_port()
        self.bootstrap = f"127.0.0.1:{port}"
        self._file = folder / "observer.json"
        settings = ObserverSettings(
            cluster_id=cluster_id,
            namespace=NAMESPACE,
            name="observer",
            mode="gateway",
            reported_by="gateway",
            suspend=False,
            upstream=UpstreamSettings(bootstrap_servers=(broker,)),
            listener=ListenerSettings(
                name="OBSERVED",
                bind="127.0.0.1",
                bootstrap_port=port,
                advertised_host="127.0.0.1",
                brokers={"1": free_port()},
            ),
            window_ms=1000,
            report=ReportSettings(connections=True, traffic=True, latency=True),
            identity=IdentitySettings(),
            limits=LimitSettings(
                max_connections=1000,
                max_frame_bytes=100 << 20,
                max_series=10_000,
                queue_bytes=4 << 20,
                max_rewrite_bytes=16 << 20,
            ),
            collector=CollectorAddress(
                url=f"http://{collector.address}", replicas=1, token_file=str(collector.observer_token_file)
            ),
            metrics_port=self._metrics_port,
        )
        self._file.write_text(settings.model_dump_json())
        self.process: GuardedProcess | None = None

    def start(self) -> None:
        """Start it and wait until it is ready.

        Raises
        ------
        RuntimeError
            It ended; the message holds the end of its log.
        """
        environment = {**os.environ, "POD_NAME": "observer", "POD_NAMESPACE": NAMESPACE, "POD_IP": "127.0.0.1"}
        command = [str(self._program), "run", "--settings", str(self._file), "--drain-seconds", "1"]
        self.process = start_and_wait(
            "the observer",
            command,
            probe_port=self._metrics_port,
            log_file=self._folder / "observer.log",
            environment=environment,
        )

    def stop(self) -> None:
        """End the observer."""
        if self.process is not None:
            self.process.stop()
