"""Part of a KafkaCluster that lists the HeaderRegistries that claim header keys and ids."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DnsLabel

from .contract_model import Contract, Rule, rules
from .label_selector import LabelSelector
from .namespace_template import template_field
from .references import SUBDOMAIN

__all__ = ["ListedRegistries"]


class ListedRegistries(Contract):
    """One HeaderRegistry by name, or those of namespaces by label."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "has(self.name) != has(self.namespaceSelector)",
                "give name, or namespaceSelector and template, not both",
                field_path=".name",
            ),
            Rule(
                "has(self.namespaceSelector) == has(self.template)",
                "template goes with namespaceSelector, and only with it",
                field_path=".template",
            ),
            Rule(
                "!has(self.namespace) || has(self.name)",
                "namespace goes with name: select namespaces by namespaceSelector",
                field_path=".namespace",
            ),
        )
    )
    name: str | None = Field(
        None,
        description="Name of a HeaderRegistry, which may claim any key and id. Either name or namespaceSelector.",
        min_length=1,
        max_length=253,
        pattern=SUBDOMAIN,
    )
    namespace: DnsLabel | None = Field(None, description="Its namespace, if not that of the KafkaCluster. Needs name.")
    namespace_selector: LabelSelector | None = Field(
        None,
        description="Labels of the namespaces whose HeaderRegistries are selected by this entry. Every namespace has "
        "its name as label kubernetes.io/metadata.name. Labels are read again each minute. Needs template.",
    )
    template: str | None = template_field(
        "What keys of such a register must start with, literally, where {namespace} stands for the name of its "
        "namespace, such as '{namespace}.'. A '.' or '_' must follow, which no name of a namespace has. Other keys are "
        "refused, and so are those with an id of their own: ids come from the register's spec.idRange. Required with "
        "namespaceSelector, and only with it."
    )
