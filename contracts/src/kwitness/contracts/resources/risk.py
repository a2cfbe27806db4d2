"""Fields of what becomes of a subscription that would crash clients: on the KafkaCluster, and stricter on one."""

from __future__ import annotations

from typing import Any, Final, Literal

from .durations import duration_field

__all__ = ["LONGEST_RISK_WINDOW", "RiskPolicy", "risk_window_field"]

RiskPolicy = Literal["Hold", "Apply"]
LONGEST_RISK_WINDOW: Final = "8760h"


def risk_window_field(default: str | None, description: str) -> Any:
    """Return the field `riskWindow`."""
    return duration_field(default, description, minimum="1s", maximum=LONGEST_RISK_WINDOW)
