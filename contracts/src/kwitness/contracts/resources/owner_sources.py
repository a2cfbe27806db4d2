"""Sources of owners that a KafkaCluster names."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DNS_LABEL, DnsLabel

from .contract_model import Contract, Rule, list_set, rules
from .label_selector import LabelKey
from .references import OwnersConfigMapRef

__all__ = ["NamespaceOwners", "OwnerKeys", "OwnerSources", "StrimziOwners"]


StrimziNamespace = Annotated[DnsLabel, Field(description="A namespace, such as kafka.")]


class OwnerKeys(Contract):
    """Keys of metadata that name an owner."""

    team_key: LabelKey = Field(
        "kwitness.dev/owner",
        description="Key of the annotation, else of the label, with the name of the team; at most 128 characters. What "
        "has neither has no owner by this source.",
    )
    contact_key: LabelKey = Field(
        "kwitness.dev/contact",
        description="Key of the annotation, else of the label, with the way to reach the team; at most 256 characters.",
    )


class StrimziOwners(OwnerKeys):
    """Strimzi's KafkaUsers and KafkaTopics: a user owns its principal, a topic itself."""

    cluster: str = Field(
        description="Name of Strimzi's Kafka: the label strimzi.io/cluster of its users and topics.",
        min_length=1,
        max_length=63,
        pattern=DNS_LABEL,
    )
    namespaces: tuple[StrimziNamespace, ...] = Field(
        description="Namespaces of the users and topics; of two that are the same the first namespace counts. Other "
        "namespaces than that of the KafkaCluster can be named in the operator's own namespace alone, and the Helm "
        "value owners.strimziNamespaces must have each.",
        min_length=1,
        max_length=16,
        json_schema_extra=list_set(),
    )


class NamespaceOwners(OwnerKeys):
    """Namespaces that the operator watches, each the owner of clients in its own pods."""


class OwnerSources(Contract):
    """Owners of clients, groups and topics, by source: the ConfigMap counts first, then users, topics, namespaces."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "has(self.configMapRef) || has(self.strimzi) || has(self.namespaces)",
                "name at least one of configMapRef, strimzi and namespaces",
            )
        )
    )
    config_map_ref: OwnersConfigMapRef | None = Field(
        None,
        description="ConfigMap with a list of teams and of what is theirs, as kwitness.owners.v1.json of the schemas "
        "describes it; the first entry that fits counts.",
    )
    strimzi: StrimziOwners | None = Field(None, description="Strimzi's KafkaUsers, then its KafkaTopics.")
    namespaces: NamespaceOwners | None = Field(
        None,
        description="Metadata of the namespaces that the operator watches; with watchNamespaces ['*'] the Helm value "
        "owners.namespaces lets it list them.",
    )
