"""What every resource has: group and version, metadata, conditions and the common part of a status."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from kwitness.contracts.dns_label import DNS_LABEL

from .contract_model import Contract, Rule, list_map, rules
from .durations import parse_duration
from .times import time_field

__all__ = [
    "API_VERSION",
    "GROUP",
    "VERSION",
    "Condition",
    "ObjectMeta",
    "OwnerReference",
    "Status",
    "child_name_rule",
    "parse_duration",
]

GROUP = "kwitness.dev"
VERSION = "v1beta1"
API_VERSION: Final = "kwitness.dev/v1beta1"


class OwnerReference(Contract):
    """Who owns an object; see the Kubernetes API."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None


class ObjectMeta(Contract):
    """The part of Kubernetes' metadata that our components read."""

    name: str
    namespace: str = ""
    uid: str = ""
    generation: int = 0
    resource_version: str = ""
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)
    owner_references: tuple[OwnerReference, ...] = ()


class Condition(Contract):
    """One aspect of a resource's state; the fields of Kubernetes' own metav1.Condition."""

    type: str = Field(
        description="The aspect, in CamelCase, such as Ready.", max_length=64, pattern="^[A-Z][A-Za-z0-9]*$"
    )
    status: Literal["True", "False", "Unknown"] = Field(description="Whether the aspect holds.")
    reason: str = Field(
        description="Why, as one stable CamelCase word to script on.", max_length=64, pattern="^[A-Z][A-Za-z0-9]*$"
    )
    message: str = Field(description="What is the case and what to do next, for people.", max_length=4096)
    last_transition_time: str = time_field("When status last changed, as RFC 3339 in UTC.", required=True)
    observed_generation: int | None = Field(
        None, description="The metadata.generation that this condition was made from.", ge=0
    )


class Status(Contract):
    """The part of a status that every kind has."""

    observed_generation: int | None = Field(
        None, description="The metadata.generation that this status was made from.", ge=0
    )
    conditions: tuple[Condition, ...] = Field(
        (),
        description="The state by aspect; Ready comes first.",
        max_length=16,
        json_schema_extra=list_map("type"),
    )


def child_name_rule(limit: int) -> dict[str, Any]:
    """Return schema extras for a kind whose name becomes part of names of Services, StatefulSets and labels.

    `limit` is the longest name in characters; longer child names would not fit the 63 of a DNS label.
    """
    return rules(
        Rule(
            f"self.metadata.name.size() <= {limit} && self.metadata.name.matches('{DNS_LABEL}')",
            f"metadata.name must be a DNS label of at most {limit} characters (lower-case letters, digits and '-'), "
            "since names of other objects are made from it",
            field_path=".metadata.name",
        )
    )
