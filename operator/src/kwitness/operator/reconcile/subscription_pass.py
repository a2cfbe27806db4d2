"""One look at the subscriptions of a Kafka cluster: what it works with, and where it puts what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kwitness.operator.context import ClusterFacts, Context, SubscriptionOutcome
from kwitness.operator.model.store import Key

__all__ = ["SubscriptionPass"]


@dataclass(frozen=True, slots=True)
class SubscriptionPass:
    """``resources`` are the bodies of the subscriptions by key; ``outcomes`` is filled as the pass goes on."""

    context: Context
    facts: ClusterFacts
    cluster: Key
    resources: Mapping[Key, dict[str, Any]]
    outcomes: dict[Key, SubscriptionOutcome]
