"""ObserverDeployment: observers on the wire, as a gateway in front of a listener, beside clients or beside brokers."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from kwitness.contracts.dns_label import DnsLabel

from .contract_model import Contract, Rule, list_atomic, list_map, list_set, rules
from .durations import duration_field
from .gateway import Gateway
from .label_selector import LabelSelector
from .ledger import HopLedger
from .meta import API_VERSION, ObjectMeta, Status, child_name_rule
from .observation import ObserverEntry, ObserverLimits
from .observer_host import ObserverHost
from .own_broker import OwnBroker
from .precedence import priority_field
from .privacy import ObservedIdentities
from .references import ClusterRef
from .sidecar import Sidecar
from .standstill import suspend_field
from .times import time_field

__all__ = [
    "Coverage",
    "LeftOutPods",
    "ListenerRef",
    "ObserverDeployment",
    "ObserverDeploymentSpec",
    "ObserverDeploymentStatus",
    "PodCoverage",
    "UnseenSoftware",
]

Command = Annotated[str, Field(max_length=512, description="A command for a shell.")]


class ListenerRef(Contract):
    """A listener of the KafkaCluster."""

    name: str = Field(
        description="Name of an entry of spec.listeners of the KafkaCluster.",
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z0-9_]+$",
    )


class ObserverDeploymentSpec(Contract):
    """Where observers run and what they report."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "[has(self.gateway), has(self.sidecar), has(self.broker)].exists_one(given, given)",
                "give exactly one of gateway, sidecar and broker, which say where observers run",
            ),
            Rule(
                "(!has(oldSelf.gateway) || has(self.gateway)) && (!has(oldSelf.sidecar) || has(self.sidecar)) && "
                "(!has(oldSelf.broker) || has(self.broker))",
                "where observers run cannot be changed: make another resource, and delete this one when it acts",
            ),
            Rule(
                "!has(self.broker) || has(self.listenerRef)",
                "listenerRef is required with broker: name the brokers' listener",
                field_path=".listenerRef",
            ),
            Rule(
                "self.telemetry != 'Terminate' || !has(self.identity) || "
                "!self.identity.exists(entry, entry.key == 'client_instance_id' && entry.treatment != 'Keep')",
                "telemetry Terminate needs client_instance_id, or a push has no client: remove its entry in identity",
                field_path=".telemetry",
            ),
            Rule(
                "!has(self.limits) || "
                "!(has(self.limits.maxConnectionsPerAddress) || has(self.limits.maxConnectionRatePerAddress)) || "
                "(has(self.gateway) && (self.gateway.service.type == 'ClusterIP' || "
                "(has(self.gateway.service.externalTrafficPolicy) && "
                "self.gateway.service.externalTrafficPolicy == 'Local')))",
                "limits by address need a gateway that sees clients' addresses: set gateway.service."
                "externalTrafficPolicy to Local, or remove maxConnectionsPerAddress and maxConnectionRatePerAddress",
                field_path=".limits",
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
        "spec.bootstrapServers. Required with broker.",
    )
    gateway: Gateway | None = Field(
        None,
        description="Observers run by themselves in front of the brokers, and clients use their addresses. Exactly one "
        "of gateway, sidecar and broker is given, and none can be exchanged for another.",
    )
    sidecar: Sidecar | None = Field(
        None, description="Observers run in the pods of clients, from each pod's next start on."
    )
    broker: OwnBroker | None = Field(
        None,
        description="Observers run in the pods of brokers, and clients keep their addresses. Needs listenerRef.",
    )
    priority: int = priority_field("ObserverDeployments of this namespace for one listener or pod")
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
    host: ObserverHost | None = Field(
        None,
        description="Classes of your own that are called for requests and responses (KIP-388). Absent: none, and "
        "nothing runs. Needs an observer of type Requests.",
    )
    suspend: bool = suspend_field("observers relay and read nothing")

    @model_validator(mode="after")
    def _runs_in_one_place(self) -> Self:
        # Of a resource that another schema stored the API server drops what it does not know.
        if sum(place is not None for place in (self.gateway, self.sidecar, self.broker)) != 1:
            raise ValueError("exactly one of gateway, sidecar and broker must be given")
        return self

    @property
    def selector(self) -> LabelSelector | None:
        """Pods that get an observer; None: every pod of the namespaces."""
        if self.broker is not None:
            return self.broker.selector
        return None if self.sidecar is None else self.sidecar.selector

    @property
    def namespace_selector(self) -> LabelSelector | None:
        """Namespaces of those pods; None: the resource's own."""
        return None if self.sidecar is None else self.sidecar.namespace_selector

    @property
    def is_transparent(self) -> bool:
        """Return whether connections of clients are redirected, so that they keep the brokers' addresses."""
        return self.sidecar is not None and self.sidecar.transparent is not None


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
        json_schema_extra=list_atomic(),
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
        None, description="Which of the selected pods have an observer, with spec.sidecar and spec.broker."
    )
    refused_in: tuple[Annotated[DnsLabel, Field(description="The name of a namespace.")], ...] = Field(
        (),
        description="Namespaces in which pods were refused because of the observer: none is put into pods there until "
        "this resource's spec changes.",
        max_length=1_000,
        json_schema_extra=list_set(),
    )
    refusals_since: str | None = time_field(
        "When the operator first saw this generation, as RFC 3339 in UTC: refusals before count no longer."
    )


class ObserverDeployment(Contract):
    """Observes Kafka clients on the wire."""

    model_config = ConfigDict(json_schema_extra=child_name_rule(40))
    api_version: Literal["kwitness.dev/v1beta1"] = API_VERSION
    kind: Literal["ObserverDeployment"] = "ObserverDeployment"
    metadata: ObjectMeta
    spec: ObserverDeploymentSpec = Field(
        description="Where observers run (exactly one of gateway, sidecar and broker) and what they report."
    )
    status: ObserverDeploymentStatus | None = Field(None, description="Where observers run and what they have seen.")
