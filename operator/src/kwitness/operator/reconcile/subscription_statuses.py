"""Writing the statuses of a cluster's subscriptions from what is known: outcome, inventory, numbers."""

from __future__ import annotations

from kwitness.operator.context import Context
from kwitness.operator.desired.subscription_status import live_fields
from kwitness.operator.reconcile.status_writer import write_status
from kwitness.operator.store import Key

__all__ = ["write_subscription_statuses"]


async def write_subscription_statuses(context: Context, cluster: Key) -> None:
    """Write the status of each subscription whose outcome is known."""
    facts = context.clusters.get(cluster)
    if facts is None:
        return
    for key, outcome in sorted(facts.outcomes.items()):
        name = outcome.fields.get("brokerResource")
        state = facts.subscription_states.get(name) if name is not None else None
        verdicts = [outcome.verdict] + ([facts.inventory_verdict] if facts.inventory_verdict else [])
        await write_status(
            context,
            "ClientMetricsSubscription",
            key,
            fields={**outcome.fields, **live_fields(state)},
            verdicts=verdicts,
        )
