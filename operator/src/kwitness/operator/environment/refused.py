"""In which namespaces pods were refused because of what a resource puts into them, since it was changed last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.operator.desired.sidecar_reach import may_act_in
from kwitness.operator.environment.clusters import Reporting
from kwitness.operator.model.moments import milliseconds_of, rfc3339
from kwitness.operator.model.refusals import Refusal
from kwitness.operator.model.store import Subject
from kwitness.operator.settings import OperatorSettings

__all__ = ["refused_in", "seen_since"]


def seen_since(body: Mapping[str, Any], now_ms: int) -> str:
    """When the present generation was seen first, as the status remembers it, else now; RFC 3339 in UTC."""
    known = _status_of_this_generation(body).get("refusalsSince")
    return str(known) if known else rfc3339(now_ms)


def refused_in(
    body: Mapping[str, Any],
    resource: Reporting,
    refusals: Mapping[str, Refusal],
    *,
    now_ms: int,
    settings: OperatorSettings,
) -> tuple[str, ...]:
    """Those that the status remembers, and those of which an event has told since this generation was seen first.

    So a refusal stops injection before anything is written, and outlives the event and this process.
    """
    since = milliseconds_of(seen_since(body, now_ms))
    told = {
        one.namespace
        for one in refusals.values()
        if one.at_ms > since and may_act_in(resource, one.namespace, settings)
    }
    return tuple(sorted({*_status_of_this_generation(body).get("refusedIn", ()), *told}))


def _status_of_this_generation(body: Mapping[str, Any]) -> Mapping[str, Any]:
    status: Mapping[str, Any] = body.get("status") or {}
    return status if status.get("observedGeneration") == Subject.of(body).generation else {}
