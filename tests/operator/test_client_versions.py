"""Clients below a least version as a metric: bounded, and never counted twice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from kwitness.contracts.envelopes import ClusterState
from kwitness.operator.context import ClusterFacts
from kwitness.operator.metrics import OutdatedClients
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.store import Key, Store
from kwitness.operator.reconcile.outdated_clients import connections_below


def _context(software: list[tuple[str, str, int]], *, answers: bool = True, clusters: int = 1) -> Any:
    """Two parts of a context: resources as last seen, and what is known of their clusters."""
    store, known = Store(), {}
    state = {
        "cluster_id": "c",
        "software": [
            {
                "client_software_name": name,
                "client_software_version": version,
                "connections": connections,
                "first_seen_ms": 1,
                "last_seen_ms": 1,
            }
            for name, version, connections in software
        ],
    }
    for number in range(clusters):
        key = Key("kafka", f"main-{number}")
        least = [{"clientSoftwareName": "librdkafka", "version": "2.10.1"}]
        metadata = {"namespace": key.namespace, "name": key.name, "uid": "u", "resourceVersion": "1"}
        spec = {"bootstrapServers": ["kafka:9092"], "clientPolicy": {"minimumVersions": least}}
        store.put("KafkaCluster", {"metadata": metadata, "spec": spec})
        verdict = Verdict("InventoryAvailable", "True" if answers else "False", "InventoryAvailable", "")
        facts = ClusterFacts(cluster_id="c", inventory=ClusterState.model_validate(state), inventory_verdict=verdict)
        known[key] = facts
    return SimpleNamespace(store=store, clusters=known)


def test_each_version_below_has_its_connections():
    context = _context([("librdkafka", "2.10.0", 3), ("librdkafka", "2.10.1", 5), ("librdkafka", "1.9", 1)])

    [family] = OutdatedClients(lambda: connections_below(context)).collect()

    assert {tuple(sample.labels.values()): sample.value for sample in family.samples} == {
        ("c", "librdkafka", "2.10.0"): 3,
        ("c", "librdkafka", "1.9"): 1,
    }


def test_two_resources_of_one_kafka_cluster_count_its_clients_once():
    context = _context([("librdkafka", "2.10.0", 3)], clusters=2)

    assert connections_below(context) == {("c", "librdkafka", "2.10.0"): 3}


def test_what_is_not_known_now_is_absent():
    assert connections_below(_context([("librdkafka", "2.10.0", 3)], answers=False)) == {}


def test_versions_that_somebody_makes_up_are_counted_together():
    software = [("librdkafka", f"1.0.{number}", 100 - number) for number in range(60)]

    found = connections_below(_context(software))

    assert len(found) == 51
    assert found["c", "librdkafka", "1.0.49"] == 51
    assert found["c", "other", "other"] == sum(range(41, 51))
