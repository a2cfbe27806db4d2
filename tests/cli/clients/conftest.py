"""A real collector with some clients, behind a door that reviews tokens; commands are typed at it."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from kwitness.cli.__main__ import main
from kwitness.contracts.nouns import CLIENTS
from kwitness.contracts.owners import text_fits

from tests.cli.conftest import account, cluster
from tests.cli.reviewed_collector import READERS, ReviewedCollector
from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import LATENCY_AVG, batch, gauges, java_push, push

INSTANCE = "b69cc35a-7a54-4790-aa69-cc2bd4ee4538"
SECOND = "c0ffee00-7a54-4790-aa69-cc2bd4ee4538"
LIVELY = "feed0000-7a54-4790-aa69-cc2bd4ee4538"
PRODUCER = "org.apache.kafka.producer."
SUBSCRIPTIONS = [
    {"id": "slow-orders", "metrics": [PRODUCER], "interval_ms": 300_000, "match": {"client_id": "orders-7"}},
    {"id": "lively", "metrics": [PRODUCER], "interval_ms": 500, "match": {"client_id": "lively"}},
]
"""Nothing asks `prices`."""


class Pushing:
    """A collector, and the brokers that push to it."""

    def __init__(self, process: CollectorProcess) -> None:
        self.process = process
        self._numbers = itertools.count(1)

    def push(self, client: str, client_id: str, payload: bytes, **identity: Any) -> None:
        """A push whose client keeps to an hour, so that it is not forgotten while the folder runs."""
        known = {"push_interval_ms": 3_600_000, "received_at_ms": int(time.time() * 1000), **identity}
        one = push(next(self._numbers), payload, client=client, client_id=client_id, **known)
        answer = self.process.push(batch([one]))
        assert answer.status == 200, answer.body

    def heartbeat(self) -> None:
        """A broker counts connections of a library that cannot push; it is forgotten after half a minute."""
        self.process.post("/v1/gauges", gauges({("librdkafka", "1.9.2"): 3}))

    def lively(self, latency_ms: float) -> None:
        """A push of `lively`, which is asked twice a second."""
        self.push(LIVELY, "lively", java_push(connections=1, latency_ms=latency_ms), push_interval_ms=500)


@pytest.fixture(scope="session")
def pushing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pushing]:
    """One collector for the whole folder: two instances of `orders-7`, one of `prices`, one that cannot be read."""
    process = CollectorProcess(tmp_path_factory.mktemp("collector"))
    process.subscribe(SUBSCRIPTIONS)
    process.start()
    made = Pushing(process)
    made.push(INSTANCE, "orders-7", java_push(latency_ms=12.5), principal="User:orders")
    made.push(SECOND, "orders-7", java_push(latency_ms=3), principal="User:orders")
    made.push("d00dfeed-1", "prices", java_push(), client_software_name="librdkafka")
    made.push("badbad00-1", "broken", b"\xff\xff")
    yield made
    process.kill()


@pytest.fixture(scope="session")
def running(pushing: Pushing) -> CollectorProcess:
    return pushing.process


@pytest.fixture(scope="session")
def namespace(api) -> str:
    """One for the whole folder, with KafkaCluster `orders`, whose collector the service account `readers` may read."""
    name = f"looking-{os.getpid()}"
    collector = {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "TelemetryCollector",
        "metadata": {"name": "main", "namespace": name},
        "spec": {
            "clusterRef": {"name": "orders"},
            "ingest": {"tls": {"mode": "Disabled"}, "readers": [{"serviceAccount": READERS}]},
        },
    }
    made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    api.objects.apply(made, cluster("orders", name), collector, account(READERS, name), account("others", name))
    return name


@pytest.fixture
def door(api, namespace, running) -> Iterator[ReviewedCollector]:
    with ReviewedCollector(api, running, namespace) as opened:
        yield opened


class Done(NamedTuple):
    """How a command ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def types(person, door, capsys):
    """Type a command line that asks the collector behind the door; in this process, which has imported all by then."""

    def run(*arguments: str) -> Done:
        capsys.readouterr()
        whose = ("--kubeconfig", person.environment["KUBECONFIG"], "--collector-address", door.address)
        status = main([*arguments[:1], *whose, *arguments[1:]])
        return Done(status, *capsys.readouterr())

    return run


def item(**changes: Any) -> dict[str, Any]:
    """A client instance that pushed a moment ago, as `/v1/clients` answers."""
    now = int(time.time() * 1000)
    known = {
        "client_id": "orders-7",
        "client_instance_id": INSTANCE,
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "principal": "User:orders",
        "client_address": "10.0.0.7",
        "first_seen_ms": now - 60_000,
        "last_push_ms": now - 1_000,
        "push_interval_ms": 5_000,
        "metrics": [LATENCY_AVG],
    }
    return {**known, **changes}


def answers_with(door: ReviewedCollector, *items: dict[str, Any], missing: tuple[int, ...] = ()) -> None:
    """In the place of the collector's own clients: those that take other brokers, or many minutes."""

    def page(parameters: dict[str, str]) -> dict[str, Any]:
        filters = {name: text for name, text in parameters.items() if name in CLIENTS.filters}
        fitting = [
            client
            for client in items
            if all(text_fits(text, _compared(client.get(name))) for name, text in filters.items())
        ]
        return {"items": fitting, "missing": list(missing)}

    door.replaced["/v1/clients"] = (200, page)


def _compared(value: Any) -> str | None:
    team: str | None = value["team"] if isinstance(value, dict) else value
    return team


def lines(done: Done) -> list[list[str]]:
    return [line.split() for line in done.stdout.splitlines()]
