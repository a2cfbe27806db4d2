"""The node id of the broker in a pod, which its observer's rows name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kwitness.contracts.observer_settings import ObserverSettings
from kwitness.injector.decision.decide import Place, decide

from tests.injector.samples import POD, injection
from tests.merge_patch import merged

BEHIND = "127.0.0.1:19092"
NODES = {
    "100": "kafka-0.kafka.shop.svc.cluster.local:9091",
    "101": "kafka-1.kafka.shop.svc.cluster.local:9091",
    "7": "kafka-0.kafka.other.svc:9091",
}
NAMED = {"hostname": "kafka-0", "subdomain": "kafka"}


def nodes(known: dict[str, str], spec: dict[str, Any]) -> dict[str, str]:
    """As the settings have them of a pod with this specification, in the namespace ``shop``."""
    beside = injection(
        variables=None,
        intercept="none",
        settings={
            "mode": "broker",
            "upstream": {"bootstrap_servers": [BEHIND], "nodes": known},
            "listener": {"bind": "0.0.0.0", "bootstrap_port": 9092, "brokers": {"0": None, "1": None}},
        },
    )
    namespace = {"metadata": {"name": "shop", "labels": {"kwitness.dev/injection": "enabled"}}}
    pod = merged(POD, {"metadata": {"generateName": None, "name": "kafka-0"}, "spec": spec})
    patch = decide(pod, Place(namespace, 34, "restricted"), [beside]).patch
    (annotations,) = [operation["value"] for operation in patch if operation["path"] == "/metadata/annotations"]
    written = json.loads(annotations["observer.kwitness.dev/observer.json"])
    return dict(ObserverSettings.model_validate(written).upstream.nodes)


@pytest.mark.parametrize("address", ["kafka-0.kafka.shop.svc:1", "kafka-0.kafka:1", "Kafka-0.kafka.shop.svc.:1"])
def test_a_broker_is_known_by_its_pods_own_name_however_that_is_spelled(address: str) -> None:
    assert nodes({**NODES, "100": address}, NAMED) == {"100": BEHIND}


def test_a_pod_without_a_host_name_of_its_own_has_its_name() -> None:
    assert nodes(NODES, {"subdomain": "kafka"}) == {"100": BEHIND}


@pytest.mark.parametrize(
    ("known", "spec"),
    [
        (NODES, {}),
        (NODES, {"subdomain": "other"}),
        (NODES, {"hostname": "kafka-9", "subdomain": "kafka"}),
        ({**NODES, "102": "kafka-0.kafka:9092"}, NAMED),
        ({"100": "203.0.113.7:9092", "101": "kafka-0:9092", "102": "kafka-0.example.org:9092"}, NAMED),
        ({}, NAMED),
    ],
    ids=["no subdomain", "another Service", "another pod", "two of this name", "names of others", "unreached cluster"],
)
def test_a_broker_that_is_not_unique_by_its_name_has_no_node_id(known: dict[str, str], spec: dict[str, Any]) -> None:
    assert nodes(known, spec) == {}
