"""KafkaUsers, KafkaTopics and namespaces name owners, on a real API server with Strimzi's definitions."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.strimzi import RELEASES, definitions, find_java

from tests.eventually import eventually
from tests.operator.conftest import at_the_resync
from tests.operator.granted import granted
from tests.operator.surroundings import apply, cluster, collector, condition, get, until_reason

pytestmark = pytest.mark.broker
SENDERS = {"tls": {"mode": "Disabled"}, "senders": [{"serviceAccount": "kafka", "source": "Plugin"}]}


def declared(kind: str, name: str, namespace: str, team: str, of: str = "orders", **spec: Any) -> dict[str, Any]:
    labels = {"strimzi.io/cluster": of, "kwitness.dev/owner": team}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "kafka.strimzi.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def file_of(api: ApiServer, namespace: str) -> dict[str, Any]:
    return get(api, "cm", "kwitness-collector-main", namespace)


def entries(api: ApiServer, namespace: str) -> list[tuple[str, str, dict[str, str]]]:
    """Return source, team and match of each entry that the collector reads."""
    owners = json.loads(file_of(api, namespace)["data"]["owners.json"])["owners"]
    return [(entry["source"], entry["team"], entry["match"]) for entry in owners]


def missing(api: ApiServer, namespace: str) -> str:
    """Return the warning of the KafkaCluster."""
    warnings = get(api, "kfc", "main", namespace).get("status", {}).get("warnings", [])
    return next((warning["message"] for warning in warnings if warning["type"] == "OwnersIncomplete"), "")


@at_the_resync
def test_users_topics_and_namespaces_name_owners_once_they_can_be_read(api, namespace, broker, start_operator):
    sources = {"strimzi": {"cluster": "orders", "namespaces": [namespace]}, "namespaces": {}}
    apply(
        api,
        cluster("main", namespace, broker.bootstrap, owners=sources),
        collector("main", namespace, ingest=SENDERS),
    )
    api.kubectl("label", "namespace", namespace, "kwitness.dev/owner=shop")
    of_namespace = ("Namespace", "shop", {"namespace": namespace})
    start_operator()
    until_reason(api, "ktc", "main", namespace, "Progressing")

    # No later source answers in place of one that may not be read.
    eventually(lambda: "owners.strimziNamespaces" in missing(api, namespace))
    assert entries(api, namespace) == []

    apply(api, *granted(namespace, owners={"strimziNamespaces": [namespace]}))
    eventually(lambda: "has no kind KafkaUser" in missing(api, namespace))
    eventually(lambda: entries(api, namespace), lambda found: found == [of_namespace])

    java = find_java(RELEASES[0].java)
    assert java is not None
    api.define(definitions(RELEASES[0], java))
    apply(
        api,
        declared("KafkaUser", "writer", namespace, "orders", authentication={"type": "scram-sha-512"}),
        declared("KafkaUser", "signed", namespace, "orders", authentication={"type": "tls"}),
        declared("KafkaUser", "elsewhere", namespace, "other", "payments"),
        declared("KafkaTopic", "orders-new", namespace, "orders", topicName="Orders_New"),
    )
    expected = [
        ("KafkaUser", "orders", {"principal": "User:CN=signed"}),
        ("KafkaUser", "orders", {"principal": "User:writer"}),
        ("KafkaTopic", "orders", {"topic": "Orders_New"}),
        of_namespace,
    ]
    assert eventually(lambda: entries(api, namespace), lambda found: found == expected) == expected
    eventually(lambda: missing(api, namespace) == "")
    known = "4 entries (KafkaUser 2, KafkaTopic 1, Namespace 1)"
    eventually(lambda: condition(api, "ktc", "main", namespace, "OwnersKnown")["message"] == known)

    version = file_of(api, namespace)["metadata"]["resourceVersion"]
    time.sleep(3)  # several resyncs, each of which reads all of it again
    assert file_of(api, namespace)["metadata"]["resourceVersion"] == version
