"""GET /v1/clients/{client_instance_id}/metrics: what one client instance sent, as it is exposed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .envelope_model import Count, Envelope, Milliseconds, ReplicasAnswer
from .inventory import ClientItem

__all__ = ["ClientMetricValue", "ClientMetrics"]


class ClientMetricValue(Envelope):
    """One metric of one client instance with one set of attributes."""

    name: str = Field(description="Name as the client sent it.")
    prometheus_name: str = Field(description="Name of its samples in the exposition; that of a histogram's family.")
    type: Literal["gauge", "counter", "histogram"] = Field(description="Type of the family.")
    unit: str = Field("", description="Unit of `value` and `sum`, as UCUM has it; empty where it is not known.")
    attributes: dict[str, str] = Field(default_factory=dict, description="The point's own attributes, as sent.")
    value: float | None = Field(
        None,
        description="This instance's value alone: of a gauge its newest, of a counter what it added since the "
        "collector knows it. Absent for a histogram, for NaN, and for a gauge that the series' budget left out.",
    )
    count: Count | None = Field(None, description="Of a histogram: how many were counted.")
    sum: float | None = Field(None, description="Of a histogram: what they add up to.")
    at_ms: Milliseconds | None = Field(
        None,
        description="When the client's newest push came, in milliseconds since 1970; absent where that did not hold "
        "this metric, and the value is of an earlier one.",
    )


class ClientMetrics(ReplicasAnswer):
    """One client instance and everything that it sends."""

    client: ClientItem = Field(description="The instance, as in the inventory.")
    metrics: tuple[ClientMetricValue, ...] = Field((), description="Metrics, by name and attributes.")
    metrics_left_out: Count = Field(0, description="Metrics beyond the 5,000 that one answer holds.")
