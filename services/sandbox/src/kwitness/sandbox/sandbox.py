"""Runs a broker, a collector, clients, and later an observer and a console, in one folder; ends them together."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from kwitness.contracts.broker_configs import BrokerSubscriptionConfig
from kwitness.sandbox.broker import Broker, KafkaJars
from kwitness.sandbox.client_programs import CLIENTS, PUSH_INTERVAL_S, start_client
from kwitness.sandbox.collector import Collector
from kwitness.sandbox.console import Console
from kwitness.sandbox.guarded_process import GuardedProcess
from kwitness.sandbox.node_properties import random_id
from kwitness.sandbox.observer import Observer
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.quota import limit_producer
from kwitness.sandbox.subscription import subscribe

__all__ = ["Sandbox"]

_SUBSCRIPTION: Final = "everything"
_METRICS: Final = "org.apache.kafka."


class Sandbox:
    """A context manager; when it ends, all processes end and nothing of them runs on.

    Parameters
    ----------
    folder
        Receives data, settings and logs; exists and is empty.
    plugin
        The jar of the broker's plugin.
    jvm_options
        Further options of the broker's virtual machine.
    """

    def __init__(self, folder: Path, jars: KafkaJars, *, plugin: Path, jvm_options: Sequence[str] = ()) -> None:
        self._folder = folder
        self.bootstrap = f"127.0.0.1:{free_port()}"
        self.cluster_id = random_id()
        self.collector = Collector(_made(folder / "collector"), cluster_id=self.cluster_id, bootstrap=self.bootstrap)
        self.broker = Broker(
            _made(folder / "broker"),
            jars,
            cluster_id=self.cluster_id,
            bootstrap=self.bootstrap,
            plugin=plugin,
            settings={
                "kwitness.collector.url": f"http://{self.collector.address}",
                "kwitness.collector.insecure.plaintext": "true",
                "kwitness.collector.token.file": str(self.collector.plugin_token_file),
                "kwitness.heartbeat.interval.ms": "1000",
                "kwitness.batch.linger.ms": "100",
            },
            jvm_options=jvm_options,
        )
        self.observer: Observer | None = None
        self.console: Console | None = None
        self._clients: dict[str, GuardedProcess] = {}

    def start(self) -> None:
        """Start the broker and the collector, and wait until both serve.

        Raises
        ------
        RuntimeError
            One of them ended; the message holds the end of its log.
        """
        with ThreadPoolExecutor(2) as pool:
            for started in [pool.submit(self.collector.start), pool.submit(self.broker.start)]:
                started.result()

    def subscribe(self) -> None:
        """Ask all clients for all their metrics."""
        interval_ms = PUSH_INTERVAL_S * 1000
        subscribe(self.bootstrap, _SUBSCRIPTION, metrics=_METRICS, interval_ms=interval_ms)
        config = BrokerSubscriptionConfig(id=_SUBSCRIPTION, metrics=(_METRICS,), interval_ms=interval_ms)
        self.collector.subscribe([config])

    def start_clients(self) -> None:
        """Set quotas and start all client programs.

        Raises
        ------
        RuntimeError
            The broker refused a quota.
        """
        for client in CLIENTS:
            if client.bytes_per_second is not None:
                limit_producer(self.bootstrap, client.client_id, client.bytes_per_second)
            self._clients[client.client_id] = start_client(client, self._folder, self.bootstrap)

    def observe(self, program: Path) -> None:
        """Start an observer, and restart the clients that cannot push so that they begin there.

        Raises
        ------
        RuntimeError
            The observer ended; the message holds the end of its log.
        """
        self.observer = Observer(
            program,
            _made(self._folder / "observer"),
            cluster_id=self.cluster_id,
            broker=self.bootstrap,
            collector=self.collector,
        )
        self.observer.start()
        for client in CLIENTS:
            if client.is_silent:
                self._clients[client.client_id].stop()
                self._clients[client.client_id] = start_client(client, self._folder, self.observer.bootstrap)

    def start_console(self) -> Console:
        """Start a console of the session that was published, and return it before it serves pages."""
        self.console = Console(self._folder / "console.log")
        return self.console

    def ended(self) -> Sequence[str]:
        """Return the names of parts that have ended by themselves."""
        parts = {"the collector": self.collector.process, **self._clients}
        if self.observer is not None:
            parts["the observer"] = self.observer.process
        if self.console is not None:
            parts["the console"] = self.console.process
        ended = [name for name, process in parts.items() if process is not None and not process.running]
        return ended if self.broker.running else ["the broker", *ended]

    def stop(self) -> None:
        """End all processes, first those that ask others."""
        askers = [*self._clients.values(), *([] if self.console is None else [self.console.process])]
        with ThreadPoolExecutor(len(CLIENTS) + 1) as pool:
            list(pool.map(GuardedProcess.stop, askers))
        if self.observer is not None:
            self.observer.stop()
        self.broker.stop()
        self.collector.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
