"""Settings of a Service that a resource has made: its type, and what a load balancer reads."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from .contract_model import Contract, Rule, list_set, rules
from .label_selector import LABEL_KEY, LabelText
from .pod_settings import AnnotationText, metadata_rules

__all__ = ["ServiceSettings"]

Cidr = Annotated[
    str,
    Field(
        min_length=3,
        max_length=64,
        description="A range of addresses, such as 10.0.0.0/8.",
        json_schema_extra=rules(Rule("isCIDR(self)", "must be a range of addresses such as 10.0.0.0/8")),
    ),
]

_OF_LOAD_BALANCERS: Final = ("loadBalancerClass", "loadBalancerSourceRanges")


class ServiceSettings(Contract):
    """How clients reach the pods."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            *metadata_rules("labels", "annotations"),
            *(
                Rule(
                    f"self.type == 'LoadBalancer' || !has(self.{field})",
                    f"{field} goes with type LoadBalancer, and only with it",
                    field_path=f".{field}",
                )
                for field in _OF_LOAD_BALANCERS
            ),
            Rule(
                "self.type != 'ClusterIP' || !has(self.externalTrafficPolicy)",
                "externalTrafficPolicy goes with type LoadBalancer and NodePort, and only with them",
                field_path=".externalTrafficPolicy",
            ),
            Rule(
                "self.type != 'LoadBalancer' || oldSelf.type != 'LoadBalancer' || "
                "(has(self.loadBalancerClass) ? has(oldSelf.loadBalancerClass) && "
                "self.loadBalancerClass == oldSelf.loadBalancerClass : !has(oldSelf.loadBalancerClass))",
                "loadBalancerClass cannot be changed while type is LoadBalancer: apply another type first",
                field_path=".loadBalancerClass",
            ),
        )
    )
    type: Literal["ClusterIP", "LoadBalancer", "NodePort"] = Field("ClusterIP", description="Type of the Service.")
    labels: dict[str, LabelText] = Field(
        default_factory=dict,
        description="Labels that the Service gets besides its own. Keys with the prefixes app.kubernetes.io/ and "
        "kwitness.dev/ are refused.",
        max_length=16,
    )
    annotations: dict[str, AnnotationText] = Field(
        default_factory=dict,
        description="Annotations that the Service gets, as load balancers read them. Keys with the prefixes "
        "app.kubernetes.io/ and kwitness.dev/ are refused.",
        max_length=16,
    )
    load_balancer_class: str | None = Field(
        None,
        description="Class of the load balancer, with type LoadBalancer. Absent: the cluster's default. It cannot be "
        "changed while the type is LoadBalancer.",
        min_length=1,
        max_length=317,
        pattern=LABEL_KEY,
    )
    load_balancer_source_ranges: tuple[Cidr, ...] | None = Field(
        None,
        description="Ranges of addresses from which clients reach the load balancer, with type LoadBalancer. Absent: "
        "all.",
        min_length=1,
        max_length=32,
        json_schema_extra=list_set(),
    )
    external_traffic_policy: Literal["Cluster", "Local"] | None = Field(
        None,
        description="Whether nodes pass connections on to pods of other nodes (Cluster) or to their own alone (Local), "
        "which keeps clients' addresses. With type LoadBalancer and NodePort. Absent: Cluster.",
    )

    @property
    def keeps_addresses(self) -> bool:
        """Return whether connections arrive with the addresses of clients; else with those of nodes."""
        return self.type == "ClusterIP" or self.external_traffic_policy == "Local"
