"""A cluster that cannot be used: each cause has a reason of its own, and says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kwitness.demo import secrets, up
from kwitness.demo.platform import KAFKA, NAMESPACE, Platform
from kwitness.e2e.certificates import Authority

from tests.e2e import subscriptions

# Each cause is provoked; the Kafka library logs what the operator turns into a reason.
pytestmark = [pytest.mark.needs(up.broker), pytest.mark.expects_log(r'"logger": "kafka[.]')]

KIND = "kafkacluster"
SERVICE = f"{KAFKA}.{NAMESPACE}.svc"
SCRAM = {"type": "scram-sha-512", "secretRef": {"name": "kwitness-kafka-admin"}}
TLS = {"mode": "Required", "caSecretRef": {"name": "kwitness-kafka-ca"}}


@contextmanager
def connected(platform: Platform, name: str, spec: dict[str, Any]) -> Iterator[str]:
    document = {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "KafkaCluster",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": spec,
    }
    platform.cluster.apply_objects(document)
    try:
        yield name
    finally:
        platform.cluster.delete(KIND, name, namespace=NAMESPACE)


@contextmanager
def secret(platform: Platform, name: str, entries: dict[str, str]) -> Iterator[None]:
    platform.cluster.apply_objects(secrets.secret(name, entries), namespace=NAMESPACE)
    try:
        yield
    finally:
        platform.cluster.delete("secret", name, namespace=NAMESPACE)


# These Secrets are named in demo/values.yaml, so that the operator may read them.
WRONG_PASSWORD, OTHER_CA, LIMITED, NO_HOSTS, UNNAMED = (
    "kwitness-test-wrong-password",
    "kwitness-test-other-ca",
    "kwitness-kafka-spark",
    "kwitness-test-no-hosts",
    "kwitness-test-not-granted",
)


@pytest.mark.parametrize(
    ("reason", "servers", "tls", "authentication"),
    [
        pytest.param("Unreachable", ["nowhere.invalid:9092"], {}, {"type": "none"}, id="no such host"),
        pytest.param(
            "TlsFailed",
            [f"{SERVICE}:9096"],
            {**TLS, "caSecretRef": {"name": OTHER_CA}},
            SCRAM,
            id="wrong CA",
        ),
        pytest.param("TlsFailed", [f"{SERVICE}:9092"], TLS, {"type": "none"}, id="plaintext where TLS is expected"),
        pytest.param(
            "AuthenticationFailed",
            [f"{SERVICE}:9096"],
            TLS,
            {"type": "scram-sha-512", "secretRef": {"name": WRONG_PASSWORD}},
            id="wrong password",
        ),
        pytest.param(
            "HostNotAllowed",
            [f"{SERVICE}:9096"],
            TLS,
            {"type": "scram-sha-512", "secretRef": {"name": NO_HOSTS}},
            id="a password that may not be sent there",
        ),
        pytest.param(
            "SecretForbidden",
            [f"{SERVICE}:9096"],
            TLS,
            {"type": "scram-sha-512", "secretRef": {"name": UNNAMED}},
            id="a Secret that no Role names",
        ),
    ],
)
def test_each_cause_has_its_own_reason(
    platform: Platform, reason: str, servers: list[str], tls: dict[str, Any], authentication: dict[str, Any]
) -> None:
    hosts = f"*.{NAMESPACE}.svc:9096"
    with (
        secret(platform, WRONG_PASSWORD, {"username": "kwitness-operator", "password": "wrong", "hosts": hosts}),
        secret(platform, OTHER_CA, {"ca.crt": Authority("another").certificate}),
        secret(platform, NO_HOSTS, {"username": "u", "password": "p", "hosts": "elsewhere.example.org:9096"}),
        secret(platform, UNNAMED, {"username": "u", "password": "p", "hosts": hosts}),
        connected(
            platform, "broken", {"bootstrapServers": servers, "tls": tls, "authentication": authentication}
        ) as name,
    ):
        condition = subscriptions.reason_becomes(platform, name, reason, KIND)

    assert condition["status"] == "False"
    assert len(condition["message"]) > 20  # says what to do, not only what is
    assert "wrong" not in condition["message"].split()


def test_a_missing_right_in_kafka_is_a_condition_of_its_own(platform: Platform) -> None:
    limited = {"type": "scram-sha-512", "secretRef": {"name": LIMITED}}
    spec = {"bootstrapServers": [f"{SERVICE}:9096"], "tls": TLS, "authentication": limited}

    with connected(platform, "limited", spec) as name:
        subscriptions.reason_becomes(platform, name, "Connected", KIND)
        found = platform.cluster.get(KIND, name, f"--namespace={NAMESPACE}")["status"]["conditions"]

    possible = next(one for one in found if one["type"] == "SubscriptionsPossible")
    assert (possible["status"], possible["reason"]) == ("False", "SubscriptionsForbidden")


def test_a_subscription_to_a_cluster_that_is_not_ready_says_so_and_is_applied_once_it_is(platform: Platform) -> None:
    # That cluster has no TelemetryCollector to say who is connected, so the risk is taken.
    prefixes = ["org.apache.kafka.producer.connection.creation."]
    document = subscriptions.manifest("early", prefixes, cluster="later")

    with subscriptions.applied(platform, document) as name:
        subscriptions.reason_becomes(platform, name, "ClusterNotReady")
        servers = [f"{SERVICE}:9096"]
        spec = {"bootstrapServers": servers, "tls": TLS, "authentication": SCRAM, "riskPolicy": "Apply"}
        with connected(platform, "later", spec):
            condition = subscriptions.reason_becomes(platform, name, "Applied")
            platform.cluster.delete(subscriptions.KIND, name, namespace=NAMESPACE)

    assert condition["status"] == "True"
