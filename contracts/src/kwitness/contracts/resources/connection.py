"""How a component connects to Kafka: TLS and authentication, of the same shape in each kind that connects."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.sasl import MECHANISMS

from .contract_model import Contract, Rule, rules
from .references import CaSecretRef, CertificateSecretRef, PasswordSecretRef

__all__ = ["CLIENT_CONNECTION_RULES", "CLUSTER_CONNECTION_RULES", "Authentication", "ClientTls", "ClusterTls"]

AuthenticationType = Literal["none", "plain", "scram-sha-256", "scram-sha-512", "mtls", "oauthbearer", "aws-msk-iam"]

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
        description="The mechanism. oauthbearer and aws-msk-iam are reserved and answered with reason Unsupported.",
    )
    username: str | None = Field(
        None,
        description="The user name, where it is not in the Secret, as with the Secrets that Strimzi writes.",
        min_length=1,
        max_length=256,
        pattern=r"^[^\p{Cc}]+$",
    )
    secret_ref: PasswordSecretRef | None = Field(
        None,
        description="Secret with the keys username (unless the field username is given), password and hosts (comma "
        "list of host:port or *.suffix:port, the only addresses the password is sent to; the Helm value "
        "credentials.hosts counts where the key is absent). Required with plain and scram.",
    )


class ClusterTls(Contract):
    """How the connection to the cluster is encrypted."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.enabled || (!has(self.caSecretRef) && !has(self.clientCertificateSecretRef))",
                "caSecretRef and clientCertificateSecretRef need TLS: set enabled to true",
                field_path=".enabled",
            ),
            Rule(
                "!(self.enabled && self.insecurePlaintext)",
                "insecurePlaintext contradicts enabled: remove one of them",
                field_path=".insecurePlaintext",
            ),
        )
    )
    enabled: bool = Field(False, description="Whether the listener speaks TLS.")
    ca_secret_ref: CaSecretRef | None = Field(
        None,
        description="Secret with the key ca.crt: who signs the brokers' certificates. Absent: the system's list.",
    )
    client_certificate_secret_ref: CertificateSecretRef | None = Field(
        None, description="Secret with the keys tls.crt, tls.key and hosts: our certificate towards the brokers."
    )
    insecure_plaintext: bool = Field(
        False, description="Accepts that a password travels unencrypted (plain or scram without TLS)."
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
        "self.authentication.type != 'mtls' || (self.tls.enabled && has(self.tls.clientCertificateSecretRef))",
        "mtls needs tls.enabled and tls.clientCertificateSecretRef",
        field_path=".tls.clientCertificateSecretRef",
    ),
    Rule(
        f"!(self.authentication.type in {[*_WITH_PASSWORD, 'oauthbearer', 'aws-msk-iam']}) || "
        "self.tls.enabled || self.tls.insecurePlaintext",
        "a credential without TLS can be read on the way: set tls.enabled, or accept it by tls.insecurePlaintext: true",
        field_path=".tls.enabled",
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
