"""Reads the Helm values that every component's pods have: environment, metadata and placement."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

__all__ = ["PodValues", "SettingsBlock", "TrustBundle"]


class SettingsBlock(BaseModel):
    """A block of the settings file; names are in camel case, as in the Helm values."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class TrustBundle(SettingsBlock):
    """CA certificates that programs trust beside the system's, in a ConfigMap of each namespace with pods of ours."""

    config_map: str = Field(description="Name of the ConfigMap.")
    key: str = Field("ca.crt", description="Its key with the certificates, PEM.")


class PodValues(SettingsBlock):
    """Pods of one component: the Helm values `pods` with the component's own `pod` over them."""

    labels: dict[str, str] = Field(default_factory=dict, description="Labels beside the operator's own.")
    annotations: dict[str, str] = Field(default_factory=dict, description="Annotations beside the operator's own.")
    env: list[dict[str, Any]] = Field(
        default_factory=list, description="Variables of the container beside the operator's own."
    )
    security_context: dict[str, Any] = Field(
        default_factory=dict, description="Added to the security context of the pods."
    )
    node_selector: dict[str, str] | None = Field(None, description="Labels a node must have.")
    tolerations: list[dict[str, Any]] | None = Field(None, description="Taints to tolerate.")
    affinity: dict[str, Any] | None = Field(None, description="Affinity.")
    topology_spread_constraints: list[dict[str, Any]] | None = Field(
        None,
        description="Topology spread constraints; one without labelSelector counts the pods of the same resource."
        " null: replicas on different nodes where there are such.",
    )
    priority_class_name: str | None = Field(None, description="PriorityClass.")
    dns_policy: str | None = Field(None, description="DNS policy.")
    dns_config: dict[str, Any] | None = Field(None, description="DNS settings, which dnsPolicy None needs.")
