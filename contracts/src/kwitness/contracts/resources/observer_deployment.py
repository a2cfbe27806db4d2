"""ObserverDeployment: observers on the wire, as a gateway in front of a listener, beside clients or beside brokers."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DnsLabel
from kwitness.contracts.endpoints import PROBE_PORT

from .contract_model import Contract, Rule, list_map, list_set, rules
from .durations import duration_field
from .label_selector import LabelSelector
from .ledger import HopLedger
from .meta import API_VERSION, ObjectMeta, Status, child_name_rule
from .observation import ObserverEntry, ObserverLimits
from .observer_host import ObserverHost
from .own_broker import OwnBroker
from .precedence import priority_field
from .privacy import ObservedIdentities
from .references import CaSecretRef, ClusterRef, SecretRef
from .rewritten_environment import RewrittenEnvironment
from .standstill import suspend_field

__all__ = [
    "DEFAULT_BASE_PORT",
    "Coverage",
    "Gateway",
    "GatewayService",
    "GatewayTls",
    "LeftOutPods",
    "ListenerRef",
    "ObserverDeployment",
    "ObserverDeploymentSpec",
    "ObserverDeploymentStatus",
    "PodCoverage",
    "Transparent",
    "UnseenSoftware",
]

DEFAULT_BASE_PORT: Final = 19092
"""Where an application finds the observer beside it."""
DEFAULT_REPLICAS: Final = 2

Command = Annotated[str, Field(max_length=512)]


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


class Transparent(Contract):
    """Connections of the pod to the listener's ports are redirected to the observer, without a change of any setting.

    The ports are those of the listener's bootstrap servers in the KafkaCluster. Only pods of namespaces whose Pod
    Security level is privileged get such an observer.
    """


class ObserverDeploymentSpec(Contract):
    """Where observers run and what they report."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.mode != 'Gateway' || !(has(self.selector) || has(self.namespaceSelector) || "
                "has(self.containers) || has(self.env) || has(self.transparent) || has(self.basePort) || "
                "has(self.broker))",
                "selector, namespaceSelector, containers, env, transparent and basePort are for mode Sidecar, selector "
                "and broker for mode Broker: remove them, or make another resource with that mode",
            ),
            Rule(
                "!has(self.transparent) || !(has(self.env) || has(self.containers))",
                "transparent redirects the connections of the whole pod and rewrites no variable: remove env and "
                "containers, or transparent",
                field_path=".transparent",
            ),
            Rule(
                "self.mode != 'Sidecar' || !(has(self.gateway) || has(self.replicas) || has(self.caSecretRef) || "
                "has(self.broker))",
                "gateway, replicas and caSecretRef are for mode Gateway, broker is for mode Broker: remove them; "
                "sidecars know brokers by the CA certificates of the KafkaCluster",
            ),
            Rule(
                "self.mode != 'Broker' || (has(self.broker) && has(self.selector) && has(self.listenerRef))",
                "mode Broker needs selector (the brokers' pods), listenerRef (their listener) and broker (its ports)",
            ),
            Rule(
                "self.mode != 'Broker' || !(has(self.gateway) || has(self.replicas) || has(self.caSecretRef) || "
                "has(self.namespaceSelector) || has(self.containers) || has(self.env) || has(self.transparent) || "
                "has(self.basePort))",
                "gateway, replicas, caSecretRef, namespaceSelector, containers, env, transparent and basePort are for "
                "other modes: remove them; an observer beside a broker reaches it by loopback, in its own namespace",
            ),
            Rule(
                "self.telemetry != 'Terminate' || !has(self.identity) || "
                "!self.identity.exists(entry, entry.key == 'client_instance_id' && entry.treatment == 'Drop')",
                "telemetry Terminate needs client_instance_id, or a push has no client: remove its entry in identity",
                field_path=".telemetry",
            ),
            Rule(
                "!has(self.host) || self.observers.exists(one, one.type == 'Requests')",
                "host needs an observer of type Requests: without it there is nothing to call classes for",
                field_path=".host",
            ),
        )
    )
    cluster_ref: ClusterRef = Field(description="The cluster whose traffic is observed.")
    listener_ref: ListenerRef | None = Field(
        None,
        description="The listener whose clients are observed. Absent: the one of the KafkaCluster's "
        "spec.bootstrapServers.",
    )
    mode: Literal["Gateway", "Sidecar", "Broker"] = Field(
        description="Where observers run. Gateway: by themselves in front of the cluster; clients use its address. "
        "Sidecar: beside the client in its pod, from the pod's next start on. Broker: beside the broker in its pod, "
        "whose listener is on loopback; clients keep their addresses.",
        json_schema_extra=rules(
            Rule(
                # Its values used to begin with a small letter.
                "self.lowerAscii() == oldSelf.lowerAscii()",
                "mode cannot be changed: make another resource, and delete this one when it acts",
            )
        ),
    )
    priority: int = priority_field("ObserverDeployments of this namespace for one listener or pod")
    replicas: int | None = Field(None, description=f"Replicas of the gateway. Absent: {DEFAULT_REPLICAS}.", ge=1, le=64)
    selector: LabelSelector | None = Field(
        None,
        description="Pods that get an observer: in mode Sidecar clients' (absent: every pod of the namespaces), in "
        "mode Broker the brokers', of this resource's namespace.",
    )
    namespace_selector: LabelSelector | None = Field(
        None,
        description="Namespaces whose pods are meant, of those that the installation allows (Helm value "
        "injector.otherNamespaces). Absent: this resource's own. Each must have the label "
        "kwitness.dev/injection=enabled. A pod that resources of its own namespace select gets one of those.",
    )
    containers: tuple[DnsLabel, ...] | None = Field(
        None,
        description="Containers whose variables are rewritten, init containers too. Absent: all of the pod.",
        min_length=1,
        max_length=32,
        json_schema_extra=list_set(),
    )
    env: RewrittenEnvironment | None = Field(
        None,
        description="Variables that are rewritten. Absent: none; the application connects to "
        f"127.0.0.1:{DEFAULT_BASE_PORT} by itself.",
    )
    transparent: Transparent | None = Field(
        None,
        description="Redirects the pod's connections to the listener's ports, whatever the application is told. For "
        "namespaces whose Pod Security level is privileged. Absent: nothing is redirected.",
    )
    base_port: int | None = Field(
        None,
        description="Port of 127.0.0.1 that a sidecar's application bootstraps from; brokers get the ports above it, "
        "and the port below it is for metrics. Where the pod has one of them, others are taken. Absent: "
        f"{DEFAULT_BASE_PORT}.",
        ge=1025,
        le=64_000,
    )
    observers: tuple[ObserverEntry, ...] = Field(
        description="What is reported.", min_length=1, max_length=5, json_schema_extra=list_map("type")
    )
    window: str = duration_field("10s", "Length of a window of Traffic and Latency.", minimum="1s", maximum="1h")
    limits: ObserverLimits = Field(default_factory=ObserverLimits, description="Bounds of one observer process.")
    telemetry: Literal["PassThrough", "Terminate"] = Field(
        "PassThrough",
        description="Who answers clients that ask which metrics to push (KIP-714). PassThrough: the brokers, which "
        "takes a plugin in them. Terminate: observers tell clients that telemetry is taken, answer by the cluster's "
        "subscriptions, and bring what is pushed to the TelemetryCollector; the brokers see none of it, so a plugin "
        "of theirs gets no pushes of these clients; identity must keep client_instance_id. Acts for new connections.",
    )
    identity: ObservedIdentities = Field(
        (), description="What happens to identity keys before they leave the observer. Keys without an entry are kept."
    )
    ca_secret_ref: CaSecretRef | None = Field(
        None,
        description="Secret with the key ca.crt: who signs the brokers' certificates, of a listener with TLS. Absent: "
        "the KafkaCluster's, where that is in the same namespace, else the system's CAs.",
    )
    gateway: Gateway | None = Field(
        None, description="The addresses that clients use instead of the brokers', in mode Gateway."
    )
    host: ObserverHost | None = Field(
        None,
        description="Classes of your own that are called for requests and responses (KIP-388). Absent: none, and "
        "nothing runs.",
    )
    broker: OwnBroker | None = Field(None, description="The brokers' listener, in mode Broker.")
    suspend: bool = suspend_field("observers relay and read nothing")

    @property
    def addresses(self) -> Gateway:
        """The gateway's, with defaults."""
        return self.gateway or Gateway()

    @property
    def own_broker(self) -> OwnBroker:
        """The brokers' listener, with defaults."""
        return self.broker or OwnBroker()

    @property
    def gateway_replicas(self) -> int:
        """How many replicas a gateway has."""
        return self.replicas or DEFAULT_REPLICAS

    @property
    def sidecar_port(self) -> int:
        """Where a sidecar's application bootstraps from."""
        return self.base_port or DEFAULT_BASE_PORT


class UnseenSoftware(Contract):
    """Software with connections to the brokers of which no observer saw any."""

    client_software_name: str = Field(description="Software name.", max_length=256)
    client_software_version: str = Field(description="Software version.", max_length=256)
    connections: int = Field(description="Connections that the brokers count.", ge=0)


class Coverage(Contract):
    """How many of the connections that the brokers count this resource observes, the platform's own left out."""

    connections_by_broker: int = Field(description="Connections that brokers with the plugin count.", ge=0)
    connections_observed: int = Field(description="Connections that observers of this resource have open.", ge=0)
    percent: int = Field(description="The second of the first, in whole percent.", ge=0, le=100)
    unseen: tuple[UnseenSoftware, ...] = Field(
        (),
        description="Software that brokers count and no observer of the cluster saw, most connections first, up to 20.",
        max_length=20,
        json_schema_extra=list_map("clientSoftwareName", "clientSoftwareVersion"),
    )


class LeftOutPods(Contract):
    """Pods that are selected and get no observer, for one reason."""

    reason: str = Field(description="Why, in one word.", max_length=64, pattern="^[A-Z][A-Za-z0-9]*$")
    pods: int = Field(description="How many.", ge=1)
    example: str = Field(description="One of them, <namespace>/<name>.", max_length=317)


class PodCoverage(Contract):
    """Which of the selected pods have an observer; pods that have ended are left out."""

    selected: int = Field(description="Pods that are selected.", ge=0)
    observed: int = Field(description="Pods with an observer of this resource.", ge=0)
    outdated: int = Field(description="Those of them that started before the present settings.", ge=0)
    missed: int = Field(description="Pods that started without, though they could have one.", ge=0)
    silent: int = Field(
        description="Pods whose observer has had no connection within five minutes of its start: NoTraffic.", ge=0
    )
    left_out: tuple[LeftOutPods, ...] = Field(
        (),
        description="Pods that get none, by reason.",
        max_length=32,
        json_schema_extra=list_map("reason"),
    )
    restart: tuple[Command, ...] = Field(
        (),
        description="Commands after which workloads with outdated or missed pods are covered, up to 20.",
        max_length=20,
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
        (), description="The ledger by hop: report, pushes.", max_length=8, json_schema_extra=list_map("hop")
    )
    telemetry_instances: int | None = Field(
        None, description="Client instances that observers answer, with telemetry Terminate.", ge=0
    )
    host_replicas: int | None = Field(None, description="Replicas of the host that call observers now.", ge=0)
    config_hash: str | None = Field(None, description="Hash of the settings.", max_length=64)
    pods_with_config: int | None = Field(None, description="Pods that report these settings.", ge=0)
    pods: PodCoverage | None = Field(
        None, description="Which of the selected pods have an observer, in modes Sidecar and Broker."
    )
    refused_in: tuple[DnsLabel, ...] = Field(
        (),
        description="Namespaces in which pods were refused because of the observer: none is put into pods there until "
        "this resource's spec changes.",
        max_length=1_000,
        json_schema_extra=list_set(),
    )
    refusals_since: str | None = Field(
        None,
        description="When the operator first saw this generation, as RFC 3339 in UTC: refusals before count no longer.",
        max_length=40,
        json_schema_extra={"format": "date-time"},
    )


class ObserverDeployment(Contract):
    """Observes Kafka clients on the wire."""

    model_config = ConfigDict(json_schema_extra=child_name_rule(40))
    api_version: Literal["kwitness.dev/v1beta1"] = API_VERSION
    kind: Literal["ObserverDeployment"] = "ObserverDeployment"
    metadata: ObjectMeta
    spec: ObserverDeploymentSpec = Field(description="Where observers run and what they report.")
    status: ObserverDeploymentStatus | None = Field(None, description="Where observers run and what they have seen.")
