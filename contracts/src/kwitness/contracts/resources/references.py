"""References to other objects: by name, typed, and never to a Secret that was made for something else."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from .contract_model import Contract, Rule, rules

__all__ = ["ClusterRef", "ConfigMapRef", "LabelSelector", "LabelText", "SecretRef"]

LabelText = Annotated[str, Field(max_length=63, pattern=r"^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$")]
"""The value of a label, as Kubernetes allows it."""

_SUBDOMAIN = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"
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
        description="Name of the Secret, in the same namespace; it must start with kwitness-.",
        min_length=1,
        max_length=253,
        pattern=_SUBDOMAIN,
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
        pattern=_SUBDOMAIN,
    )


class ClusterRef(Contract):
    """A KafkaCluster."""

    name: str = Field(description="Name of the KafkaCluster.", min_length=1, max_length=63, pattern=_SUBDOMAIN)
    namespace: str | None = Field(
        None,
        description="Namespace of the KafkaCluster, if not the same; that KafkaCluster must allow it "
        "(spec.allowedNamespaces).",
        min_length=1,
        max_length=63,
        pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    )


class LabelSelector(Contract):
    """Objects by their labels."""

    match_labels: dict[str, LabelText] = Field(
        description="Labels that an object must have, all of them.", min_length=1, max_length=16
    )
