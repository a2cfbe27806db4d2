"""How a component connects to Kafka: TLS and authentication, of the same shape in each kind that connects."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.sasl import MECHANISMS

from .contract_model import Contract, Rule, rules
from .references import CaSecretRef, CertificateSecretRef, PasswordSecretRef

__all__ = [
    "CLIENT_CONNECTION_RULES",
    "CLUSTER_CONNECTION_RULES",
    "Authentication",
    "ClientTls",
    "ClusterAuthentication",
    "ClusterTls",
]

AuthenticationType = Literal["none", "plain", "scram-sha-256", "scram-sha-512", "mtls"]

_WITH_PASSWORD = list(MECHANISMS)
"""As CEL writes a list too."""


class Authentication(Contract):
    """Who the component is towards Kafka."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                f"!(self.type in {_WITH_PASSWORD}) || has(self.secretRef)",
                "secretRef is required with plain and scram: name a Secret with the keys username, password and hosts",
                field_path=".secretRef",
            ),
            Rule(
                f"self.type in {_WITH_PASSWORD} || !has(self.secretRef)",
                "secretRef is for plain and scram only: remove it or choose such a type "
                "(mtls takes tls.clientCertificateSecretRef)",
                field_path=".secretRef",
            ),
            Rule(
                "has(self.secretRef) || !has(self.username)",
                "username is for plain and scram only: remove it or name a secretRef",
                field_path=".username",
            ),
        )
    )
    type: AuthenticationType = Field(
        "none",
        description="The mechanism. plain and scram need secretRef, mtls needs tls.clientCertificateSecretRef.",
    )
    username: str | None = Field(
        None,
        description="The user name, where it is not in the Secret, as with the Secrets that Strimzi writes. Needs "
        "secretRef.",
        min_length=1,
        max_length=256,
        pattern=r"^[^\p{Cc}]+$",
    )
    secret_ref: PasswordSecretRef | None = Field(
        None,
        description="Secret with the keys username (unless the field username is given), password and hosts (comma "
        "list of host:port or *.suffix:port, the only addresses the password is sent to; the Helm value "
        "credentials.hosts counts where the key is absent). Required with plain and scram, and only with them.",
    )


class ClusterAuthentication(Authentication):
    """How the operator signs in to Kafka."""

    insecure_plaintext: bool = Field(
        False,
        description="Accepts that passwords travel unencrypted where tls.mode is Disabled: the operator's, and those "
        "of other components that connect to this cluster. Cannot be true with tls.mode Required.",
    )


class ClusterTls(Contract):
    """How the connection to the cluster is encrypted."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.mode == 'Required' || (!has(self.caSecretRef) && !has(self.clientCertificateSecretRef))",
                "caSecretRef and clientCertificateSecretRef need TLS: set mode to Required",
                field_path=".mode",
            )
        )
    )
    mode: Literal["Required", "Disabled"] = Field(
        "Disabled",
        description="Required: all connections to the cluster use TLS. Disabled: none does; caSecretRef and "
        "clientCertificateSecretRef must be absent, and a password needs authentication.insecurePlaintext: true.",
    )
    ca_secret_ref: CaSecretRef | None = Field(
        None,
        description="Secret with the key ca.crt: who signs the brokers' certificates. Absent: the system's list.",
    )
    client_certificate_secret_ref: CertificateSecretRef | None = Field(
        None,
        description="Secret with the keys tls.crt, tls.key and hosts: our certificate towards the brokers. Required "
        "with authentication.type mtls.",
    )


class ClientTls(Contract):
    """The certificates of one component towards a cluster; whether TLS is spoken, the KafkaCluster says."""

    ca_secret_ref: CaSecretRef | None = Field(
        None,
        description="Secret with the key ca.crt. Absent: the KafkaCluster's, where that is in the same namespace, "
        "else the system's CAs.",
    )
    client_certificate_secret_ref: CertificateSecretRef | None = Field(
        None, description="Secret with the keys tls.crt, tls.key and hosts. Required with mtls."
    )


CLUSTER_CONNECTION_RULES = (
    Rule(
        "self.authentication.type != 'mtls' || "
        "(self.tls.mode == 'Required' && has(self.tls.clientCertificateSecretRef))",
        "mtls needs tls.mode Required and tls.clientCertificateSecretRef",
        field_path=".tls.clientCertificateSecretRef",
    ),
    Rule(
        f"!(self.authentication.type in {_WITH_PASSWORD}) || "
        "self.tls.mode == 'Required' || self.authentication.insecurePlaintext",
        "a password without TLS can be read on the way: set tls.mode to Required, or accept it by "
        "authentication.insecurePlaintext: true",
        field_path=".tls.mode",
    ),
    Rule(
        "self.tls.mode == 'Disabled' || !self.authentication.insecurePlaintext",
        "authentication.insecurePlaintext contradicts tls.mode Required: remove one of them",
        field_path=".authentication.insecurePlaintext",
    ),
)
"""For KafkaCluster, which says how the listener speaks."""

CLIENT_CONNECTION_RULES = (
    Rule(
        "!has(self.authentication) || self.authentication.type != 'mtls' || "
        "(has(self.tls) && has(self.tls.clientCertificateSecretRef))",
        "mtls needs tls.clientCertificateSecretRef",
        field_path=".tls.clientCertificateSecretRef",
    ),
)
"""For kinds that connect to a KafkaCluster with a credential of their own."""
