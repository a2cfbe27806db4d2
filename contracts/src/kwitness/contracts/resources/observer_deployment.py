"""ObserverDeployment: observers on the wire. In this version as a gateway in front of a cluster's listener."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.endpoints import PROBE_PORT

from .contract_model import Contract, Rule, list_map, rules
from .durations import duration_field
from .ledger import HopLedger
from .meta import API_VERSION, ObjectMeta, Status, child_name_rule
from .observation import IdentityTreatment, ObserverEntry, ObserverLimits
from .precedence import priority_field
from .references import CaSecretRef, ClusterRef, SecretRef
from .standstill import suspend_field

__all__ = [
    "Coverage",
    "Gateway",
    "GatewayService",
    "GatewayTls",
    "ListenerRef",
    "ObserverDeployment",
    "ObserverDeploymentSpec",
    "ObserverDeploymentStatus",
    "UnseenSoftware",
]


class ListenerRef(Contract):
    """A listener of the KafkaCluster."""

    name: str = Field(
        description="Name of an entry of spec.listeners of the KafkaCluster.",
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z0-9_]+$",
    )


class GatewayService(Contract):
    """How clients reach the gateway."""

    type: Literal["ClusterIP", "LoadBalancer", "NodePort"] = Field("ClusterIP", description="Type of the Service.")


class GatewayTls(Contract):
    """TLS of clients, which the gateway ends."""

    secret_ref: SecretRef = Field(
        description="Secret with the keys tls.crt and tls.key: the gateway's certificate, valid for the host that "
        "clients are told. A change of the Secret acts without a restart."
    )
    client_ca_secret_ref: CaSecretRef | None = Field(
        None,
        description="Secret with the key ca.crt: who signs the certificates that clients must have. Absent: they need "
        "none. Brokers never see a client's certificate.",
    )


class Gateway(Contract):
    """The addresses that clients use instead of the brokers'."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.service.type == 'ClusterIP' || has(self.advertisedHost)",
                "advertisedHost is required unless service.type is ClusterIP: the name or address by which clients "
                "reach the Service",
                field_path=".advertisedHost",
            ),
            Rule(
                f"self.bootstrapPort != {PROBE_PORT}",
                f"bootstrapPort must not be {PROBE_PORT}, where the gateway's metrics are",
                field_path=".bootstrapPort",
            ),
            Rule(
                "self.service.type != 'NodePort' || (self.bootstrapPort >= 30000 && self.bootstrapPort < 32767)",
                "with service.type NodePort clients use the same ports on the nodes: choose a bootstrapPort from "
                "30000 to 32766",
                field_path=".bootstrapPort",
            ),
            Rule(
                "!(has(self.tls) && self.insecurePlaintext)",
                "insecurePlaintext contradicts tls: remove one of them",
                field_path=".insecurePlaintext",
            ),
        )
    )
    bootstrap_port: int = Field(
        9092,
        description="Port that clients bootstrap from. Each broker gets one of the ports above it, which it keeps.",
        ge=1024,
        le=64_000,
    )
    service: GatewayService = Field(default_factory=GatewayService, description="How clients reach the gateway.")
    advertised_host: str | None = Field(
        None,
        description="Host that clients are told; {name} and {namespace} stand for those of this resource. Absent: the "
        "Service's name within the Kubernetes cluster.",
        min_length=1,
        max_length=200,
        pattern=r"^([A-Za-z0-9.-]|\{name\}|\{namespace\})+$",
    )
    tls: GatewayTls | None = Field(
        None, description="TLS of clients, which the gateway ends. Absent: they speak plaintext to it."
    )
    insecure_plaintext: bool = Field(
        False,
        description="Accepts that clients of a listener with TLS speak plaintext to the gateway, passwords included.",
    )


class ObserverDeploymentSpec(Contract):
    """Where observers run and what they report."""

    cluster_ref: ClusterRef = Field(description="The cluster whose traffic is observed.")
    listener_ref: ListenerRef | None = Field(
        None,
        description="The listener whose clients are observed. Absent: the one of the KafkaCluster's "
        "spec.bootstrapServers.",
    )
    mode: Literal["Gateway"] = Field(
        description="Where observers run. Gateway: by themselves in front of the cluster; clients use its address."
    )
    priority: int = priority_field("ObserverDeployments of one listener")
    replicas: int = Field(2, description="Replicas of the gateway.", ge=1, le=64)
    observers: tuple[ObserverEntry, ...] = Field(
        description="What is reported.", min_length=1, max_length=3, json_schema_extra=list_map("type")
    )
    window: str = duration_field("10s", "Length of a window of Traffic and Latency.", minimum="1s", maximum="1h")
    limits: ObserverLimits = Field(default_factory=ObserverLimits, description="Bounds of one observer process.")
    identity: IdentityTreatment = Field(
        default_factory=IdentityTreatment,
        description="What happens to each identity field before it leaves the observer.",
    )
    ca_secret_ref: CaSecretRef | None = Field(
        None,
        description="Secret with the key ca.crt: who signs the brokers' certificates, of a listener with TLS. Absent: "
        "the KafkaCluster's, where that is in the same namespace, else the system's CAs.",
    )
    gateway: Gateway = Field(
        default_factory=Gateway, description="The addresses that clients use instead of the brokers'."
    )
    suspend: bool = suspend_field("observers relay and read nothing")


class UnseenSoftware(Contract):
    """Software with connections to the brokers of which no observer saw any."""

    client_software_name: str = Field(description="Software name.", max_length=256)
    client_software_version: str = Field(description="Software version.", max_length=256)
    connections: int = Field(description="Connections that the brokers count.", ge=0)


class Coverage(Contract):
    """How many of the connections that the brokers count are observed, over all observers of the cluster."""

    connections_by_broker: int = Field(
        description="Connections that the brokers count, the platform's own left out; it takes the broker plugin.", ge=0
    )
    connections_observed: int = Field(description="Connections that observers of the cluster have open.", ge=0)
    percent: int = Field(description="The second of the first, in whole percent.", ge=0, le=100)
    unseen: tuple[UnseenSoftware, ...] = Field(
        (),
        description="Software that brokers count and no observer saw, most connections first, up to 20.",
        max_length=20,
        json_schema_extra=list_map("clientSoftwareName", "clientSoftwareVersion"),
    )


class ObserverDeploymentStatus(Status):
    """Where observers run and what they have seen."""

    bootstrap_servers: str | None = Field(
        None, description="Address for clients to start from, host:port.", max_length=300
    )
    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] | None = Field(
        None, description="What clients set as security.protocol to use that address."
    )
    ready_replicas: int | None = Field(None, description="Replicas that relay now.", ge=0)
    connections: int | None = Field(None, description="Client connections open now.", ge=0)
    coverage: Coverage | None = Field(
        None, description="How many of the connections that the brokers count are observed."
    )
    ledger: tuple[HopLedger, ...] = Field(
        (), description="The ledger by hop: report.", max_length=8, json_schema_extra=list_map("hop")
    )
    config_hash: str | None = Field(None, description="Hash of the settings.", max_length=64)
    pods_with_config: int | None = Field(None, description="Pods that report these settings.", ge=0)


class ObserverDeployment(Contract):
    """Observes Kafka clients on the wire."""

    model_config = ConfigDict(json_schema_extra=child_name_rule(40))
    api_version: Literal["kwitness.dev/v1alpha1"] = API_VERSION
    kind: Literal["ObserverDeployment"] = "ObserverDeployment"
    metadata: ObjectMeta
    spec: ObserverDeploymentSpec = Field(description="Where observers run and what they report.")
    status: ObserverDeploymentStatus | None = Field(None, description="Where observers run and what they have seen.")
