"""A gateway: an observer by itself in front of the brokers, whose addresses clients use instead of theirs."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.endpoints import PROBE_PORT

from .contract_model import Contract, Rule, rules
from .pod_resources import PodResources
from .pod_settings import PodSettings
from .references import CaSecretRef, SecretRef
from .service_settings import ServiceSettings

__all__ = ["Gateway", "GatewayTls"]

_DEFAULT_REPLICAS: Final = 2


class GatewayTls(Contract):
    """TLS between clients and the gateway."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.mode != 'Required' || has(self.secretRef)",
                "secretRef is required with mode Required: name a Secret with the gateway's certificate",
                field_path=".secretRef",
            ),
            Rule(
                "self.mode == 'Required' || !(has(self.secretRef) || has(self.clientCaSecretRef))",
                "secretRef and clientCaSecretRef are for mode Required: remove them, or set mode to Required",
                field_path=".mode",
            ),
        )
    )
    mode: Literal["Required", "Disabled"] = Field(
        "Required",
        description="Required: clients speak TLS, which the gateway ends. Disabled: they speak plaintext to it, "
        "passwords included, also where the listener has TLS.",
    )
    secret_ref: SecretRef | None = Field(
        None,
        description="Secret with the keys tls.crt and tls.key: the gateway's certificate, valid for the host that "
        "clients are told. A change of the Secret acts without a restart. Required with mode Required, and for it "
        "alone.",
    )
    client_ca_secret_ref: CaSecretRef | None = Field(
        None,
        description="Secret with the key ca.crt: who signs the certificates that clients must have. Absent: they need "
        "none. Brokers never see a client's certificate. For mode Required alone.",
    )


class Gateway(Contract):
    """Observers by themselves in front of the brokers; clients use their addresses instead of the brokers'."""

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
        )
    )
    replicas: int = Field(_DEFAULT_REPLICAS, description="Replicas of the gateway.", ge=1, le=64)
    bootstrap_port: int = Field(
        9092,
        description="Port that clients bootstrap from. Each broker gets one of the ports above it, which it keeps. Not "
        f"{PROBE_PORT}; from 30000 to 32766 where service.type is NodePort.",
        ge=1024,
        le=64_000,
    )
    service: ServiceSettings = Field(
        default_factory=ServiceSettings, description="The Service by which clients reach the gateway."
    )
    advertised_host: str | None = Field(
        None,
        description="Host that clients are told; {name} and {namespace} stand for those of this resource. Absent: the "
        "Service's name within the Kubernetes cluster. Required unless service.type is ClusterIP.",
        min_length=1,
        max_length=200,
        pattern=r"^([A-Za-z0-9.-]|\{name\}|\{namespace\})+$",
    )
    tls: GatewayTls | None = Field(
        None,
        description="TLS between clients and the gateway. Absent: plaintext, and a gateway in front of a listener with "
        "TLS is refused.",
    )
    ca_secret_ref: CaSecretRef | None = Field(
        None,
        description="Secret with the key ca.crt: who signs the brokers' certificates, of a listener with TLS. Absent: "
        "the KafkaCluster's, where that is in the same namespace, else the system's CAs.",
    )
    pod: PodSettings = Field(
        default_factory=PodSettings, description="Labels, annotations and placement of the gateway's pods."
    )
    resources: PodResources = Field(
        default_factory=PodResources,
        description="Resources of the observer in each pod. What is absent is as the Helm value observer.resources "
        "says.",
    )

    @property
    def certificate(self) -> SecretRef | None:
        """Its certificate; None where clients speak plaintext to it."""
        return None if self.tls is None else self.tls.secret_ref

    @property
    def accepts_plaintext(self) -> bool:
        """Return whether clients of a listener with TLS may speak plaintext to it."""
        return self.tls is not None and self.tls.mode == "Disabled"

    @property
    def client_authority(self) -> CaSecretRef | None:
        """The CA of the certificates that clients must have; None where they need none."""
        return None if self.tls is None else self.tls.client_ca_secret_ref
