"""Identity keys under OpenTelemetry's names, written and read by one table."""

from __future__ import annotations

import pytest

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.semantic_attributes import NAMES_READ, semantic_attributes

EVERYTHING = {key: f"<{key}>" for key in IDENTITY_KEYS}


def test_a_client_is_written_under_the_names_of_the_conventions() -> None:
    assert semantic_attributes(EVERYTHING) == {
        "messaging.system": "kafka",
        "messaging.kafka.cluster.id": "<cluster_id>",
        "kafka.cluster.id": "<cluster_id>",
        "messaging.client.id": "<client_id>",
        "service.name": "<k8s_workload>",
        "service.namespace": "<k8s_namespace>",
        "service.instance.id": "<client_instance_id>",
        "telemetry.distro.name": "<client_software_name>",
        "telemetry.distro.version": "<client_software_version>",
        "messaging.consumer.group.name": "<group_id>",
        "k8s.namespace.name": "<k8s_namespace>",
        "k8s.pod.name": "<k8s_pod>",
    }


def test_a_client_outside_kubernetes_is_a_service_of_its_client_id() -> None:
    assert semantic_attributes({"client_id": "orders", "k8s_workload": ""}) == {
        "messaging.system": "kafka",
        "messaging.client.id": "orders",
        "service.name": "orders",
    }


@pytest.mark.parametrize(
    ("pod", "written"),
    [
        ("orders.v1-7c9d5b6f4-x2x7k", {"k8s.deployment.name"}),
        ("orders.v1-12", {"k8s.statefulset.name"}),
        ("orders.v1-x2x7k", set()),
        ("ordersxv1-12", set()),
        ("orders.v1", set()),
        ("", set()),
    ],
)
def test_the_kind_of_a_workload_is_written_where_the_name_of_its_pod_shows_it(pod: str, written: set[str]) -> None:
    attributes = semantic_attributes({"k8s_workload": "orders.v1", "k8s_pod": pod})

    kinds = {name for name in attributes if name.startswith("k8s.") and name != "k8s.pod.name"}
    assert kinds == written
    assert {attributes[name] for name in kinds} <= {"orders.v1"}


def test_each_name_that_is_written_and_read_has_one_key() -> None:
    # Each key alone, so that service.name has no workload.
    for key, names in NAMES_READ.items():
        written = semantic_attributes({key: "value"})

        assert {"value"} == {value for name, value in written.items() if name in names} or not written.keys() & names
    written_keys = {key for key, names in NAMES_READ.items() if semantic_attributes({key: "value"}).keys() & set(names)}
    assert written_keys == {
        "cluster_id",
        "client_id",
        "client_instance_id",
        "client_software_name",
        "client_software_version",
        "group_id",
        "k8s_namespace",
        "k8s_pod",
    }
