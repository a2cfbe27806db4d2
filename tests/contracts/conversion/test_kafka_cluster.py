"""A KafkaCluster of v1alpha1 becomes one of v1beta1 that means the same."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.conversion.v1alpha1 import to_v1beta1
from kwitness.contracts.resources.kafka_cluster import KafkaCluster

SERVERS = ["kafka:9092"]


def stored(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1alpha1",
        "kind": "KafkaCluster",
        "metadata": {"name": "orders", "namespace": "kafka", "resourceVersion": "7"},
        "spec": {"bootstrapServers": SERVERS, **spec},
        "status": {"clusterId": "one", "acls": []},
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {}),
        ({"tls": {"enabled": True}}, {"tls": {"mode": "Required"}}),
        ({"tls": {"enabled": False, "insecurePlaintext": False}}, {"tls": {"mode": "Disabled"}}),
        (
            {"tls": {"enabled": True, "caSecretRef": {"name": "ca"}}},
            {"tls": {"mode": "Required", "caSecretRef": {"name": "ca"}}},
        ),
        (
            {"tls": {"enabled": False, "insecurePlaintext": True}, "authentication": {"type": "plain"}},
            {"tls": {"mode": "Disabled"}, "authentication": {"type": "plain", "insecurePlaintext": True}},
        ),
        ({"tls": {"insecurePlaintext": True}}, {"tls": {}, "authentication": {"insecurePlaintext": True}}),
        ({"topics": {"prefix": "k."}}, {"topics": {"prefix": "k."}}),
        (
            {"topics": {"prefix": "k.", "partitions": 12, "replicationFactor": 2, "retention": "72h"}},
            {"topics": {"prefix": "k.", "onCreate": {"partitions": 12, "replicationFactor": 2, "retention": "72h"}}},
        ),
        (
            {"riskPolicy": "Apply", "allowedNamespaces": {"from": "Selector", "selector": {"matchLabels": {"a": "b"}}}},
            {"riskPolicy": "Apply", "allowedNamespaces": {"from": "Selector", "selector": {"matchLabels": {"a": "b"}}}},
        ),
    ],
)
def test_each_field_has_its_place_in_the_new_shape(before: dict[str, Any], after: dict[str, Any]) -> None:
    converted = to_v1beta1(stored(**before))

    assert converted == {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "KafkaCluster",
        "metadata": {"name": "orders", "namespace": "kafka", "resourceVersion": "7"},
        "spec": {"bootstrapServers": SERVERS, **after},
    }
    assert KafkaCluster.model_validate(converted).spec.bootstrap_servers == tuple(SERVERS)


def test_what_is_converted_stays_as_it_was() -> None:
    before = stored(tls={"enabled": True}, topics={"partitions": 3})
    to_v1beta1(before)

    assert before == stored(tls={"enabled": True}, topics={"partitions": 3})


def test_a_resource_of_the_new_shape_stays_as_it_is() -> None:
    converted = to_v1beta1(stored(tls={"enabled": True, "insecurePlaintext": False}, topics={"retention": "1h"}))

    assert to_v1beta1(converted) == converted
