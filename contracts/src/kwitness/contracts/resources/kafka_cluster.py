"""KafkaCluster: a connection to a Kafka cluster that exists; kwitness does not run Kafka."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from .broker_subscriptions import BrokerSubscriptions
from .client_policy import ClientPolicy
from .cluster_brokers import Brokers
from .connection import CLUSTER_CONNECTION_RULES, ClusterAuthentication, ClusterTls
from .contract_model import Contract, Rule, list_atomic, list_map, list_set, rules
from .durations import duration_field
from .label_selector import LabelSelector
from .listed_registries import ListedRegistries
from .meta import API_VERSION, ObjectMeta, Status, child_name_rule
from .owner_sources import OwnerSources
from .references import CollectorRef
from .risk import RiskPolicy, risk_window_field
from .standstill import suspend_field
from .status_warning import StatusWarning
from .subscription_bounds import Subscriptions

__all__ = [
    "AllowedNamespaces",
    "ClientListener",
    "KafkaCluster",
    "KafkaClusterSpec",
    "KafkaClusterStatus",
    "Listener",
    "Topics",
    "TopicsOnCreate",
]

_LABEL = "[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?"
_PORT = "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
HostPort = Annotated[
    str,
    Field(
        description="An address, host:port, such as kafka-0.example.org:9092.",
        min_length=3,
        max_length=260,
        pattern=rf"^(\[[0-9A-Fa-f:.%]+\]|{_LABEL}(\.{_LABEL})*):{_PORT}$",
    ),
]


class TopicsOnCreate(Contract):
    """How the operator creates a topic of the platform; topics that exist stay as they are."""

    partitions: int = Field(6, description="Partitions of a topic that is created.", ge=1, le=1000)
    replication_factor: int | None = Field(
        None,
        description="Replicas of a topic that is created. Absent: 3, or the number of brokers if that is smaller.",
        ge=1,
        le=16,
    )
    retention: str = duration_field(
        "168h", "How long a topic that is created keeps records.", minimum="1m", maximum="87600h"
    )


Mechanism = Annotated[
    Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI", "AWS_MSK_IAM"],
    Field(description="A SASL mechanism, as Kafka names it."),
]


class Topics(Contract):
    """The platform's own topics on this cluster; the operator creates what is missing and changes nothing."""

    prefix: str = Field(
        "kwitness.",
        description="What the names of the platform's topics start with.",
        min_length=1,
        max_length=100,
        pattern=r"^[A-Za-z0-9._-]+$",
    )
    on_create: TopicsOnCreate = Field(
        default_factory=TopicsOnCreate,
        description="How a topic is created that is missing. A change has no effect on topics that exist: they stay "
        "as they are, and status.warnings has TopicDiffers.",
    )


class AllowedNamespaces(Contract):
    """Which namespaces may refer to this cluster."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "(self.from == 'Selector') == has(self.selector)",
                "selector goes with from: Selector, and only with it",
                field_path=".selector",
            )
        )
    )
    from_: Literal["Same", "All", "Selector"] = Field(
        "Same",
        alias="from",
        description="Same: this namespace only. All: every namespace. Selector: those with the labels of selector.",
    )
    selector: LabelSelector | None = Field(
        None,
        description="Labels of the namespaces that may refer to this cluster. Required with from: Selector, and only "
        "with it.",
    )


class ClientListener(Contract):
    """A listener of the brokers, as its clients use it."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "(self.security in ['SaslPlaintext', 'SaslTls']) == has(self.mechanisms)",
                "mechanisms goes with security SaslPlaintext and SaslTls, and only with them",
                field_path=".mechanisms",
            )
        )
    )
    name: str = Field(
        description="Name of the listener, as in the brokers' configuration.",
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z0-9_]+$",
    )
    bootstrap_servers: tuple[HostPort, ...] = Field(
        description="Addresses that clients start from, each host:port.",
        min_length=1,
        max_length=32,
        json_schema_extra=list_set(),
    )
    security: Literal["Plaintext", "Tls", "SaslPlaintext", "SaslTls"] = Field(
        description="How clients connect: unencrypted or by TLS, with a SASL mechanism or without."
    )
    mechanisms: tuple[Mechanism, ...] | None = Field(
        None,
        description="The SASL mechanisms that clients use here. Required with security SaslPlaintext and SaslTls, and "
        "only with them. GSSAPI and AWS_MSK_IAM are bound to the brokers' addresses and fail behind a gateway.",
        min_length=1,
        max_length=6,
        json_schema_extra=list_set(),
    )
    client_pods: bool = Field(
        False,
        description="Finds the pods of clients that push through this listener by their addresses. Set it only where "
        "pods of this Kubernetes cluster connect without address translation, and no other network with the same "
        "addresses does. The Helm value collector.clientPods names the namespaces of the pods.",
    )


class KafkaClusterSpec(Contract):
    """How to reach the cluster, with which permissions, and who may refer to it."""

    model_config = ConfigDict(json_schema_extra=rules(*CLUSTER_CONNECTION_RULES))
    bootstrap_servers: tuple[HostPort, ...] = Field(
        description="Addresses to start from, each host:port.",
        min_length=1,
        max_length=32,
        json_schema_extra=list_set(),
    )
    cluster_id: str | None = Field(
        None,
        description="The cluster id to accept. Absent: the first one seen; when the cluster then shows another, "
        "nothing is applied until it is named here.",
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z0-9_-]+$",
    )
    tls: ClusterTls = Field(default_factory=ClusterTls, description="How the connection is encrypted.")
    authentication: ClusterAuthentication = Field(
        default_factory=ClusterAuthentication,
        description="Who the operator is towards Kafka; no other component uses this credential.",
    )
    topics: Topics = Field(default_factory=Topics, description="The platform's own topics on this cluster.")
    allowed_namespaces: AllowedNamespaces = Field(
        default_factory=AllowedNamespaces, description="Which namespaces may refer to this cluster."
    )
    collector_ref: CollectorRef | None = Field(
        None,
        description="The TelemetryCollector that acts for the whole cluster: its numbers and clients at risk are "
        "believed, and it takes what resources of namespaces without a collector of their own report. Its "
        "spec.clusterRef must name this cluster. Absent: the first of this namespace whose spec.clusterRef does, by "
        "spec.priority, then name.",
    )
    listeners: tuple[ClientListener, ...] = Field(
        (),
        description="Listeners that an ObserverDeployment may name in spec.listenerRef, or whose clients run in pods.",
        max_length=16,
        json_schema_extra=list_map("name"),
    )
    subscriptions: Subscriptions = Field(
        default_factory=Subscriptions, description="Which clients the subscriptions of a namespace may ask."
    )
    risk_policy: RiskPolicy = Field(
        "Hold",
        description="What to do with a ClientMetricsSubscription of any namespace that would crash connected clients "
        "(librdkafka 2.5.0 to 2.5.2). Hold: it waits (ClientsAtRisk), also while it is not known who is connected "
        "(RiskUnknown). Apply: it is applied anyway. A subscription can say Hold where this says Apply; its Apply does "
        "not count where this says Hold.",
    )
    risk_window: str = risk_window_field(
        "168h",
        "For how long a client that would crash is remembered after it was last seen. A subscription can say a longer "
        "time for itself; a shorter one does not count. Configurations on the brokers that protect such clients are "
        "kept as long after their resource is gone (DeletionHeld).",
    )
    header_registries: tuple[ListedRegistries, ...] | None = Field(
        None,
        description="Which HeaderRegistries that refer to this cluster claim header keys and ids, also of other "
        "namespaces that spec.allowedNamespaces lets refer to it. The first entry that selects a register counts, and "
        "of registers that claim one key that of the earlier entry gets it. A register that none selects claims "
        "nothing. Absent: those of this namespace.",
        max_length=64,
        json_schema_extra=list_atomic(),
    )
    client_policy: ClientPolicy = Field(
        default_factory=ClientPolicy, description="What is expected of clients; nothing is kept from connecting."
    )
    owners: OwnerSources | None = Field(
        None,
        description="Owners of clients, groups and topics: analyses and the client inventory name team, contact and "
        "source. Absent: none.",
    )
    suspend: bool = suspend_field(
        "no ClientMetricsSubscription of the cluster is on its brokers and nothing is created there; the connection is "
        "still looked at"
    )


class Listener(Contract):
    """One listener, as the plugin reports it."""

    name: str = Field(description="Listener name.", max_length=128)
    inter_broker: bool = Field(False, description="Whether brokers use it among themselves.")


class KafkaClusterStatus(Status):
    """What the operator saw of the cluster."""

    cluster_id: str | None = Field(None, description="Cluster id, as the brokers say.", max_length=64)
    brokers: Brokers | None = Field(None, description="The brokers in numbers, and the first ten of them.")
    kafka_version: str | None = Field(
        None, description="Best known version; a lower bound where no plugin reports it.", max_length=64
    )
    listeners: tuple[Listener, ...] = Field(
        (), description="Listeners, where the plugin reports them.", max_length=64, json_schema_extra=list_map("name")
    )
    warnings: tuple[StatusWarning, ...] = Field(
        (), description="What to know about this cluster.", max_length=64, json_schema_extra=list_map("type")
    )
    subscriptions: BrokerSubscriptions | None = Field(
        None, description="Subscriptions to client metrics that the brokers hold, whoever made them."
    )


class KafkaCluster(Contract):
    """A connection to a Kafka cluster that exists."""

    model_config = ConfigDict(json_schema_extra=child_name_rule(63))
    api_version: Literal["kwitness.dev/v1beta1"] = API_VERSION
    kind: Literal["KafkaCluster"] = "KafkaCluster"
    metadata: ObjectMeta
    spec: KafkaClusterSpec = Field(
        description="How to reach the cluster, with which permissions, and who may refer to it."
    )
    status: KafkaClusterStatus | None = Field(None, description="What the operator saw of the cluster.")
