"""How a pod of ours connects to Kafka: its configuration, and the Secrets that are mounted for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from kwitness.contracts.kafka_connection import KafkaAuthentication, KafkaConnection
from kwitness.contracts.resources.connection import Authentication, ClientTls
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.sasl import MECHANISMS
from kwitness.operator.desired.pods import credential_volume, secret_volume
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.settings import CredentialSettings

__all__ = ["SECRETS", "KafkaClientFiles", "kafka_client_files"]

SECRETS: Final = "/etc/kwitness/secrets"


@dataclass(slots=True)
class KafkaClientFiles:
    """The configuration, and the volumes and mounts that its paths point into."""

    connection: KafkaConnection
    volumes: list[dict[str, Any]] = field(default_factory=list)

    @property
    def mounts(self) -> list[dict[str, Any]]:
        """One mount per volume, below `SECRETS`."""
        return [
            {"name": volume["name"], "mountPath": f"{SECRETS}/{volume['name']}", "readOnly": True}
            for volume in self.volumes
        ]


def kafka_client_files(
    cluster: KafkaCluster,
    namespace: str,
    authentication: Authentication,
    tls: ClientTls,
    credentials: CredentialSettings,
    *,
    prefix: str = "kafka",
) -> KafkaClientFiles:
    """Decide how a pod in ``namespace`` connects, with its own credential and never the cluster's.

    ``prefix`` is what names of volumes begin with.

    Raises
    ------
    TerminalError
        HostNotAllowed: a password would travel unencrypted without the cluster's consent.
    """
    volumes: list[dict[str, Any]] = []
    kind = authentication.type
    encrypted = cluster.spec.tls.mode == "Required"
    if kind in MECHANISMS and not encrypted and not cluster.spec.authentication.insecure_plaintext:
        raise TerminalError(
            "HostNotAllowed",
            f"KafkaCluster {cluster.metadata.name} speaks no TLS, so a password would travel unencrypted: set its"
            " spec.tls.mode to Required, or accept it by its spec.authentication.insecurePlaintext: true",
        )
    files: dict[str, str | None] = {}
    if kind in MECHANISMS and authentication.secret_ref is not None:
        login = authentication.secret_ref
        keys = {"username": login.keys.username, "password": login.keys.password}
        if authentication.username is not None:
            del keys["username"]
        volumes.append(credential_volume(f"{prefix}-auth", login.name, keys))
        files = {f"{file}_file": f"{SECRETS}/{prefix}-auth/{file}" for file in (*keys, "hosts")}
        files.update(username=authentication.username, hosts=credentials.hosts_of(namespace, login.name))
    authority = tls.ca_secret_ref
    if authority is None and cluster.metadata.namespace == namespace:
        authority = cluster.spec.tls.ca_secret_ref
    if encrypted and authority is not None:
        volumes.append(secret_volume(f"{prefix}-ca", authority.name, "ca.crt"))
    certificate = tls.client_certificate_secret_ref if kind == "mtls" else None
    if encrypted and certificate is not None:
        keys = {"tls.crt": certificate.keys.certificate, "tls.key": certificate.keys.key}
        volumes.append(credential_volume(f"{prefix}-client", certificate.name, keys))
        files.update(
            hosts_file=f"{SECRETS}/{prefix}-client/hosts", hosts=credentials.hosts_of(namespace, certificate.name)
        )
    names = {volume["name"] for volume in volumes}
    return KafkaClientFiles(
        KafkaConnection(
            bootstrap_servers=cluster.spec.bootstrap_servers,
            tls=encrypted,
            ca_file=f"{SECRETS}/{prefix}-ca/ca.crt" if f"{prefix}-ca" in names else None,
            certificate_file=f"{SECRETS}/{prefix}-client/tls.crt" if f"{prefix}-client" in names else None,
            key_file=f"{SECRETS}/{prefix}-client/tls.key" if f"{prefix}-client" in names else None,
            authentication=KafkaAuthentication(type=kind, **files),
        ),
        volumes,
    )
