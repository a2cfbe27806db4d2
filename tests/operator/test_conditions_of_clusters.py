"""A right that the operator lacks, or a topic that brokers refuse, is a condition of its own and stops nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kafka import KafkaAdminClient
from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)

from kwitness.contracts.topics import USED_TOPICS, topic_name
from kwitness.e2e.kafka.local_broker import Listener, LocalBroker

from tests.eventually import eventually
from tests.operator.surroundings import apply, cluster, collector, condition, get, secret, subscription, until_reason

pytestmark = pytest.mark.broker
PRINCIPAL = "User:alice"


@pytest.fixture
def grant(broker: LocalBroker) -> Iterator[Callable[[str], None]]:
    """Let alice describe topics that begin so, until the test ends."""
    client = KafkaAdminClient(bootstrap_servers=broker.bootstrap, client_id="test")

    def give(prefix: str) -> None:
        pattern = ResourcePattern(ResourceType.TOPIC, prefix, ACLResourcePatternType.PREFIXED)
        client.create_acls([ACL(PRINCIPAL, "*", ACLOperation.DESCRIBE, ACLPermissionType.ALLOW, pattern)])

    yield give
    anything = ResourcePatternFilter(ResourceType.TOPIC, None, ACLResourcePatternType.ANY)
    client.delete_acls([ACLFilter(PRINCIPAL, None, ACLOperation.ANY, ACLPermissionType.ANY, anything)])
    client.close()


@pytest.fixture
def as_alice(api, namespace, broker, allow) -> Callable[..., dict[str, Any]]:
    """A KafkaCluster whose user has no right but to sign in."""
    allow("kwitness-alice", "kwitness-ca")
    address = broker.bootstrap_of(Listener.SASL_SSL_PLAIN)
    apply(
        api,
        secret("kwitness-alice", namespace, username="alice", password="alice-secret", hosts=address),
        secret("kwitness-ca", namespace, ca_crt=broker.certificates.ca_file.read_text()),
    )
    signed_in = {
        "tls": {"mode": "Required", "caSecretRef": {"name": "kwitness-ca"}},
        "authentication": {"type": "plain", "secretRef": {"name": "kwitness-alice"}},
    }
    return lambda **spec: cluster("main", namespace, address, **signed_in, **spec)


def _topics(broker: LocalBroker) -> set[str]:
    client = KafkaAdminClient(bootstrap_servers=broker.bootstrap, client_id="test")
    try:
        return set(client.list_topics())
    finally:
        client.close()


def test_a_user_without_rights_is_connected_and_each_right_is_missed_where_it_is_needed(
    api, namespace, clean_broker, as_alice, start_operator
):
    apply(
        api,
        as_alice(topics={"prefix": f"{namespace}."}),
        collector("main", namespace),
        subscription("basic", namespace),
    )
    start_operator()
    until_reason(api, "kfc", "main", namespace, "Connected")
    status = get(api, "kfc", "main", namespace)["status"]
    said = {one["type"]: (one["status"], one["reason"]) for one in status["conditions"]}
    assert said.pop("InventoryAvailable")[0] == "False"
    assert said == {
        "Ready": ("True", "Connected"),
        "TopicsReady": ("Unknown", "TopicsHidden"),
        "TelemetryCapable": ("False", "OnNoBroker"),
        "SubscriptionsPossible": ("False", "SubscriptionsForbidden"),
    }
    assert "alice" not in json.dumps(status)
    assert status["clusterId"] == clean_broker.cluster_id
    until_reason(api, "kcms", "basic", namespace, "Forbidden")
    # The collector takes plain OTLP and observers' reports whether or not brokers take subscriptions.
    until_reason(api, "ktc", "main", namespace, "Progressing")
    assert not [name for name in _topics(clean_broker) if name.startswith(namespace)]


@pytest.mark.parametrize("resync_seconds", [2.0])
def test_topics_that_may_be_seen_and_not_made_are_named_and_can_be_made_by_hand(
    api, broker, as_alice, grant, start_operator
):
    namespace = as_alice()["metadata"]["namespace"]
    prefix = f"{namespace}."
    grant(prefix)
    apply(api, as_alice(topics={"prefix": prefix}))
    start_operator()
    names = [topic_name(prefix, topic.name) for topic in USED_TOPICS]

    found = eventually(
        lambda: condition(api, "kfc", "main", namespace, "TopicsReady"), lambda one: one["reason"] == "TopicsMissing"
    )

    assert found["status"] == "False"
    assert [name for name in names if f"{name} (" not in found["message"]] == []
    assert "grant CREATE" in found["message"]
    until_reason(api, "kfc", "main", namespace, "Connected")
    client = KafkaAdminClient(bootstrap_servers=broker.bootstrap, client_id="test")
    client.create_topics({name: {"num_partitions": 1, "replication_factor": 1} for name in names})
    client.close()
    eventually(lambda: condition(api, "kfc", "main", namespace, "TopicsReady")["reason"] == "TopicsPresent")


def test_topics_that_the_brokers_refuse_stop_no_subscription(api, namespace, clean_broker, start_operator):
    topics = {"prefix": f"{namespace}.", "onCreate": {"replicationFactor": 3}}
    apply(api, cluster("main", namespace, clean_broker.bootstrap, topics=topics), subscription("basic", namespace))
    start_operator()
    until_reason(api, "kcms", "basic", namespace, "Applied")
    until_reason(api, "kfc", "main", namespace, "Connected")
    found = condition(api, "kfc", "main", namespace, "TopicsReady")
    assert (found["status"], found["reason"]) == ("False", "TopicsRefused")
    assert f"{namespace}.telemetry" in found["message"]
    assert "spec.topics.onCreate.replicationFactor" in found["message"]


def test_what_is_not_known_of_a_cluster_out_of_reach_is_called_unknown(api, namespace, start_operator):
    apply(api, cluster("main", namespace, "127.0.0.1:9"))
    start_operator()
    until_reason(api, "kfc", "main", namespace, "Unreachable")
    for about in ("TopicsReady", "TelemetryCapable", "SubscriptionsPossible"):
        found = condition(api, "kfc", "main", namespace, about)
        assert (found["status"], found["reason"]) == ("Unknown", "NotReached")
