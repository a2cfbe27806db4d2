"""From a KafkaCluster and its Secrets to a connection; Secrets are read by name and only where a Role allows it."""

from __future__ import annotations

import base64
import binascii

from kwitness.contracts.allowed_hosts import CredentialHosts, MalformedHostsError
from kwitness.contracts.denied_addresses import DeniedAddresses
from kwitness.contracts.private_keys import PrivateKeyError, check_private_key
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.sasl import MECHANISMS
from kwitness.operator.adapters.kafka_connection import KafkaConnection, SaslLogin, TlsMaterial
from kwitness.operator.context import Context
from kwitness.operator.model.errors import TransientError

__all__ = ["connection_of"]


async def connection_of(context: Context, cluster: KafkaCluster) -> KafkaConnection:
    """Read what the operator needs to connect as itself.

    Raises
    ------
    TransientError
        SecretForbidden, SecretNotFound, HostNotAllowed: nobody watches Secrets and Roles, so they are looked at again.
    """
    spec, namespace = cluster.spec, cluster.metadata.namespace
    kind = spec.authentication.type
    allowed: list[CredentialHosts] = []
    login: SaslLogin | None = None
    if kind in MECHANISMS and spec.authentication.secret_ref is not None:
        reference, username = spec.authentication.secret_ref, spec.authentication.username
        needed = (reference.keys.password, *((reference.keys.username,) if username is None else ()))
        secret = await _read(context, namespace, reference.name, needed)
        allowed.append(_hosts(context, namespace, reference.name, secret))
        login = SaslLogin(
            MECHANISMS[kind],
            secret[reference.keys.username].rstrip("\n") if username is None else username,
            secret[reference.keys.password].rstrip("\n"),
        )
    tls: TlsMaterial | None = None
    if spec.tls.mode == "Required":
        ca_certificates = certificate = key = None
        if spec.tls.ca_secret_ref is not None:
            ca_certificates = (await _read(context, namespace, spec.tls.ca_secret_ref.name, ("ca.crt",)))["ca.crt"]
        if spec.tls.client_certificate_secret_ref is not None:
            name, keys = spec.tls.client_certificate_secret_ref.name, spec.tls.client_certificate_secret_ref.keys
            secret = await _read(context, namespace, name, (keys.certificate, keys.key))
            allowed.append(_hosts(context, namespace, name, secret))
            certificate, key = secret[keys.certificate], _pkcs8(secret[keys.key], name)
        tls = TlsMaterial(ca_certificates, certificate, key)
    return KafkaConnection(
        bootstrap_servers=spec.bootstrap_servers,
        client_id=f"kwitness-operator-{context.installation}",
        tls=tls,
        login=login,
        allowed_hosts=tuple(allowed),
        denied=DeniedAddresses(context.settings.limits.denied_addresses),
    )


async def _read(context: Context, namespace: str, name: str, keys: tuple[str, ...]) -> dict[str, str]:
    try:
        secret = await context.kubernetes.get("Secret", namespace, name)
    except TransientError as error:
        if error.reason == "KubernetesForbidden":
            raise TransientError("SecretForbidden", _role(context, namespace, name)) from error
        raise
    if secret is None:
        raise TransientError("SecretNotFound", f"there is no Secret {name}: create it with the keys {', '.join(keys)}")
    data: dict[str, str] = {}
    for key, value in (secret.get("data") or {}).items():
        try:
            data[key] = base64.b64decode(value).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    missing = [key for key in keys if not data.get(key)]
    if missing:
        raise TransientError("SecretNotFound", f"Secret {name} lacks {', '.join(missing)}: add it as text")
    return data


def _pkcs8(key: str, name: str) -> str:
    try:
        check_private_key(key)
    except PrivateKeyError as error:
        raise TransientError("TlsFailed", f"Secret {name}: {error}") from error
    return key


def _hosts(context: Context, namespace: str, name: str, secret: dict[str, str]) -> CredentialHosts:
    try:
        hosts = CredentialHosts.of(secret.get("hosts"), context.settings.credentials.hosts_of(namespace, name))
    except MalformedHostsError as error:
        raise TransientError("HostNotAllowed", f"Secret {name}: {error}") from error
    if not any(one.entries for one in hosts.lists):
        raise TransientError(
            "HostNotAllowed",
            f"Secret {name} has no key hosts, so its credential is sent nowhere: add hosts with the brokers' addresses,"
            " each host:port or *.suffix:port, between commas or line breaks, or, where another controller writes the"
            " Secret, have them put into the Helm value credentials.hosts",
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
