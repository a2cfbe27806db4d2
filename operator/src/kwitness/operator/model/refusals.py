"""Pods that could not be made, told by events of whoever makes them.

Admission sees quotas, limit ranges and Pod Security after the injector, so only such an event tells that a pod is
refused with what was put into it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kwitness.contracts.injections import OBSERVER_CONTAINER
from kwitness.contracts.interceptor_injections import INTERCEPTORS_CONTAINER
from kwitness.operator.model.moments import milliseconds_of

__all__ = ["REASON", "Refusal", "refusal_of"]

REASON: Final = "FailedCreate"
"""Of such events."""

_OURS_COUNT: Final = re.compile(
    # What the observer asks for is in the sum, or is judged by itself.
    r"exceeded quota: .*requested: [^:]*\b(cpu|memory|ephemeral-storage)=|\bper (Container|Pod) is\b"
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """When pods of ``subject``, such as ``ReplicaSet orders-5f7``, were refused last, in milliseconds since 1970."""

    namespace: str
    subject: str
    at_ms: int


def refusal_of(event: Mapping[str, Any]) -> Refusal | None:
    """Read an event of core/v1; None where neither observer nor interceptors can be the cause."""
    message = str(event.get("message") or "")
    named = OBSERVER_CONTAINER in message or INTERCEPTORS_CONTAINER in message
    if event.get("reason") != REASON or not (named or _OURS_COUNT.search(message)):
        return None
    subject = event.get("involvedObject") or {}
    times = (
        (event.get("series") or {}).get("lastObservedTime"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
        event["metadata"].get("creationTimestamp"),
    )
    return Refusal(
        namespace=str(event["metadata"]["namespace"]),
        subject=f"{subject.get('kind', '')} {subject.get('name', '')}",
        at_ms=max(milliseconds_of(one) for one in times),
    )
