"""The kinds whose models are here and whose reconcilers come later; until then they say so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from kwitness.operator.context import Context
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.reconcile.status_writer import write_status
from kwitness.operator.work_queue import Requeue

__all__ = ["reconcile_unsupported"]


def reconcile_unsupported(kind: str) -> Callable[[Context, Key], Awaitable[Requeue]]:
    """Return the reconcile for a kind that nothing acts on yet."""

    async def reconcile(context: Context, key: Key) -> Requeue:
        body = context.store.get(kind, key)
        if body is None:
            return Requeue.never()
        message = f"this version does nothing with {kind} resources yet: keep it for a later one, or delete it"
        verdict = Verdict("Ready", "False", "Unsupported", message)
        await write_status(context, kind, Subject.of(body), fields={}, verdicts=[verdict])
        return Requeue()

    return reconcile
