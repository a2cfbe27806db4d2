"""Credentials and certificates of the demo, made new for each demo and kept in the cluster alone."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kwitness.demo import platform
from kwitness.demo.cluster import DemoCluster
from kwitness.e2e.certificates import Authority

USERS = ("admin", "kwitness-operator", "kwitness-collector", "kwitness-spark")
"""Users of the development Kafka; what each may do is in docs/operations/acls.md."""
CONSOLE_TLS = "kwitness-console-tls"
"""The Secret that demo/values/console.yaml names."""


@dataclass(frozen=True, kw_only=True)
class Names:
    """DNS names that certificates must hold."""

    namespace: str

    @property
    def kafka(self) -> list[str]:
        """Names by which clients reach the brokers."""
        service = f"{platform.KAFKA}.{self.namespace}.svc"
        return [service, f"*.{service}", f"{service}.cluster.local", f"*.{service}.cluster.local", "localhost"]

    @property
    def collector(self) -> list[str]:
        """Names by which brokers, operator and peers reach the collector."""
        base = f"kwitness-collector-{platform.COLLECTOR}"
        service, peers = f"{base}.{self.namespace}.svc", f"*.{base}-replicas.{self.namespace}.svc"
        return [service, peers, f"{service}.cluster.local", f"{peers}.cluster.local"]

    @property
    def console(self) -> list[str]:
        """Names by which browsers reach the console: through a forwarded port, and in the cluster."""
        return ["localhost", f"{platform.CONSOLE}.{self.namespace}.svc"]


def ensure(cluster: DemoCluster, namespace: str) -> None:
    """Make every Secret and ConfigMap of the demo that is not there yet.

    What exists is kept: a second `make demo` must not change the passwords of a running Kafka.
    """
    if cluster.find("secret", "kwitness-dev-kafka-users", namespace):
        return
    authority = Authority("kwitness demo")
    names = Names(namespace=namespace)
    kafka = authority.issue(platform.KAFKA, names.kafka)
    collector = authority.issue("kwitness-collector", names.collector)
    passwords = {user: secrets.token_urlsafe(24) for user in USERS}
    hosts = f"*.{platform.KAFKA}.{namespace}.svc.cluster.local:9096,*.{namespace}.svc:9096"
    documents = [
        secret("kwitness-dev-kafka-tls", {**_pair(kafka), "ca.crt": authority.certificate}),
        secret("kwitness-collector-tls", _pair(collector)),
        secret("kwitness-kafka-ca", {"ca.crt": authority.certificate}),
        config_map("kwitness-collector-ca", {"ca.crt": authority.certificate}),
        *[
            secret(f"kwitness-kafka-{short}", {"username": user, "password": passwords[user], "hosts": hosts})
            for short, user in (
                ("admin", "kwitness-operator"),
                ("collector", "kwitness-collector"),
                ("spark", "kwitness-spark"),
            )
        ],
        # Last: its presence means that the others are there.
        secret("kwitness-dev-kafka-users", passwords),
    ]
    for document in documents:
        cluster.apply_objects(document, namespace=namespace)


def ensure_for_console(cluster: DemoCluster, namespace: str) -> None:
    """Make the certificate of the console where there is none, with its authority beside it for those who check it."""
    if cluster.find("secret", CONSOLE_TLS, namespace):
        return
    authority = Authority("kwitness demo console")
    issued = authority.issue(platform.CONSOLE, Names(namespace=namespace).console)
    cluster.apply_objects(secret(CONSOLE_TLS, {**_pair(issued), "ca.crt": authority.certificate}), namespace=namespace)


def publish_authority(cluster: DemoCluster, namespace: str, *, to: str) -> None:
    """Let the pods of a namespace know who signs the brokers' certificates: `ca.crt` in the ConfigMap `kafka-ca`."""
    found = cluster.find("secret", "kwitness-kafka-ca", namespace)
    certificate = base64.b64decode(found["data"]["ca.crt"]).decode()
    cluster.apply_objects(config_map("kafka-ca", {"ca.crt": certificate}), namespace=to)


def secret(name: str, entries: Mapping[str, str]) -> dict[str, Any]:
    """A Secret of text entries."""
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": dict(entries)}


def config_map(name: str, entries: Mapping[str, str]) -> dict[str, Any]:
    """A ConfigMap of text entries."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": dict(entries)}


def _pair(certificate: Any) -> dict[str, str]:
    return {"tls.crt": certificate.certificate, "tls.key": certificate.key}
