"""A gateway that ends TLS of clients and begins its own to the brokers, with SASL through both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kwitness.demo import up
from kwitness.demo.platform import NAMESPACE, Platform
from kwitness.demo.toolbox import Toolbox
from kwitness.e2e.certificates import Authority, Certificate

from tests.e2e import gateway_client, kafka_users, subscriptions, topic_records
from tests.e2e.eventually import eventually
from tests.e2e.gateway_client import KIND
from tests.e2e.kafka_users import ADMIN

pytestmark = pytest.mark.needs(up.collector)

NAME = "edge"
HOST = f"kwitness-gateway-{NAME}.{NAMESPACE}.svc"
SECRET = "kwitness-edge-tls"  # its name
SHOWN = "import ssl, sys; print(ssl.get_server_certificate((sys.argv[1], 9092), timeout=10))"


def secret(certificate: Certificate) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": SECRET},
        "type": "kubernetes.io/tls",
        "stringData": {"tls.crt": certificate.certificate, "tls.key": certificate.key},
    }


@pytest.fixture
def authority(platform: Platform) -> Iterator[Authority]:
    """A gateway before the cluster's own listener, which wants TLS and SCRAM; gives who signed its certificate."""
    authority = Authority("gateways of the test")
    gateway = {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "ObserverDeployment",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "spec": {
            "clusterRef": {"name": "demo"},
            "observers": [{"type": "Connections"}, {"type": "Traffic"}],
            "gateway": {"replicas": 1, "tls": {"secretRef": {"name": SECRET}}},
        },
    }
    platform.cluster.apply_objects(secret(authority.issue("gateway", (HOST,))), namespace=NAMESPACE)
    try:
        with subscriptions.applied(platform, gateway):
            yield authority
    finally:
        platform.cluster.delete("secret", SECRET, namespace=NAMESPACE)


def admin(platform: Platform, authority: Authority) -> dict[str, str]:
    """librdkafka's settings of the brokers' administrator, who trusts the gateway's authority alone."""
    return {
        "security.protocol": "SASL_SSL",
        "sasl.mechanisms": "SCRAM-SHA-512",
        "sasl.username": ADMIN,
        "sasl.password": kafka_users.password_of(platform),
        "ssl.ca.pem": authority.certificate,
    }


def pods(platform: Platform) -> set[tuple[str, int]]:
    """The gateway's pods, and how often each was started again."""
    found = platform.cluster.pods(
        NAMESPACE, f"app.kubernetes.io/name=kwitness-gateway,app.kubernetes.io/instance={NAME}"
    )
    return {
        (pod["metadata"]["name"], one["restartCount"]) for pod in found for one in pod["status"]["containerStatuses"]
    }


def test_a_gateway_with_a_certificate_relays_tls_and_sasl_and_takes_a_new_one_without_a_restart(
    platform: Platform, toolbox: Toolbox, authority: Authority
) -> None:
    def status() -> dict[str, Any]:
        return dict(subscriptions.found(platform, NAME, KIND).get("status") or {})

    def shown() -> str:
        return toolbox.cluster.kubectl(
            *("exec", "toolbox", "--namespace", toolbox.namespace, "--", "python3", "-c", SHOWN, HOST)
        ).strip()

    told = eventually(status, lambda now: now.get("readyReplicas") == 1)
    assert told["securityProtocol"] == "SASL_SSL"
    security = admin(platform, authority)
    done = gateway_client.through(NAME, platform, toolbox, client_id="e2e-gateway-tls", records=200, security=security)

    assert {broker.partition(":")[0] for broker in done["brokers"]} == {HOST}

    def rows(topic: str) -> list[dict[str, Any]]:
        found = topic_records.of_clients(toolbox, f"kwitness.{topic}", "e2e-gateway-tls")
        return [row for row in (json.loads(one.value) for one in found) if row.get("api") in (None, "Produce")]

    def produced() -> int:
        return sum(row["records"] for row in rows("traffic") if row["kind"] == "partition")

    eventually(produced, lambda now: now == 200, every=5)
    assert {row["principal"] for row in rows("traffic")} == {f"User:{ADMIN}"}
    opened = [row for row in rows("connections") if row["kind"] == "opened"]
    assert {row["security_protocol"] for row in opened} == {"SASL_SSL"}

    before = pods(platform)
    renewed = Authority("their successor")
    issued = renewed.issue("gateway", (HOST,))
    platform.cluster.apply_objects(secret(issued), namespace=NAMESPACE)
    # As long as the kubelet takes to bring a pod a changed Secret.
    eventually(shown, lambda now: now == issued.certificate.strip(), still_s=180, every=3)
    security = admin(platform, renewed)
    gateway_client.through(NAME, platform, toolbox, client_id="e2e-gateway-renewed", records=10, security=security)
    assert pods(platform) == before
