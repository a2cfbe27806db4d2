"""Statuses are written only if they differ; live numbers at most once a minute."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from kwitness.operator.context import Context
from kwitness.operator.model.conditions import Verdict, conditions_of
from kwitness.operator.model.ownership import merge_patch
from kwitness.operator.model.pause import stands_still
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.reconcile.events import emit

__all__ = ["write_status"]

LIVE_FIELDS: Final = frozenset(
    {
        "clients",
        "connections",
        "costs",
        "coverage",
        "findingCounts",
        "findings",
        "findingsTotal",
        "lag",
        "lastRun",
        "ledger",
        "overflowed",
        "pods",
        "podsWithConfig",
        "series",
        "silentSoftware",
        "tableVersion",
        "unsentPrefixes",
    }
)
"""Fields that change by themselves all the time."""

_PARTS: Final = "analyses"
"""A list of what a status is made of, with live fields of its own."""

_log = logging.getLogger(__name__)


async def write_status(
    context: Context, kind: str, subject: Subject, *, fields: dict[str, Any], verdicts: Sequence[Verdict]
) -> float | None:
    """Make the status of ``subject`` say ``fields`` and ``verdicts``.

    The status says of which generation that is. An object that took the subject's place is left alone, and so is a
    status that is about a later generation already. When Ready leaves True, or is True again, an event tells. Returns
    the seconds after which a postponed change of live numbers is due, or None.
    """
    key = subject.key
    body = context.store.get(kind, key)
    if body is None or body["metadata"].get("uid") != subject.uid:
        return None
    present: dict[str, Any] = body.get("status") or {}
    if int(present.get("observedGeneration", 0)) > subject.generation:
        return None
    wanted = {
        **_filled(fields),
        "observedGeneration": subject.generation,
        "conditions": conditions_of(
            verdicts,
            previous=present.get("conditions", ()),
            generation=subject.generation,
            now=context.clock.rfc3339(),
        ),
    }
    patch = merge_patch(present, wanted)
    if not patch:
        return None
    now = time.monotonic()
    written = context.status_written.get((kind, key), float("-inf"))
    wait = written + context.settings.status_seconds - now
    if wait > 0 and _settled(wanted) == _settled(present):
        return wait
    context.status_written[(kind, key)] = now
    updated = await context.kubernetes.patch_status(kind, key, patch, version=body["metadata"]["resourceVersion"])
    if updated is not None and context.store.get(kind, key) is not None:
        # One that was deleted meanwhile must not come back. Our own write comes back as an event; knowing it already,
        # the event is no news and wakes nobody.
        context.store.put(kind, updated)
    new = next((verdict for verdict in verdicts if verdict.type == "Ready"), None)
    if new is not None:
        await _tell(context, kind, key, present, new)
    return None


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [_filled(part) for part in value] if name == _PARTS else value
        for name, value in fields.items()
        if value not in (None, [], {}, ())
    }


def _settled(status: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [_settled(part) for part in value] if name == _PARTS else value
        for name, value in status.items()
        if name not in LIVE_FIELDS
    }


async def _tell(context: Context, kind: str, key: Key, present: dict[str, Any], new: Verdict) -> None:
    """Log a new reason of Ready; make an event of its leaving True, and of its coming back."""
    old = next((one for one in present.get("conditions", ()) if one["type"] == "Ready"), None)
    if old is None or new.reason != old["reason"]:
        _log.info("Ready changed", extra={"kind": kind, "key": str(key), "reason": new.reason, "status": new.status})
    is_ready, was_ready = new.status == "True", old is not None and old["status"] == "True"
    if old is None and not is_ready:
        # A new resource: until it has been ready once, only its status speaks of it.
        context.never_ready.add((kind, key))
    is_first = old is None or (kind, key) in context.never_ready
    if is_ready:
        context.never_ready.discard((kind, key))
    body = context.store.get(kind, key)
    if is_first or is_ready == was_ready or body is None or stands_still(body):
        return
    type_: Literal["Normal", "Warning"] = "Normal" if is_ready else "Warning"
    await emit(context, kind, key, reason=new.reason, action="Reconcile", note=new.message, type_=type_)
