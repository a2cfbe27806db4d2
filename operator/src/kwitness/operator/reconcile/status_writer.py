"""Statuses are written only if they differ; live numbers at most once a minute."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any, Final

from kwitness.operator.context import Context
from kwitness.operator.desired.conditions import Verdict, conditions_of
from kwitness.operator.desired.ownership import merge_patch
from kwitness.operator.store import Key

__all__ = ["write_status"]

LIVE_FIELDS: Final = frozenset(
    {"clients", "silentSoftware", "unsentPrefixes", "series", "overflowed", "ledger", "lag", "lastRun", "tableVersion"}
)
"""Fields that change by themselves all the time."""

_log = logging.getLogger(__name__)


async def write_status(
    context: Context, kind: str, key: Key, *, fields: dict[str, Any], verdicts: Sequence[Verdict]
) -> float | None:
    """Make the status of ``key`` say ``fields`` and ``verdicts``.

    Returns the seconds after which a postponed change of live numbers is due, or None.
    """
    body = context.store.get(kind, key)
    if body is None:
        return None
    present: dict[str, Any] = body.get("status") or {}
    generation = int(body["metadata"].get("generation", 0))
    wanted = {
        **{name: value for name, value in fields.items() if value not in (None, [], {}, ())},
        "observedGeneration": generation,
        "conditions": conditions_of(
            verdicts,
            previous=present.get("conditions", ()),
            generation=generation,
            now=context.clock.rfc3339(),
        ),
    }
    patch = merge_patch(present, wanted)
    if not patch:
        return None
    now = time.monotonic()
    written = context.status_written.get((kind, key), float("-inf"))
    wait = written + context.settings.status_seconds - now
    if set(patch) <= LIVE_FIELDS and wait > 0:
        return wait
    context.status_written[(kind, key)] = now
    updated = await context.kubernetes.patch_status(kind, key.namespace, key.name, patch)
    if updated is not None and context.store.get(kind, key) is not None:
        # One that was deleted meanwhile must not come back. Our own write comes back as an event; knowing it already,
        # the event is no news and wakes nobody.
        context.store.put(kind, updated)
    old_reason = next((one["reason"] for one in present.get("conditions", ()) if one["type"] == "Ready"), None)
    new = next((verdict for verdict in verdicts if verdict.type == "Ready"), None)
    if new is not None and new.reason != old_reason:
        _log.info("Ready changed", extra={"kind": kind, "key": str(key), "reason": new.reason, "status": new.status})
    return None
