"""ObserverDeployment: observers on the wire, beside clients, beside brokers, or as a gateway."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from .connection import Authentication
from .contract_model import Contract, Rule, list_map, list_set, rules
from .ledger import HopLedger
from .meta import API_VERSION, ObjectMeta, Status, child_name_rule
from .observation import IdentityTreatment, ObserverEntry, ObserverLimits
from .references import ClusterRef, LabelSelector, SecretRef
from .standstill import suspend_field

__all__ = [
    "Intercept",
    "MissingPod",
    "ObserverDeployment",
    "ObserverDeploymentSpec",
    "ObserverDeploymentStatus",
    "ObserverHost",
    "ObserverTls",
]

EnvName = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class InterceptEnv(Contract):
    """Rewrites environment variables that hold bootstrap servers."""

    names: tuple[EnvName, ...] = Field(
        description="Variables of the application that hold bootstrap servers.",
        min_length=1,
        max_length=16,
        json_schema_extra=list_set(),
    )


class InterceptTransparent(Contract):
    """Redirects the cluster's ports; no setting of the application changes."""


class Intercept(Contract):
    """How connections are led through the observer."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule("has(self.env) != has(self.transparent)", "exactly one of env and transparent must be given")
        )
    )
    env: InterceptEnv | None = Field(None, description="Rewrites environment variables that hold bootstrap servers.")
    transparent: InterceptTransparent | None = Field(
        None, description="Redirects the cluster's ports in an init step, which needs NET_ADMIN there."
    )


class TlsTermination(Contract):
    """The certificate that the observer shows to clients."""

    secret_ref: SecretRef = Field(
        description="Secret with tls.crt and tls.key for the brokers' names, from a CA that clients trust."
    )


class ObserverTls(Contract):
    """What happens to encrypted connections. Without terminate they pass unread."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "!has(self.clientIdentity) || has(self.terminate)",
                "clientIdentity needs terminate",
                field_path=".clientIdentity",
            )
        )
    )
    terminate: TlsTermination | None = Field(
        None, description="Reads encrypted connections by ending TLS here and starting it again towards the broker."
    )
    client_identity: Literal["None", "CertificatePerPrincipal"] | None = Field(
        None,
        description="How the principal of mutual TLS reaches the broker. None: not at all, and the resource says "
        "IdentityWouldChange where the cluster relies on it.",
    )


class ObserverHost(Contract):
    """Runs observers of type Custom, off the data path."""

    replicas: int = Field(1, description="Replicas; each reads some of the connections.", ge=1, le=64)
    authentication: Authentication = Field(
        default_factory=Authentication,
        description="Who the host is towards Kafka; it needs to read the topic kwitness.requests.",
    )


class ObserverDeploymentSpec(Contract):
    """Where observers run and what they report."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.mode == 'Gateway' || has(self.selector)",
                "selector is required in modes Sidecar and Broker",
                field_path=".selector",
            ),
            Rule(
                "self.mode != 'Gateway' || (!has(self.selector) && !has(self.intercept))",
                "selector and intercept are for modes Sidecar and Broker: clients of a gateway use its address",
                field_path=".selector",
            ),
            Rule(
                "self.mode == 'Gateway' || !has(self.replicas)",
                "replicas is for mode Gateway only",
                field_path=".replicas",
            ),
            Rule(
                "self.mode != 'Sidecar' || has(self.intercept)",
                "intercept is required in mode Sidecar",
                field_path=".intercept",
            ),
            Rule(
                "has(self.host) || !self.observers.exists(o, o.type == 'Custom')",
                "an observer of type Custom needs host, which runs it",
                field_path=".host",
            ),
        )
    )
    cluster_ref: ClusterRef = Field(description="The cluster whose traffic is observed.")
    mode: Literal["Sidecar", "Broker", "Gateway"] = Field(
        description="Where observers run: in client pods, in broker pods, or by themselves in front of the cluster."
    )
    selector: LabelSelector | None = Field(None, description="Pods that get an observer (Sidecar, Broker).")
    replicas: int | None = Field(None, description="Replicas of the gateway. Absent: 2.", ge=1, le=64)
    intercept: Intercept | None = Field(None, description="How connections are led through the observer.")
    observers: tuple[ObserverEntry, ...] = Field(description="What is reported.", min_length=1, max_length=16)
    telemetry: Literal["Passthrough", "Terminate"] = Field(
        "Passthrough",
        description="Whether the broker answers clients' telemetry requests or the observer does, for clusters "
        "without the plugin.",
    )
    delivery: Literal["BestEffort", "Blocking", "Strict"] = Field(
        "BestEffort",
        description="What a client's request waits for: nothing, a deadline, or the collector's acknowledgement.",
    )
    limits: ObserverLimits = Field(default_factory=ObserverLimits, description="Bounds of one observer process.")
    identity: IdentityTreatment = Field(
        default_factory=IdentityTreatment, description="What happens to each identity field."
    )
    tls: ObserverTls | None = Field(
        None, description="What happens to encrypted connections. Absent: they pass unread."
    )
    host: ObserverHost | None = Field(None, description="Runs observers of type Custom.")
    suspend: bool = suspend_field("observers relay and read nothing")


class MissingPod(Contract):
    """A pod that should have an observer and has none."""

    pod: str = Field(description="Name of the pod.", max_length=253)
    reason: str = Field(description="Why, as one stable CamelCase word.", max_length=64)


class ObserverDeploymentStatus(Status):
    """Where observers run and what they have seen."""

    targets: int | None = Field(None, description="Pods that should have an observer.", ge=0)
    injected: int | None = Field(None, description="Pods that have one.", ge=0)
    missing: tuple[MissingPod, ...] = Field(
        (),
        description="Pods that should have one and do not, up to 20.",
        max_length=20,
        json_schema_extra=list_map("pod"),
    )
    connections: int | None = Field(None, description="Client connections open now.", ge=0)
    ledger: tuple[HopLedger, ...] = Field(
        (), description="The ledger by hop.", max_length=32, json_schema_extra=list_map("hop")
    )
    config_hash: str | None = Field(None, description="Hash of the configuration.", max_length=64)
    pods_with_config: int | None = Field(None, description="Pods that run this configuration.", ge=0)


class ObserverDeployment(Contract):
    """Observes Kafka clients on the wire."""

    model_config = ConfigDict(json_schema_extra=child_name_rule(40))
    api_version: Literal["kwitness.dev/v1alpha1"] = API_VERSION
    kind: Literal["ObserverDeployment"] = "ObserverDeployment"
    metadata: ObjectMeta
    spec: ObserverDeploymentSpec = Field(description="Where observers run and what they report.")
    status: ObserverDeploymentStatus | None = Field(None, description="Where observers run and what they have seen.")
