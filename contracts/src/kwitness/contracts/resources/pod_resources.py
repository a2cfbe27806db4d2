"""Processor time and memory of pods we make; typed, so that no other pod setting can be smuggled in."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from .contract_model import Contract, Rule, rules

__all__ = ["PodResources", "Quantity", "ResourceAmounts"]

Quantity = Annotated[
    str,
    Field(
        max_length=32,
        pattern=r"^[0-9]+(\.[0-9]{1,3})?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$",
    ),
]
"""An amount as Kubernetes writes it: `500m`, `128Mi`."""


class ResourceAmounts(Contract):
    """Amounts of processor time and memory."""

    cpu: Quantity | None = Field(None, description="Processors, such as 500m.")
    memory: Quantity | None = Field(None, description="Memory, such as 128Mi.")


class PodResources(Contract):
    """What a pod asks for and may use."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "!has(self.limits) || !has(self.limits.memory) || "
                "(quantity(self.limits.memory).compareTo(quantity('32Mi')) >= 0 && "
                "quantity(self.limits.memory).compareTo(quantity('64Gi')) <= 0)",
                "limits.memory must be from 32Mi to 64Gi",
                field_path=".limits.memory",
            ),
            Rule(
                "!has(self.limits) || !has(self.limits.memory) || !has(self.requests) || !has(self.requests.memory) || "
                "quantity(self.requests.memory).compareTo(quantity(self.limits.memory)) <= 0",
                "requests.memory must not exceed limits.memory",
                field_path=".requests.memory",
            ),
            Rule(
                "!has(self.limits) || !has(self.limits.cpu) || !has(self.requests) || !has(self.requests.cpu) || "
                "quantity(self.requests.cpu).compareTo(quantity(self.limits.cpu)) <= 0",
                "requests.cpu must not exceed limits.cpu",
                field_path=".requests.cpu",
            ),
        )
    )
    requests: ResourceAmounts | None = Field(None, description="What the pod asks for. Absent: the Helm values'.")
    limits: ResourceAmounts | None = Field(None, description="What the pod may use. Absent: the Helm values'.")
