"""Writing the statuses of a cluster's subscriptions from what is known: outcome, inventory, numbers."""

from __future__ import annotations

import asyncio
from typing import Final

from kwitness.operator.context import Context, SubscriptionOutcome
from kwitness.operator.desired.subscription_status import live_fields
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.status_writer import write_status

__all__ = ["write_subscription_statuses"]

_AT_ONCE: Final = 8
"""Statuses written at the same time; the API server answers each within a few milliseconds."""


async def write_subscription_statuses(context: Context, cluster: Key) -> None:
    """Write the status of each subscription whose outcome is known."""
    facts = context.clusters.get(cluster)
    if facts is None:
        return
    turns = asyncio.Semaphore(_AT_ONCE)

    async def write(key: Key, outcome: SubscriptionOutcome) -> None:
        name = outcome.fields.get("brokerResource")
        state = facts.subscription_states.get(name) if name is not None else None
        verdicts = [outcome.verdict] + ([facts.inventory_verdict] if facts.inventory_verdict else [])
        async with turns:
            if facts.outcomes.get(key) is not outcome:
                # A later look has found something else meanwhile, and says it itself.
                return
            await write_status(
                context,
                "ClientMetricsSubscription",
                outcome.subject,
                fields={**outcome.fields, **live_fields(state)},
                verdicts=verdicts,
            )

    await asyncio.gather(*(write(key, outcome) for key, outcome in sorted(facts.outcomes.items())))
