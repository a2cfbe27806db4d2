"""Clients of brokers without a telemetry plugin push through an observer to a collector, as KIP-714 has it."""

from __future__ import annotations

import contextlib
import dataclasses
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import (
    GATEWAY,
    GATEWAY_SOURCE,
    SIDECAR,
    SIDECAR_SOURCE,
    TOPICS,
    CollectorProcess,
)
from tests.collector.collector_samples import CLUSTER
from tests.eventually import eventually
from tests.observer.client_programs import LIBRDKAFKA, NEWEST, Client, counts, kafka_clients
from tests.observer.observer_process import ObserverProcess
from tests.observer.stand import create_topic

pytestmark = pytest.mark.broker

SUBSCRIPTION = {"id": "all", "metrics": ["org.apache.kafka."], "interval_ms": 1_000, "match": {}}
CLIENTS = (kafka_clients(NEWEST), LIBRDKAFKA)
REQUESTS = "kwitness_observer_telemetry_requests_total"


@pytest.fixture(scope="module")
def broker() -> Iterator[LocalBroker]:
    """Without a plugin: it announces neither of the two APIs."""
    with LocalBroker() as broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        for future in admin.create_topics([NewTopic(name, 1, 1) for name in TOPICS.values()]).values():
            future.result()
        create_topic(broker.bootstrap, "orders")
        yield broker


@pytest.fixture(scope="module")
def collector(broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    process = CollectorProcess(tmp_path_factory.mktemp("collector"), bootstrap=broker.bootstrap)
    process.subscribe([SUBSCRIPTION])
    yield process.start()
    process.kill()


@pytest.fixture(scope="module")
def observer(
    program: Path, broker: LocalBroker, collector: CollectorProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ObserverProcess]:
    folder = tmp_path_factory.mktemp("observer")
    token = folder / "token"
    token.write_text(GATEWAY)
    namespace, _, pod = GATEWAY_SOURCE.partition("/")
    process = ObserverProcess(
        program,
        folder,
        bootstrap=broker.bootstrap,
        nodes=(broker.node_id,),
        changes={
            "cluster_id": CLUSTER,
            "namespace": namespace,
            "telemetry": {"max_instances": 100, "max_push_bytes": 1_048_576},
            "collector": {
                "url": f"http://127.0.0.1:{collector.port}",
                "replicas": 1,
                "ca_file": None,
                "token_file": str(token),
            },
        },
    ).with_arguments("--pod-name", pod)
    with process:
        # Before, clients are asked for nothing.
        eventually(lambda: "New subscriptions" in process.log())
        yield process


def named(client: Client, name: str) -> Client:
    """The same program under another name: a collector remembers those of other tests."""
    return dataclasses.replace(client, name=f"{client.name}-{name}")


@contextlib.contextmanager
def running(client: Client, bootstrap: str) -> Iterator[subprocess.Popen[str]]:
    """A client that produces and consumes until the end."""
    process = client.start(bootstrap, "orders", 0, ["none:all"])
    try:
        yield process
        counts(process)
    finally:
        process.kill()


def pushing(collector: CollectorProcess, client: Client) -> list[dict[str, Any]]:
    """The client's instances that push."""
    items: list[dict[str, Any]] = collector.get("/v1/clients").body["items"]
    return [one for one in items if one.get("client_id") == client.name and one.get("last_push_ms")]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_a_client_pushes_what_its_subscription_asks_for_and_is_known_by_who_it_is(
    client: Client, broker: LocalBroker, collector: CollectorProcess, observer: ObserverProcess
) -> None:
    with running(client, observer.bootstrap):
        # A producer and a consumer, each an instance of its own.
        found = eventually(lambda: pushing(collector, client), lambda found: len(found) >= 2)

    (software,) = client.software
    for one in found:
        assert (one["client_software_name"], one["client_software_version"]) == software
        assert (one["client_address"], one["listener"]) == ("127.0.0.1", "GATEWAY")
        assert one["client_source_port"] > 0
    metrics = observer.metrics()
    assert metrics[f'{REQUESTS}{{api="PushTelemetry",error="NONE"}}'] >= 2
    assert metrics["kwitness_observer_telemetry_instances"] >= 2
    eventually(
        observer.metrics,
        lambda now: (
            now['kwitness_observer_pushes_total{outcome="delivered",reason=""}']
            == now['kwitness_observer_pushes_total{outcome="accepted",reason=""}']
        ),
    )


def test_the_topic_says_who_answered_in_the_brokers_place(
    broker: LocalBroker, collector: CollectorProcess, observer: ObserverProcess
) -> None:
    client = named(LIBRDKAFKA, "in-topic")
    with running(client, observer.bootstrap):
        eventually(lambda: pushing(collector, client))

    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "t", "auto.offset.reset": "earliest"})
    consumer.subscribe([TOPICS["telemetry"]])
    record = eventually(lambda: consumer.poll(1), lambda record: record is not None and record.error() is None)
    consumer.close()
    headers = {name: value.decode() for name, value in record.headers()}
    assert headers["reported_by"] == "gateway"
    assert headers["event_source"] == f"{CLUSTER}/{GATEWAY_SOURCE}"
    assert headers["push_interval_ms"] == "1000"


def test_a_change_of_subscriptions_reaches_clients_that_are_connected(
    collector: CollectorProcess, observer: ObserverProcess
) -> None:
    client, unknown = named(LIBRDKAFKA, "changed"), f'{REQUESTS}{{api="PushTelemetry",error="UNKNOWN_SUBSCRIPTION_ID"}}'
    with running(client, observer.bootstrap):
        eventually(lambda: pushing(collector, client))
        before = observer.metrics().get(unknown, 0)

        collector.subscribe([{**SUBSCRIPTION, "interval_ms": 2_000}])

        eventually(lambda: observer.metrics().get(unknown, 0), lambda now: now > before)
        eventually(
            lambda: {one.get("push_interval_ms") for one in pushing(collector, client)},
            lambda intervals: 2_000 in intervals,
        )
    collector.subscribe([SUBSCRIPTION])


@pytest.fixture
def sidecar(program: Path, broker: LocalBroker, collector: CollectorProcess, tmp_path: Path) -> ObserverProcess:
    """One that runs in the pod of its client, which begins at the port that the webhook writes into its environment."""
    token = tmp_path / "token"
    token.write_text(SIDECAR)
    namespace, _, pod = SIDECAR_SOURCE.partition("/")
    return ObserverProcess(
        program,
        tmp_path,
        bootstrap=broker.bootstrap,
        nodes=(),
        changes={
            "cluster_id": CLUSTER,
            "namespace": namespace,
            "mode": "sidecar",
            "reported_by": "pod",
            "workload": {"kind": "Deployment", "name": "app"},
            "telemetry": {"max_instances": 100, "max_push_bytes": 1_048_576},
            "collector": {
                "url": f"http://127.0.0.1:{collector.port}",
                "replicas": 1,
                "ca_file": None,
                "token_file": str(token),
            },
        },
        environment={"POD_NAME": pod, "POD_NAMESPACE": namespace, "POD_IP": "10.1.2.3"},
    )


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_a_sidecar_answers_its_pods_client_and_the_pod_is_the_clients(
    client: Client, collector: CollectorProcess, sidecar: ObserverProcess
) -> None:
    own = named(client, "in-a-pod")
    with sidecar:
        eventually(lambda: "New subscriptions" in sidecar.log())
        with running(own, sidecar.bootstrap):
            found = eventually(lambda: pushing(collector, own), lambda found: len(found) >= 2)
        answered = sidecar.metrics()[f'{REQUESTS}{{api="PushTelemetry",error="NONE"}}']

    for one in found:
        assert (one["k8s_namespace"], one["k8s_pod"]) == ("stranger", "app-1")
        assert one["client_address"] == "10.1.2.3"
        assert (one["client_software_name"], one["client_software_version"]) in client.software
    assert answered >= 2


def told_interval_ms(observer: ObserverProcess) -> int:
    """The interval that a new client instance is told, by raw requests on a connection of its own."""

    def exchange(key: int, version: int, rest: bytes) -> bytes:
        body = struct.pack(">hhih", key, version, 1, 4) + b"test" + rest
        peer.sendall(struct.pack(">i", len(body)) + body)
        (length,) = struct.unpack(">i", peer.recv(4, socket.MSG_WAITALL))
        return peer.recv(length, socket.MSG_WAITALL)

    host, _, port = observer.bootstrap.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=10) as peer:
        exchange(18, 0, b"")
        answer = exchange(71, 0, b"\0" + bytes(16) + b"\0")
    # Correlation id, tags, throttling, error, instance, subscription, and the types of compression with their number.
    types = answer[4 + 1 + 4 + 2 + 16 + 4] - 1
    (interval_ms,) = struct.unpack_from(">i", answer, 4 + 1 + 4 + 2 + 16 + 4 + 1 + types)
    return int(interval_ms)


def test_a_subscription_that_the_operator_tells_of_is_answered_within_five_seconds(
    collector: CollectorProcess, observer: ObserverProcess
) -> None:
    collector.subscribe([SUBSCRIPTION])
    eventually(lambda: told_interval_ms(observer), lambda now: now == SUBSCRIPTION["interval_ms"])
    namespace = GATEWAY_SOURCE.partition("/")[0]
    path = f"/v1/observers/{namespace}/orders/subscriptions"
    for interval_ms in (7_000, 9_000, 1_000):
        began = time.monotonic()
        changed = {"hash": "of the operator", "subscriptions": [{**SUBSCRIPTION, "interval_ms": interval_ms}]}

        assert collector.direct(path, changed).status == 200

        eventually(lambda: told_interval_ms(observer), lambda now, wanted=interval_ms: now == wanted)
        assert time.monotonic() - began < 5


def test_clients_go_on_pushing_after_the_observer_was_killed(
    collector: CollectorProcess, observer: ObserverProcess
) -> None:
    client = named(CLIENTS[0], "restarted")
    with running(client, observer.bootstrap):
        before = {one["client_instance_id"] for one in eventually(lambda: pushing(collector, client))}
        observer.kill()
        observer.start()
        restarted_ms = max(one["last_push_ms"] for one in pushing(collector, client))

        def pushed_again() -> set[str]:
            later = [one for one in pushing(collector, client) if one["last_push_ms"] > restarted_ms]
            return {one["client_instance_id"] for one in later}

        assert eventually(pushed_again, lambda again: bool(again & before))
