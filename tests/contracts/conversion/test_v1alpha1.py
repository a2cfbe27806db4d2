"""Converts resources of all kinds from v1alpha1 to v1beta1."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import yaml

from kwitness.contracts.conversion.v1alpha1 import to_v1beta1

SUBSCRIPTION = {
    "clusterRef": {"name": "main"},
    "metrics": ["org.apache.kafka.producer."],
    "match": [{"selector": "clientId", "pattern": "orders-.*"}],
}
REGISTER = {"keys": [{"name": "order.id", "description": "A key.", "type": "Uuid"}]}


@pytest.mark.parametrize(("kind", "spec"), [("ClientMetricsSubscription", SUBSCRIPTION), ("HeaderRegistry", REGISTER)])
def test_a_spec_that_has_not_changed_stays_and_the_status_goes(kind: str, spec: dict[str, Any]) -> None:
    resource = {"kind": kind, "metadata": {"name": "slow", "labels": {"team": "shop"}}, "spec": spec}

    converted = to_v1beta1({"apiVersion": "kwitness.dev/v1alpha1", **resource, "status": {"warnings": []}})

    assert converted == {"apiVersion": "kwitness.dev/v1beta1", **resource}


def test_the_cluster_that_a_kafka_cluster_accepts_by_an_annotation_is_in_its_spec() -> None:
    metadata = {"name": "main", "annotations": {"kwitness.dev/accept-cluster-id": "new"}}
    resource = {
        "kind": "KafkaCluster",
        "metadata": metadata,
        "spec": {"bootstrapServers": ["a:9092"], "clusterId": "old"},
    }

    converted = to_v1beta1(resource)

    assert converted["spec"]["clusterId"] == "new"
    assert converted["metadata"] == {"name": "main"}


def test_another_kind_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'Kafka' is no kind of kwitness: use one of KafkaCluster"):
        to_v1beta1({"kind": "Kafka", "metadata": {"name": "x"}, "spec": {}})


MANIFEST = """
apiVersion: v1
kind: Secret
metadata: {name: kwitness-tls}
---
apiVersion: v1
kind: List
items:
- apiVersion: kwitness.dev/v1alpha1
  kind: KafkaCluster
  metadata: {name: orders}
  spec: {bootstrapServers: ['a:9092'], tls: {enabled: true}}
"""


def test_a_file_is_converted_and_what_is_not_ours_stays() -> None:
    command = [sys.executable, "-m", "kwitness.contracts.conversion"]
    done = subprocess.run(command, input=MANIFEST, capture_output=True, text=True, check=True)

    secret, cluster = yaml.safe_load_all(done.stdout)
    assert secret == {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "kwitness-tls"}}
    assert cluster["apiVersion"] == "kwitness.dev/v1beta1"
    assert cluster["spec"]["tls"] == {"mode": "Required"}
