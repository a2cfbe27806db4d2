"""How Spark's Kafka clients connect: the job's configuration in Kafka's own words.

The driver reads the mounted Secrets and hands their content to its executors, over Spark's encrypted connections: so
executors mount no Secret, and the right to create them is not the right to read one. When a mounted Secret changes the
driver starts its stream again with what it holds then.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kwitness.contracts.allowed_hosts import CredentialHosts, MalformedHostsError
from kwitness.contracts.kafka_connection import KafkaAuthentication, KafkaConnection
from kwitness.contracts.private_keys import PrivateKeyError, check_private_key
from kwitness.contracts.sasl import MECHANISMS, SaslMechanism

_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
_MODULES: Mapping[SaslMechanism, str] = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": _SCRAM,
    "SCRAM-SHA-512": _SCRAM,
}


class KafkaSettingsError(ValueError):
    """The connection cannot be made as configured.

    Parameters
    ----------
    reason
        One of the reasons of AnalyticsJob.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def kafka_options(connection: KafkaConnection, client_id: str) -> dict[str, str]:
    """Consumer settings by Kafka's names.

    Raises
    ------
    KafkaSettingsError
        `HostNotAllowed` or `SecretNotFound`: a credential may not be sent to a bootstrap server, or cannot be used.
    """
    authentication = connection.authentication
    mechanism = MECHANISMS.get(authentication.type)
    if mechanism or connection.key_file is not None:
        _require_allowed_hosts(connection)
    options = {
        "bootstrap.servers": ",".join(connection.bootstrap_servers),
        "security.protocol": ("SASL_" if mechanism else "") + ("SSL" if connection.tls else "PLAINTEXT"),
        "client.id": client_id,
        # Our own clients do not push telemetry about themselves into the platform.
        "enable.metrics.push": "false",
        # All consumers of one JVM share the client id; in JMX that is a clash and a warning for each.
        "auto.include.jmx.reporter": "false",
    }
    if connection.tls and connection.ca_file is not None:
        options |= {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": _read(connection.ca_file, "ca.crt")}
    if connection.tls and connection.certificate_file is not None and connection.key_file is not None:
        options |= {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.certificate.chain": _read(connection.certificate_file, "tls.crt"),
            "ssl.keystore.key": _private_key(connection.key_file),
        }
    if mechanism:
        login = _login(authentication, _MODULES[mechanism])
        options |= {"sasl.mechanism": mechanism, "sasl.jaas.config": login}
    return options


def _require_allowed_hosts(connection: KafkaConnection) -> None:
    authentication = connection.authentication
    file = authentication.hosts_file
    try:
        hosts = CredentialHosts.of(
            _read(file, "hosts") if file is not None and Path(file).exists() else None, authentication.hosts
        )
    except MalformedHostsError as error:
        raise KafkaSettingsError("HostNotAllowed", str(error)) from error
    for address in connection.bootstrap_servers:
        if not hosts.allows(address):
            raise KafkaSettingsError(
                "HostNotAllowed",
                f"the credential's key hosts does not list {address}: add it there if the credential is meant for it",
            )


def _login(authentication: KafkaAuthentication, module: str) -> str:
    if authentication.username_file is None and authentication.username is None:
        raise KafkaSettingsError("SecretNotFound", f"{authentication.type} needs the key username")
    if authentication.password_file is None:
        raise KafkaSettingsError("SecretNotFound", f"{authentication.type} needs the key password")
    username = authentication.username or _read(authentication.username_file or "", "username")
    password = _read(authentication.password_file, "password")
    return f"{module} required username={_quoted(username, 'username')} password={_quoted(password, 'password')};"


def _private_key(file: str) -> str:
    pem = _read(file, "tls.key")
    try:
        check_private_key(pem)
    except PrivateKeyError as error:
        raise KafkaSettingsError("SecretNotFound", str(error)) from error
    return pem


def _quoted(content: str, key: str) -> str:
    text = content.rstrip("\r\n")
    if not text or not text.isprintable():
        raise KafkaSettingsError("SecretNotFound", f"the Secret's key {key} must be one line of text that is not empty")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _read(file: str, key: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = type(error).__name__
        raise KafkaSettingsError("SecretNotFound", f"the Secret's key {key} cannot be read: {reason}") from None
