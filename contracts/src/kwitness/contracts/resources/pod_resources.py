"""Resources of a container, as the core API has them, without claims."""

from __future__ import annotations

from pydantic import Field, field_validator, model_validator

from .contract_model import Contract
from .quantities import Quantity, amount_of, check_bounds

__all__ = ["PodResources"]

_MEMORY = "32Mi", "64Gi"


class PodResources(Contract):
    """What a container requests and may use."""

    requests: dict[str, Quantity] = Field(
        default_factory=dict,
        description="What the container requests, by resource. What is absent is as the Helm values say. A request "
        "must not exceed its limit.",
        max_length=8,
    )
    limits: dict[str, Quantity] = Field(
        default_factory=dict,
        description="What the container may use, by resource. What is absent is as the Helm values say. Memory must be "
        f"from {_MEMORY[0]} to {_MEMORY[1]}.",
        max_length=8,
    )

    @field_validator("limits")
    @classmethod
    def _memory_is_bounded(cls, limits: dict[str, str]) -> dict[str, str]:
        if memory := limits.get("memory"):
            check_bounds(memory, *_MEMORY)
        return limits

    @model_validator(mode="after")
    def _requests_fit_limits(self) -> PodResources:
        for name in sorted(self.requests.keys() & self.limits.keys()):
            request, limit = self.requests[name], self.limits[name]
            if amount_of(request) > amount_of(limit):
                raise ValueError(f"requests.{name} {request} must not exceed limits.{name} {limit}")
        return self
