"""A broker's CLIENT_METRICS configuration, as the operator, collectors and observers pass it on."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["BrokerSubscriptionConfig"]


class BrokerSubscriptionConfig(BaseModel):
    """One of them, ours or foreign; `match` has Kafka's keys, such as client_id."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    metrics: tuple[str, ...] = ()
    interval_ms: int = 300_000
    match: dict[str, str] = Field(default_factory=dict)
