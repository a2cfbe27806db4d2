"""References to other objects: by name, typed, and never to a Secret that was made for something else."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DNS_LABEL, DnsLabel

from .contract_model import Contract, Rule, rules

__all__ = [
    "SUBDOMAIN",
    "AnalyticsJobRef",
    "CaSecretRef",
    "CertificateSecretRef",
    "ClusterRef",
    "CollectorRef",
    "ConfigMapRef",
    "HeaderRegistryRef",
    "OwnersConfigMapRef",
    "PasswordSecretRef",
    "RateCardConfigMapRef",
    "SecretRef",
]

SUBDOMAIN = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"
"""The name of an object, as Kubernetes allows it."""

_OURS = "a user of our resources must not be able to name a Secret that was made for something else"


class SecretRef(Contract):
    """A Secret in the resource's own namespace."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.name.startsWith('kwitness-')",
                f"the name of the Secret must start with 'kwitness-': copy what is needed into such a Secret ({_OURS})",
                field_path=".name",
            )
        )
    )
    name: str = Field(
        description="Name of the Secret, in the same namespace; it must start with kwitness-, such as kwitness-tls.",
        min_length=1,
        max_length=253,
        pattern=SUBDOMAIN,
    )


SecretKey = Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[-._a-zA-Z0-9]+$")]
"""A key of a Secret, as Kubernetes allows it."""


def _never_hosts(*fields: str) -> dict[str, Any]:
    named = ", ".join(f"self.{field}" for field in fields)
    message = "hosts is the list of addresses and no part of the credential: name another key"
    return rules(Rule(f"!('hosts' in [{named}])", message))


class PasswordKeys(Contract):
    """Under which keys the Secret has user name and password."""

    model_config = ConfigDict(json_schema_extra=_never_hosts("username", "password"))
    username: SecretKey = Field("username", description="Key of the user name.")
    password: SecretKey = Field("password", description="Key of the password.")


class PasswordSecretRef(SecretRef):
    """A Secret with a password, which another controller may have written."""

    keys: PasswordKeys = Field(default_factory=PasswordKeys, description="Its keys, where they have other names.")


class CertificateKeys(Contract):
    """Under which keys the Secret has certificate and private key."""

    model_config = ConfigDict(json_schema_extra=_never_hosts("certificate", "key"))
    certificate: SecretKey = Field("tls.crt", description="Key of the certificate and what it is signed by, in PEM.")
    key: SecretKey = Field("tls.key", description="Key of the private key, in PEM, PKCS#8.")


class CertificateSecretRef(SecretRef):
    """A Secret with a certificate and its key, which another controller may have written."""

    keys: CertificateKeys = Field(default_factory=CertificateKeys, description="Its keys, where they have other names.")


class CaSecretRef(Contract):
    """A Secret with CA certificates, of any name, since nothing of it but its key ca.crt is ever read or mounted."""

    name: str = Field(
        description="Name of the Secret, in the same namespace; only its key ca.crt is read.",
        min_length=1,
        max_length=253,
        pattern=SUBDOMAIN,
    )


class ConfigMapRef(Contract):
    """A ConfigMap in the resource's own namespace."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.name.startsWith('kwitness-')",
                "the name of the ConfigMap must start with 'kwitness-'",
                field_path=".name",
            )
        )
    )
    name: str = Field(
        description="Name of the ConfigMap, in the same namespace; it must start with kwitness-.",
        min_length=1,
        max_length=253,
        pattern=SUBDOMAIN,
    )


ConfigMapKey = Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[-._a-zA-Z0-9]+$")]
"""A key of a ConfigMap, as Kubernetes allows it."""


class OwnersConfigMapRef(ConfigMapRef):
    """A ConfigMap that says whose clients and topics are."""

    key: ConfigMapKey = Field("owners.yaml", description="Its key with the file.")


class RateCardConfigMapRef(ConfigMapRef):
    """A ConfigMap that says what traffic and storage cost."""

    key: ConfigMapKey = Field("rate-card.yaml", description="Its key with the file.")


class ClusterRef(Contract):
    """A KafkaCluster."""

    name: str = Field(
        description="Name of the KafkaCluster, such as orders.", min_length=1, max_length=63, pattern=SUBDOMAIN
    )
    namespace: str | None = Field(
        None,
        description="Namespace of the KafkaCluster, if not the same; that KafkaCluster must allow it "
        "(spec.allowedNamespaces).",
        min_length=1,
        max_length=63,
        pattern=DNS_LABEL,
    )


class AnalyticsJobRef(Contract):
    """An AnalyticsJob in the resource's own namespace."""

    name: str = Field(
        description="Name of the AnalyticsJob, in the same namespace.", min_length=1, max_length=40, pattern=DNS_LABEL
    )


class CollectorRef(Contract):
    """A TelemetryCollector."""

    name: str = Field(description="Name of the TelemetryCollector.", min_length=1, max_length=63, pattern=SUBDOMAIN)
    namespace: DnsLabel | None = Field(
        None,
        description="Namespace of the TelemetryCollector, if not the same; spec.allowedNamespaces must allow it.",
    )


class HeaderRegistryRef(Contract):
    """A HeaderRegistry."""

    name: str = Field(description="Name of the HeaderRegistry.", min_length=1, max_length=253, pattern=SUBDOMAIN)
    namespace: DnsLabel | None = Field(
        None, description="Its namespace, if not the same. Registers can be named from everywhere."
    )
