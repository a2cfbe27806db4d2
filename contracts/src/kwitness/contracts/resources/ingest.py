"""Who may send to a collector and read from it, and how the connection is encrypted."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DnsLabel
from kwitness.contracts.reader_rights import MAX_SCOPE_ENTRIES, NamespacePattern, OwnerPattern

from .contract_model import Contract, Rule, list_atomic, list_map, list_set, rules
from .references import SUBDOMAIN, ConfigMapRef, SecretRef

__all__ = ["Ingest", "IngestPeer", "IngestTls", "Reader", "Scope", "Sender"]

_NamespaceOrEmpty = Annotated[str, Field(max_length=63, pattern=r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$")]
"""A namespace in the key of a list, which must have a default."""
ServiceAccountName = Annotated[str, Field(min_length=1, max_length=253, pattern=SUBDOMAIN)]


class IngestTls(Contract):
    """How connections to the collector are encrypted."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "has(self.secretRef) == (self.mode == 'Required')",
                "mode Required needs a Secret with tls.crt and tls.key, mode Disabled has none: change one",
                field_path=".secretRef",
            ),
            Rule(
                "!has(self.caConfigMapRef) || self.mode == 'Required'",
                "is for mode Required: remove it",
                field_path=".caConfigMapRef",
            ),
        )
    )
    mode: Literal["Required", "Disabled"] = Field(
        "Required",
        description="Required: connections are encrypted, with the certificate in secretRef. Disabled: telemetry and "
        "tokens travel unencrypted, and there is no certificate.",
    )
    secret_ref: SecretRef | None = Field(
        None,
        description="Secret with the keys tls.crt and tls.key: the collector's certificate. Required with mode "
        "Required, and only with it.",
    )
    ca_config_map_ref: ConfigMapRef | None = Field(
        None,
        description="ConfigMap with the key ca.crt: who signed the certificate, for the operator and other replicas. "
        "Absent: the system's CAs. For mode Required.",
    )


class Sender(Contract):
    """A service account whose projected tokens are accepted."""

    service_account: ServiceAccountName = Field(
        description="Name of the service account. The audience of its tokens is kwitness-collector.NAMESPACE.NAME, "
        "with namespace and name of this resource."
    )
    namespace: _NamespaceOrEmpty = Field("", description="Its namespace. Empty: this resource's.")
    source: Literal["Plugin", "Otlp", "Observer", "Interceptor"] = Field(
        description="What it is, which decides what it may speak for: a plugin for any client of the cluster, an "
        "observer or interceptors for their own pod, plain OTLP for itself."
    )


class Scope(Contract):
    """Limits a reader to clients of namespaces and owners."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "(has(self.namespaces) && size(self.namespaces) > 0) || (has(self.owners) && size(self.owners) > 0)",
                "an empty scope shows nothing: name at least one of namespaces and owners",
            )
        )
    )
    namespaces: tuple[NamespacePattern, ...] = Field(
        (),
        description="Namespaces of clients' pods; with * at its end a prefix. A namespace counts that the token of a "
        "sidecar in the pod names, or where the pod is found by its address, not one that a client claims.",
        max_length=MAX_SCOPE_ENTRIES,
        json_schema_extra=list_set(),
    )
    owners: tuple[OwnerPattern, ...] = Field(
        (),
        description="Owners of clients, groups and topics, as spec.owners of the KafkaCluster names them; with * at "
        "its end a prefix. The owner of a topic sees all clients that use it.",
        max_length=MAX_SCOPE_ENTRIES,
        json_schema_extra=list_set(),
    )


class Reader(Contract):
    """A service account whose projected tokens may read the inventory."""

    service_account: ServiceAccountName = Field(
        description="Name of the service account. The audience of its tokens is kwitness-inventory.NAMESPACE.NAME, "
        "with namespace and name of this resource."
    )
    namespace: _NamespaceOrEmpty = Field("", description="Its namespace. Empty: this resource's.")
    scope: Scope | None = Field(
        None, description="What it may see, for readers of application teams. Absent: clients of everybody."
    )


class IngestPeer(Contract):
    """Where senders are, for the NetworkPolicy."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule("has(self.namespace) != has(self.cidr)", "give either namespace or cidr", field_path=".namespace"),
            Rule("!has(self.cidr) || isCIDR(self.cidr)", "must be an address range such as 10.0.0.0/8", ".cidr"),
        )
    )
    namespace: DnsLabel | None = Field(None, description="All pods of this namespace.")
    cidr: str | None = Field(
        None, description="All addresses of this range, such as 10.0.0.0/8.", min_length=3, max_length=64
    )


class Ingest(Contract):
    """Who may send and read, and how the connection is encrypted."""

    tls: IngestTls = Field(description="How connections to the collector are encrypted.")
    senders: tuple[Sender, ...] = Field(
        (),
        description="Service accounts whose tokens are accepted from senders in the cluster. Without senders and "
        "tokens every push is refused.",
        max_length=64,
        json_schema_extra=list_map("namespace", "serviceAccount", "source"),
    )
    tokens_secret_ref: SecretRef | None = Field(
        None,
        description="Secret with the key tokens for senders elsewhere: lines of token, source and cluster id, "
        "separated by blanks; of an observer also what it is known as (gateway, broker, pod, laptop) and "
        "<namespace>/<pod>, of interceptors <namespace>/<pod> alone. A reader's scope follows as namespace=PATTERN and "
        "owner=PATTERN, percent-encoded.",
    )
    readers: tuple[Reader, ...] = Field(
        (),
        description="Service accounts that may read the inventory, besides the operator.",
        max_length=64,
        json_schema_extra=list_map("namespace", "serviceAccount"),
    )
    from_: tuple[IngestPeer, ...] = Field(
        (),
        alias="from",
        description="Where senders may connect from, each entry by either namespace or cidr. Absent: from everywhere.",
        max_length=64,
        json_schema_extra=list_atomic(),
    )
