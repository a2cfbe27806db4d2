"""Checks silent clients by proven namespace: each has what is known of it alone, and no word about others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kwitness.collector.inventory.brokers import Brokers
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.silence import silent_clients
from kwitness.collector.inventory.silence_part import silence_part
from kwitness.contracts.envelopes import GaugeSnapshot, OpenConnection, SilentClients
from kwitness.subscriptions.broker_subscription import BrokerSubscription

from tests.collector.collector_process import SIDECAR, CollectorProcess
from tests.collector.collector_samples import CLUSTER, gauges
from tests.collector.event_samples import connection, listed, of_sidecar, request

Start = Callable[..., CollectorProcess]
JAVA, PYTHON = ("apache-kafka-java", "4.3.1"), ("confluent-kafka-python", "2.16.1-rdkafka-2.16.1")
ALL = BrokerSubscription(id="all", metrics=("org.apache.kafka.",))


def answer(*open_: tuple[str, str], is_proven: bool) -> SilentClients:
    """Return the answer of a replica by client ids and namespaces of open connections; four instances have asked."""
    brokers = Brokers()
    heartbeat = gauges({JAVA: 9, PYTHON: 3}, asking=["asked-1", "asked-2", "asked-3", "asked-4"])
    brokers.record_heartbeat(GaugeSnapshot.model_validate(heartbeat), 0)
    connections = [
        (OpenConnection.model_validate(connection(number, client_id=client_id)), namespace)
        for number, (client_id, namespace) in enumerate(open_)
    ]
    part = silence_part(Clients(), brokers, connections, 0, CLUSTER, is_proven=is_proven)
    return silent_clients([part], (ALL,), (), ours=False, is_proven=is_proven)


def items(found: SilentClients) -> list[tuple[Any, ...]]:
    return [(item.k8s_namespace, item.client_id, item.connections) for item in found.items]


def test_a_client_of_two_namespaces_has_its_connections_in_each() -> None:
    open_ = (("app", "shop"), ("app", "shop"), ("app", "bank"), ("app", ""), ("other", ""))

    merged, apart = answer(*open_, is_proven=False), answer(*open_, is_proven=True)

    assert {(None, "app", 4), (None, "other", 1)} < {*items(merged)}
    assert items(apart) == [("shop", "app", 2), ("bank", "app", 1)]


def test_counts_of_brokers_are_in_no_namespace() -> None:
    shown = answer(("app", "shop"), is_proven=True).model_dump_json()

    assert "4 instances asked" in answer(("app", "shop"), is_proven=False).model_dump_json()
    for word in ("asked-", "confluent", "4 instances"):
        assert word not in shown
    assert "SubscribedNotPushing" in shown


def test_the_namespace_is_that_of_the_token(start: Start) -> None:
    collector = start()
    collector.get("/v1/connections")
    beside = request(open_connections=listed(connection(1, client_id="in-pod")), **of_sidecar())
    assert collector.observe(beside, token=SIDECAR).status == 200
    assert collector.observe(request(open_connections=listed(connection(2, client_id="anywhere")))).status == 200

    proven = collector.get("/v1/silent?proven=true").body["items"]
    plain = collector.get("/v1/silent").body["items"]

    assert [(item["client_id"], item["k8s_namespace"]) for item in proven] == [("in-pod", "stranger")]
    assert {item["client_id"] for item in plain} == {"in-pod", "anywhere"}
    assert all("k8s_namespace" not in item for item in plain)
