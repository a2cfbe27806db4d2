"""Credentials: read by name and only where a Role allows it, sent to listed hosts only, and never shown."""

from __future__ import annotations

import pytest
import yaml

from kwitness.e2e.kafka.local_broker import Listener

from tests.eventually import eventually
from tests.operator.surroundings import apply, cluster, condition, ready, secret, until_reason

pytestmark = pytest.mark.broker


@pytest.fixture
def credentials(api, namespace, broker):
    """Apply an administrator's Secrets for the listener with TLS and SASL PLAIN; returns its address and the spec."""
    address = broker.bootstrap_of(Listener.SASL_SSL_PLAIN)
    apply(
        api,
        secret("kwitness-admin", namespace, username="admin", password="admin-secret", hosts=address),
        secret("kwitness-ca", namespace, ca_crt=broker.certificates.ca_file.read_text()),
        secret("kwitness-other-ca", namespace, ca_crt=broker.certificates.other_ca_file.read_text()),
    )
    return address, {
        "tls": {"mode": "Required", "caSecretRef": {"name": "kwitness-ca"}},
        "authentication": {"type": "plain", "secretRef": {"name": "kwitness-admin"}},
    }


def test_the_role_in_the_message_is_the_one_that_is_missing(api, namespace, credentials, start_operator):
    address, spec = credentials
    apply(api, cluster("main", namespace, address, **spec))
    operator = start_operator(serviceAccount="operator")
    for name in ("kwitness-admin", "kwitness-ca"):

        def names_it(name: str = name) -> bool:
            found = ready(api, "kfc", "main", namespace)
            return found["reason"] == "SecretForbidden" and name in found["message"]

        eventually(names_it)
        message = ready(api, "kfc", "main", namespace)["message"]
        objects = list(yaml.safe_load_all(message.partition("Apply:\n")[2]))
        assert objects[0]["rules"] == [
            {"apiGroups": [""], "resources": ["secrets"], "resourceNames": [name], "verbs": ["get"]}
        ]
        # The operator of the tests signs in as a user, not as a service account.
        user = {"kind": "User", "name": "operator", "apiGroup": "rbac.authorization.k8s.io"}
        objects[1]["subjects"] = [user]
        apply(api, *objects)
    until_reason(api, "kfc", "main", namespace, "Connected")
    assert "admin-secret" not in operator.log_file.read_text()


def test_each_way_to_fail_has_its_own_reason(api, namespace, credentials, allow, start_operator):
    allow("kwitness-admin", "kwitness-ca", "kwitness-wrong", "kwitness-other-ca", "kwitness-hostless")
    address, spec = credentials
    apply(
        api,
        secret("kwitness-wrong", namespace, username="admin", password="canary", hosts=address),
        secret("kwitness-hostless", namespace, username="admin", password="canary"),
    )

    def with_secret(name: str) -> dict:
        return {**spec, "authentication": {"type": "plain", "secretRef": {"name": name}}}

    cases = {
        "good": (cluster("good", namespace, address, **spec), "Connected"),
        "password": (cluster("password", namespace, address, **with_secret("kwitness-wrong")), "AuthenticationFailed"),
        "hostless": (cluster("hostless", namespace, address, **with_secret("kwitness-hostless")), "HostNotAllowed"),
        "elsewhere": (cluster("elsewhere", namespace, "127.0.0.1:9", **spec), "HostNotAllowed"),
        "nobody": (cluster("nobody", namespace, "127.0.0.1:9"), "Unreachable"),
        "authority": (
            cluster(
                "authority",
                namespace,
                address,
                **{**spec, "tls": {"mode": "Required", "caSecretRef": {"name": "kwitness-other-ca"}}},
            ),
            "TlsFailed",
        ),
    }
    apply(api, *(body for body, _ in cases.values()))
    operator = start_operator(resyncSeconds=60)
    messages = {name: until_reason(api, "kfc", name, namespace, reason) for name, (_, reason) in cases.items()}
    assert not any("canary" in message for message in messages.values())
    assert "canary" not in operator.log_file.read_text()
    assert "canary" not in operator.probe("/metrics")[1]


def test_a_corrected_secret_is_noticed_without_touching_the_cluster(api, namespace, credentials, allow, start_operator):
    allow("kwitness-admin", "kwitness-ca")
    address, spec = credentials
    apply(api, secret("kwitness-admin", namespace, username="admin", password="wrong", hosts=address))
    apply(api, cluster("main", namespace, address, **spec))
    start_operator(resyncSeconds=600)
    until_reason(api, "kfc", "main", namespace, "AuthenticationFailed")
    apply(api, secret("kwitness-admin", namespace, username="admin", password="wrong", hosts="elsewhere:9092"))
    until_reason(api, "kfc", "main", namespace, "HostNotAllowed")
    apply(api, secret("kwitness-admin", namespace, username="admin", password="admin-secret", hosts=address))
    until_reason(api, "kfc", "main", namespace, "Connected")


def test_mutual_tls_connects_with_the_certificate_of_the_secret(api, namespace, broker, allow, start_operator):
    allow("kwitness-client", "kwitness-ca")
    address = broker.bootstrap_of(Listener.MTLS)
    certificates = broker.certificates
    apply(
        api,
        secret("kwitness-ca", namespace, ca_crt=certificates.ca_file.read_text()),
        secret(
            "kwitness-client",
            namespace,
            tls_crt=certificates.client_certificate.read_text(),
            tls_key=certificates.client_key.read_text(),
            hosts=address,
        ),
        cluster(
            "main",
            namespace,
            address,
            tls={
                "mode": "Required",
                "caSecretRef": {"name": "kwitness-ca"},
                "clientCertificateSecretRef": {"name": "kwitness-client"},
            },
            authentication={"type": "mtls"},
        ),
    )
    start_operator()
    # Let in by its certificate, whose principal has no rights here.
    until_reason(api, "kfc", "main", namespace, "Connected")
    lacks = condition(api, "kfc", "main", namespace, "SubscriptionsPossible")
    assert (lacks["reason"], "DESCRIBE_CONFIGS" in lacks["message"]) == ("SubscriptionsForbidden", True)
