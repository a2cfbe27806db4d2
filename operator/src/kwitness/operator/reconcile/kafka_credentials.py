"""From a KafkaCluster and its Secrets to a connection; Secrets are read by name and only where a Role allows it."""

from __future__ import annotations

import base64
import binascii
from typing import Final, Literal, cast

from kwitness.contracts.allowed_hosts import AllowedHosts, MalformedHostsError
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.references import SecretRef
from kwitness.operator.adapters.kafka_connection import KafkaConnection, SaslLogin, TlsMaterial
from kwitness.operator.context import Context
from kwitness.operator.model.errors import TerminalError, TransientError

__all__ = ["connection_of"]

_MECHANISMS: Final = {"plain": "PLAIN", "scram-sha-256": "SCRAM-SHA-256", "scram-sha-512": "SCRAM-SHA-512"}


async def connection_of(context: Context, cluster: KafkaCluster) -> KafkaConnection:
    """Read what the operator needs to connect as itself.

    Raises
    ------
    TerminalError
        Unsupported.
    TransientError
        SecretForbidden, SecretNotFound, HostNotAllowed: nobody watches Secrets and Roles, so they are looked at again.
    """
    spec, namespace = cluster.spec, cluster.metadata.namespace
    kind = spec.authentication.type
    if kind not in {"none", "mtls", *_MECHANISMS}:
        raise TerminalError("Unsupported", f"spec.authentication.type {kind} is reserved: use plain, scram or mtls")
    allowed: list[AllowedHosts] = []
    login: SaslLogin | None = None
    if kind in _MECHANISMS and spec.authentication.secret_ref is not None:
        secret = await _read(context, namespace, spec.authentication.secret_ref, ("username", "password"))
        allowed.append(_hosts(secret, spec.authentication.secret_ref.name))
        mechanism = cast("Literal['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']", _MECHANISMS[kind])
        login = SaslLogin(mechanism, secret["username"].rstrip("\n"), secret["password"].rstrip("\n"))
    tls: TlsMaterial | None = None
    if spec.tls.enabled:
        ca_certificates = certificate = key = None
        if spec.tls.ca_secret_ref is not None:
            ca_certificates = (await _read(context, namespace, spec.tls.ca_secret_ref, ("ca.crt",)))["ca.crt"]
        if spec.tls.client_certificate_secret_ref is not None:
            reference = spec.tls.client_certificate_secret_ref
            secret = await _read(context, namespace, reference, ("tls.crt", "tls.key"))
            allowed.append(_hosts(secret, reference.name))
            certificate, key = secret["tls.crt"], secret["tls.key"]
        tls = TlsMaterial(ca_certificates, certificate, key)
    return KafkaConnection(
        bootstrap_servers=spec.bootstrap_servers,
        client_id=f"kwitness-operator-{context.installation}",
        tls=tls,
        login=login,
        allowed_hosts=tuple(allowed),
    )


async def _read(context: Context, namespace: str, reference: SecretRef, keys: tuple[str, ...]) -> dict[str, str]:
    try:
        secret = await context.kubernetes.get("Secret", namespace, reference.name)
    except TransientError as error:
        if error.reason == "KubernetesForbidden":
            raise TransientError("SecretForbidden", _role(context, namespace, reference.name)) from error
        raise
    if secret is None:
        raise TransientError(
            "SecretNotFound", f"there is no Secret {reference.name}: create it with the keys {', '.join(keys)}"
        )
    data: dict[str, str] = {}
    for key, value in (secret.get("data") or {}).items():
        try:
            data[key] = base64.b64decode(value).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    missing = [key for key in keys if not data.get(key)]
    if missing:
        raise TransientError("SecretNotFound", f"Secret {reference.name} lacks {', '.join(missing)}: add it as text")
    return data


def _hosts(secret: dict[str, str], name: str) -> AllowedHosts:
    try:
        hosts = AllowedHosts.parse(secret.get("hosts", ""))
    except MalformedHostsError as error:
        raise TransientError("HostNotAllowed", f"Secret {name}: {error}") from error
    if not hosts.entries:
        raise TransientError(
            "HostNotAllowed",
            f"Secret {name} has no key hosts, so its credential is sent nowhere: add hosts with the brokers' addresses,"
            " each host:port or *.suffix:port, between commas or line breaks",
        )
    return hosts


def _role(context: Context, namespace: str, secret: str) -> str:
    account, home = context.settings.service_account, context.settings.namespace
    return (
        f"the operator may not read Secret {secret}; it reads none unless a Role names it. Apply:\n"
        "apiVersion: rbac.authorization.k8s.io/v1\n"
        "kind: Role\n"
        f"metadata: {{name: kwitness-read-{secret}, namespace: {namespace}}}\n"
        "rules:\n"
        f'- {{apiGroups: [""], resources: [secrets], resourceNames: [{secret}], verbs: [get]}}\n'
        "---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\n"
        "kind: RoleBinding\n"
        f"metadata: {{name: kwitness-read-{secret}, namespace: {namespace}}}\n"
        f"roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: kwitness-read-{secret}}}\n"
        f"subjects: [{{kind: ServiceAccount, name: {account}, namespace: {home}}}]\n"
    )
