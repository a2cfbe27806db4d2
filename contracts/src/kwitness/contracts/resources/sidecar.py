"""Observers beside Kafka clients, in the clients' own pods."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DnsLabel

from .contract_model import Contract, Rule, list_set, rules
from .label_selector import LabelSelector
from .rewritten_environment import RewrittenEnvironment

__all__ = ["DEFAULT_BASE_PORT", "Sidecar", "Transparent"]

DEFAULT_BASE_PORT: Final = 19092
"""The port of 127.0.0.1 at which an application finds the observer beside it."""


class Transparent(Contract):
    """Connections of the pod to the listener's ports are redirected to the observer, without a change of any setting.

    The ports are those of the listener's bootstrap servers in the KafkaCluster. Only pods of namespaces whose Pod
    Security level is privileged get such an observer.
    """


class Sidecar(Contract):
    """Observers in the pods of clients, from each pod's next start on; brokers are known by the KafkaCluster's CA."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "!has(self.transparent) || !(has(self.env) || has(self.containers))",
                "transparent redirects the connections of the whole pod and rewrites no variable: remove env and "
                "containers, or transparent",
                field_path=".transparent",
            ),
        )
    )
    selector: LabelSelector | None = Field(
        None, description="Pods that get an observer. Absent: every pod of the namespaces."
    )
    namespace_selector: LabelSelector | None = Field(
        None,
        description="Namespaces whose pods are meant, of those that the installation allows (Helm value "
        "injector.otherNamespaces). Absent: this resource's own. Each must have the label "
        "kwitness.dev/injection=enabled. A pod that resources of its own namespace select gets one of those.",
    )
    containers: tuple[Annotated[DnsLabel, Field(description="The name of a container.")], ...] | None = Field(
        None,
        description="Containers whose variables are rewritten, init containers too. Absent: all of the pod.",
        min_length=1,
        max_length=32,
        json_schema_extra=list_set(),
    )
    env: RewrittenEnvironment | None = Field(
        None,
        description="Variables that are rewritten. Absent: none; the application connects to 127.0.0.1 and basePort by "
        "itself.",
    )
    transparent: Transparent | None = Field(
        None,
        description="Redirects the pod's connections to the listener's ports, whatever the application is told. For "
        "namespaces whose Pod Security level is privileged. Absent: nothing is redirected. Not together with env or "
        "containers.",
    )
    base_port: int = Field(
        DEFAULT_BASE_PORT,
        description="Port of 127.0.0.1 that the application bootstraps from; brokers get the ports above it, and the "
        "port below it is for metrics. Where the pod has one of them, others are taken.",
        ge=1025,
        le=64_000,
    )
