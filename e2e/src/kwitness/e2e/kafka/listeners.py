"""Listeners of a development Kafka: one per way a client can connect and authenticate."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping

from kwitness.e2e.kafka.certificates import KafkaCertificates


class Listener(enum.Enum):
    """A client-facing listener; the value is its name in Kafka's configuration."""

    PLAINTEXT = "PLAINTEXT"
    #: TLS, no client certificate.
    SSL = "SSL"
    #: TLS, client certificate required.
    MTLS = "MTLS"
    #: The same by TLS 1.2, which older clients speak.
    MTLS_TLS12 = "MTLS_TLS12"
    #: TLS and SASL PLAIN.
    SASL_SSL_PLAIN = "SASL_SSL_PLAIN"
    #: TLS and SASL SCRAM-SHA-512 or SCRAM-SHA-256.
    SASL_SSL_SCRAM = "SASL_SSL_SCRAM"
    #: TLS and SASL OAUTHBEARER, with tokens that nobody has signed.
    SASL_SSL_OAUTHBEARER = "SASL_SSL_OAUTHBEARER"
    #: SASL PLAIN without TLS: for the setting that allows it.
    SASL_PLAINTEXT_PLAIN = "SASL_PLAINTEXT_PLAIN"

    @property
    def protocol(self) -> str:
        """Kafka's security protocol."""
        return _PROTOCOLS[self]

    @property
    def uses_tls(self) -> bool:
        """Whether a client needs the authority's certificate."""
        return "SSL" in self.protocol


_PROTOCOLS = {
    Listener.PLAINTEXT: "PLAINTEXT",
    Listener.SSL: "SSL",
    Listener.MTLS: "SSL",
    Listener.MTLS_TLS12: "SSL",
    Listener.SASL_SSL_PLAIN: "SASL_SSL",
    Listener.SASL_SSL_SCRAM: "SASL_SSL",
    Listener.SASL_SSL_OAUTHBEARER: "SASL_SSL",
    Listener.SASL_PLAINTEXT_PLAIN: "SASL_PLAINTEXT",
}

_OAUTHBEARER = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required;"


def listener_properties(
    listeners: Iterable[Listener], *, certificates: KafkaCertificates | None, users: Mapping[str, str]
) -> dict[str, str]:
    """Broker properties that each listener needs beside its address.

    Parameters
    ----------
    listeners
        The listeners in use.
    certificates
        Needed when one of them uses TLS.
    users
        Passwords by user name, for SASL PLAIN; SCRAM users are written when the storage is formatted.

    Raises
    ------
    ValueError
        A listener uses TLS and there are no certificates.
    """
    properties: dict[str, str] = {}
    for listener in listeners:
        prefix = f"listener.name.{listener.value.lower()}."
        if listener.uses_tls:
            if certificates is None:
                raise ValueError(f"listener {listener.value} uses TLS: give certificates")
            properties[prefix + "ssl.keystore.type"] = "PEM"
            properties[prefix + "ssl.keystore.location"] = str(certificates.server_keystore)
            properties[prefix + "ssl.truststore.type"] = "PEM"
            properties[prefix + "ssl.truststore.location"] = str(certificates.ca_file)
            is_mutual = listener in {Listener.MTLS, Listener.MTLS_TLS12}
            properties[prefix + "ssl.client.auth"] = "required" if is_mutual else "none"
        if listener is Listener.MTLS_TLS12:
            properties[prefix + "ssl.enabled.protocols"] = "TLSv1.2"
        if listener in {Listener.SASL_SSL_PLAIN, Listener.SASL_PLAINTEXT_PLAIN}:
            properties[prefix + "sasl.enabled.mechanisms"] = "PLAIN"
            properties[prefix + "plain.sasl.jaas.config"] = plain_login(users)
        if listener is Listener.SASL_SSL_OAUTHBEARER:
            properties[prefix + "sasl.enabled.mechanisms"] = "OAUTHBEARER"
            properties[prefix + "oauthbearer.sasl.jaas.config"] = _OAUTHBEARER
        if listener is Listener.SASL_SSL_SCRAM:
            properties[prefix + "sasl.enabled.mechanisms"] = "SCRAM-SHA-512,SCRAM-SHA-256"
            properties[prefix + "scram-sha-512.sasl.jaas.config"] = _SCRAM
            properties[prefix + "scram-sha-256.sasl.jaas.config"] = _SCRAM
    return properties


def plain_login(users: Mapping[str, str]) -> str:
    """The JAAS line that lets these users in by SASL PLAIN."""
    entries = " ".join(f'user_{name}="{password}"' for name, password in sorted(users.items()))
    return f"org.apache.kafka.common.security.plain.PlainLoginModule required {entries};"


def scram_arguments(users: Mapping[str, str]) -> list[str]:
    """Arguments of Kafka's storage tool that create the users for both SCRAM mechanisms."""
    arguments: list[str] = []
    for name, password in sorted(users.items()):
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            arguments += ["--add-scram", f"{mechanism}=[name={name},password={password}]"]
    return arguments
