"""`kwitness brokers` and `kwitness acls` against a real API server, which has our definitions and no operator."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import cluster

pytestmark = pytest.mark.slow

GRANT = "kafka-acls.sh --bootstrap-server kafka:9092 --add --allow-principal User:"


def test_commands_for_permissions_have_address_and_prefix_of_the_cluster(person, api, namespace) -> None:
    api.objects.apply(cluster("orders", namespace, topics={"prefix": "k."}))
    printed = person.done("acls").splitlines()

    assert [line for line in printed if line.startswith("#")] == ["# Operator", "# Collector", "# Analytics"]
    assert (
        printed[4]
        == f"{GRANT}COLLECTOR --operation Describe --operation Write --topic k. --resource-pattern-type prefixed"
    )
    assert all(line.startswith(("#", GRANT)) for line in printed)
    items = json.loads(person.done("acls", f"{namespace}/orders", "-o", "json"))["items"]
    assert [line for item in items for line in item["commands"]] == [line for line in printed if line.startswith(GRANT)]


def test_a_cluster_that_does_not_exist_is_named(person, namespace) -> None:
    done = person.types("acls", "missing")

    assert (done.returncode, done.stdout) == (1, "")
    assert f"there is no KafkaCluster missing in namespace {namespace}" in done.stderr


def test_brokers_of_a_small_cluster_need_no_collector(person, api, namespace, with_status) -> None:
    api.objects.apply(cluster("orders", namespace))
    before = person.types("brokers")
    brokers = [
        {"id": 1, "host": "a", "port": 9092, "rack": "r1", "telemetry": True, "plugin": "0.1.0", "version": "4.3.1"},
        {"id": 2, "host": "b", "port": 9092, "telemetry": False},
    ]
    counts = {"total": 2, "telemetry": 1, "plugin": 1, "nodeIds": [1, 2]}
    with_status("kfc", "orders", brokers={**counts, "first": brokers})

    assert [line.split() for line in person.done("brokers").splitlines()[1:]] == [
        ["1", "a:9092", "r1", "yes", "0.1.0", "4.3.1"],
        ["2", "b:9092", "-", "no", "-", "-"],
    ]
    assert "the brokers of KafkaCluster orders are not known yet" in before.stderr
    assert json.loads(person.done("brokers", "-o", "json"))["items"] == brokers
