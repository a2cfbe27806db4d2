"""Classes that an observer host calls for what clients of a gateway ask and are answered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from kwitness.contracts.endpoints import PROBE_PORT
from kwitness.demo import secrets, up, waiting
from kwitness.demo.platform import CLUSTER, NAMESPACE, Platform
from kwitness.demo.toolbox import Toolbox

from tests.e2e import client_listeners, gateway_client, kafka_users, subscriptions
from tests.e2e.eventually import eventually
from tests.e2e.gateway_client import KIND, TOPIC

pytestmark = pytest.mark.needs(up.collector)

NAME = "hosted"
CLIENT, RECORDS = "e2e-hosted", 50
PRINCIPAL = f"User:{kafka_users.ADMIN}"
EXAMPLES = "kwitness.observer.examples"
SECRET = "kwitness-test-host"  # its name

RESOURCE: Final[dict[str, Any]] = {
    "apiVersion": "kwitness.dev/v1beta1",
    "kind": "ObserverDeployment",
    "metadata": {"name": NAME, "namespace": NAMESPACE},
    "spec": {
        "clusterRef": {"name": CLUSTER},
        "listenerRef": {"name": client_listeners.SIGNED_IN["name"]},
        "gateway": {"replicas": 1},
        "observers": [{"type": "Requests", "apis": ["Produce"]}],
        "window": "1s",
        "host": {
            "observers": [
                {"name": "audit", "className": f"{EXAMPLES}.audit_log.AuditLog", "config": {"apis": "Produce"}},
                {"name": "traffic", "className": f"{EXAMPLES}.traffic_metrics.TrafficMetrics"},
            ],
            "authentication": {"type": "scram-sha-512", "secretRef": {"name": SECRET}},
        },
    },
}


@pytest.fixture
def hosted(platform: Platform) -> Iterator[None]:
    """A gateway that tells every request, and a host that calls the two shipped classes."""
    user = {
        "username": kafka_users.ADMIN,
        "password": kafka_users.password_of(platform),
        "hosts": f"*.{NAMESPACE}.svc:9096",
    }
    platform.cluster.apply_objects(secrets.secret(SECRET, user), namespace=NAMESPACE)
    try:
        with (
            client_listeners.named(platform, client_listeners.SIGNED_IN),
            subscriptions.applied(platform, RESOURCE),
        ):
            subscriptions.reason_becomes(platform, NAME, "Available", KIND)
            yield
    finally:
        platform.cluster.delete("secret", SECRET, namespace=NAMESPACE)


def audited(platform: Platform) -> list[dict[str, Any]]:
    """What the class AuditLog wrote."""
    at = (f"deployment/kwitness-host-{NAME}", f"--namespace={NAMESPACE}", "--container=host")
    lines = platform.cluster.kubectl("logs", *at, "--tail=-1").splitlines()
    return [json.loads(line) for line in lines if line.startswith('{"audit"')]


def requests_of_the_client(platform: Platform) -> list[dict[str, Any]]:
    return [one for one in audited(platform) if one["audit"] == "request" and one.get("client_id") == CLIENT]


def counted(platform: Platform) -> float:
    """Records of the topic that the class TrafficMetrics has on the host's page of metrics."""
    [pod] = platform.cluster.pods(
        NAMESPACE, f"app.kubernetes.io/name=kwitness-observer-host,app.kubernetes.io/instance={NAME}"
    )
    path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod['metadata']['name']}:{PROBE_PORT}/proxy/metrics"
    samples = re.findall(
        r"^kafka_observed_records_total\{(.*)\} (\S+)$", platform.cluster.kubectl("get", "--raw", path), re.MULTILINE
    )
    wanted = {'api="Produce"', f'topic="{TOPIC}"', f'principal="{PRINCIPAL}"'}
    return sum(float(value) for labels, value in samples if wanted == set(labels.split(",")))


@pytest.mark.usefixtures("hosted")
def test_a_class_is_called_for_what_a_client_asks_and_is_answered(platform: Platform, toolbox: Toolbox) -> None:
    def hosting() -> dict[str, Any]:
        return waiting.condition(subscriptions.found(platform, NAME, KIND), "Hosting") or {}

    told = eventually(hosting, lambda now: now.get("status") == "True")
    assert told["reason"] == "ObserversCalled"
    assert subscriptions.found(platform, NAME, KIND)["status"]["hostReplicas"] == 1

    security = kafka_users.signing_in(platform)
    gateway_client.through(NAME, platform, toolbox, client_id=CLIENT, records=RECORDS, security=security)

    eventually(lambda: counted(platform), lambda now: now >= RECORDS)
    asked = eventually(lambda: requests_of_the_client(platform))
    assert {(one["principal"], *one["topics"]) for one in asked} == {(PRINCIPAL, TOPIC)}

    def unanswered() -> set[str]:
        lines = audited(platform)
        answered = {one["correlation_id"] for one in lines if one["audit"] == "response"}
        return {one["correlation_id"] for one in asked} - answered

    eventually(unanswered, lambda left: not left)
