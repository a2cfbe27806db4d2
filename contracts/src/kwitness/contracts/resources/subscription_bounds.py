"""Which clients the subscriptions of a namespace may ask: part of a KafkaCluster."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DNS_LABEL

from .contract_model import Contract, Rule, list_atomic, list_map, rules
from .label_selector import LabelSelector
from .namespace_template import template_field

__all__ = ["ForeignNamespaces", "NamespaceRestriction", "Subscriptions"]


class NamespaceRestriction(Contract):
    """A match that is added to every subscription of one namespace and that the namespace cannot remove."""

    namespace: str = Field(
        description="The namespace whose subscriptions are narrowed.",
        min_length=1,
        max_length=63,
        pattern=DNS_LABEL,
    )
    selector: Literal["clientId", "clientSoftwareName"] = Field(
        "clientId",
        description="What of the client is compared; a subscription of the namespace can match on it only by a pattern "
        "that begins with the prefix, literally.",
    )
    prefix: str = Field(
        description="What it must start with, literally.", min_length=1, max_length=128, pattern=r"^[A-Za-z0-9._-]+$"
    )


class ForeignNamespaces(Contract):
    """Namespaces other than this one, and which clients their subscriptions may ask."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "has(self.template) != self.unrestricted",
                "give template, or set unrestricted: true, not both",
                field_path=".template",
            )
        )
    )
    namespace_selector: LabelSelector = Field(
        description="Labels that a namespace must have to be selected by this entry. Every namespace has its name as "
        "label kubernetes.io/metadata.name. Labels are read again each minute."
    )
    selector: Literal["clientId", "clientSoftwareName"] = Field(
        "clientId",
        description="What of the client is compared; a subscription of the namespace can match on it only by a pattern "
        "that begins with what the template says, literally.",
    )
    template: str | None = template_field(
        "What it must start with, literally, where {namespace} stands for the name of the namespace, such "
        "as '{namespace}.'. A '.' or '_' must follow, which no name of a namespace has, or team would reach the "
        "clients of team-b too. It bounds whom a namespace asks; a client chooses its own id and software name, so "
        "this is no access control and keeps nobody's metrics from anybody."
    )
    unrestricted: bool = Field(
        False, description="Let their subscriptions reach every client they match. Required where template is absent."
    )


class Subscriptions(Contract):
    """Which clients the subscriptions of a namespace may ask."""

    restrict: tuple[NamespaceRestriction, ...] = Field(
        (),
        description="Narrows the subscriptions of one namespace to clients of its own, before foreign is looked at.",
        max_length=64,
        json_schema_extra=list_map("namespace"),
    )
    foreign: tuple[ForeignNamespaces, ...] | None = Field(
        None,
        description="Which clients other namespaces may ask, of those that spec.allowedNamespaces lets refer to this "
        "cluster; the first entry that selects a namespace counts. Subscriptions of one that none selects are refused "
        "(Restricted) and not on the brokers. Absent: they reach every client they match. It bounds whom a namespace "
        "asks; a client chooses its own id, so this is no access control.",
        max_length=32,
        json_schema_extra=list_atomic(),
    )
