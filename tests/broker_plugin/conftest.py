"""Brokers with the plugin, and real clients of two families."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from confluent_kafka import Producer

from kwitness.demo.java_client import demo_client_classpath
from kwitness.e2e.kafka.broker_plugin import plugin_jar
from kwitness.e2e.kafka.local_broker import KAFKA_VERSIONS, Listener, LocalBroker
from kwitness.e2e.recording_collector import RecordingCollector
from kwitness.sandbox.node_properties import reporter_class
from kwitness.sandbox.subscription import subscribe
from kwitness.sandbox.waiting import wait_for_exit

from tests.repeated import repeated

#: Settings that make a test quick; each is a key of the plugin.
QUICK = {
    "kwitness.collector.insecure.plaintext": "true",
    "kwitness.heartbeat.interval.ms": "300",
    "kwitness.batch.linger.ms": "50",
    "kwitness.retry.backoff.ms": "50",
    "kwitness.retry.backoff.max.ms": "500",
}
INTERVAL_MS = 250
"""How often clients of the shared brokers push."""
Plugged = tuple[LocalBroker, RecordingCollector]


@pytest.fixture(scope="session")
def jar() -> Path:
    return plugin_jar()


@pytest.fixture(scope="session")
def quick() -> dict[str, str]:
    return dict(QUICK)


@pytest.fixture
def collector() -> Iterator[RecordingCollector]:
    with RecordingCollector() as collector:
        yield collector


BrokerFactory = Callable[..., AbstractContextManager[LocalBroker]]


@pytest.fixture(scope="session")
def plugin_broker(jar: Path) -> BrokerFactory:
    """A broker whose plugin sends to a collector, with further properties."""

    def make(collector: RecordingCollector | None, version: str = "4.3.1", **options: object) -> LocalBroker:
        overrides = dict(QUICK)
        if collector is not None:
            overrides["kwitness.collector.url"] = collector.url
        overrides.update(options.pop("overrides", {}))  # type: ignore[arg-type]
        return LocalBroker(version, plugin=jar, overrides=overrides, **options)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session", params=KAFKA_VERSIONS)
def plugged(request: pytest.FixtureRequest, plugin_broker: BrokerFactory) -> Iterator[Plugged]:
    """A broker of each version and the collector that its plugin sends to, shared by tests that leave both as they are.

    pytest runs all tests of one version together, so there is one such broker at a time.
    """
    # One of those to whose list of reporters Kafka adds its own has ours alone.
    overrides = {"metric.reporters": reporter_class(request.param)} if request.param == "3.9.2" else {}
    listeners = [Listener.SASL_PLAINTEXT_PLAIN]
    with (
        RecordingCollector() as collector,
        plugin_broker(collector, request.param, listeners=listeners, overrides=overrides) as broker,
    ):
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=INTERVAL_MS)
        yield broker, collector


@pytest.fixture
def librdkafka_producer() -> Callable[..., AbstractContextManager[Producer]]:
    """A producer of librdkafka that sends a record every 50 ms until the block ends; closing pushes a last time."""

    @contextlib.contextmanager
    def run(bootstrap: str, client_id: str, **configuration: str) -> Iterator[Producer]:
        settings = {"bootstrap.servers": bootstrap, "client.id": client_id, "log_level": "3", **configuration}
        producer = Producer(settings)

        def produce() -> None:
            producer.produce("demo", b"x")
            producer.poll(0)

        try:
            with repeated(produce, 0.05):
                yield producer
        finally:
            producer.flush(5)
            producer.close()

    return run


@pytest.fixture
def java_client(tmp_path: Path) -> Callable[..., AbstractContextManager[subprocess.Popen[bytes]]]:
    """The Java demo client as a process; SIGTERM at the end of the block, upon which it pushes a last time."""

    @contextlib.contextmanager
    def run(role: str, bootstrap: str, client_id: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
        variables = {"BOOTSTRAP_SERVERS": bootstrap, "CLIENT_ID": client_id, "TOPIC": "demo", **environment}
        options = ["-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", demo_client_classpath()]
        with (tmp_path / f"{client_id}.log").open("wb") as log:
            process = subprocess.Popen(
                ["java", *options, "dev.kwitness.demo.DemoClient", role],
                env={**os.environ, **variables},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                yield process
            finally:
                process.send_signal(signal.SIGTERM)
                try:
                    wait_for_exit(process)
                finally:
                    process.kill()

    return run
