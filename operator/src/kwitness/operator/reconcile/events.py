"""Events, written deliberately: for what was done to others' objects and for changes of Ready, and not too often."""

from __future__ import annotations

import hashlib
import time
from typing import Final, Literal

from kwitness.contracts.resources.meta import API_VERSION
from kwitness.operator.adapters.kubernetes import FIELD_MANAGER
from kwitness.operator.context import Context
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.store import Key

__all__ = ["emit"]

_LEAST_SECONDS: Final = 300.0
"""Between two events of one object and reason; what happens in between is in the status and in metrics."""

_NOTE_LENGTH: Final = 1024


async def emit(
    context: Context,
    kind: str,
    key: Key,
    *,
    reason: str,
    note: str,
    action: str,
    type_: Literal["Normal", "Warning"],
    about: str = "",
    uid: str | None = None,
) -> None:
    """Write an event about an object of ours; a refusal is not worth failing a reconcile for.

    ``about`` tells events of one reason apart where each is worth being written; ``uid`` is that of an object that is
    gone.
    """
    body = context.store.get(kind, key)
    subject = (kind, key, f"{reason}/{about}" if about else reason)
    last = context.event_written.get(subject, float("-inf"))
    if (body is None and uid is None) or time.monotonic() - last < _LEAST_SECONDS:
        return
    context.event_written[subject] = time.monotonic()
    moment = context.clock.now_ms()
    digest = hashlib.sha256(f"{kind}/{key}/{reason}/{about}/{moment}".encode()).hexdigest()[:16]
    event = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": f"{key.name[:200]}.{digest}", "namespace": key.namespace},
        "eventTime": f"{context.clock.rfc3339(moment)[:-1]}.{moment % 1000:03d}000Z",
        "type": type_,
        "reason": reason,
        "action": action,
        "note": note[:_NOTE_LENGTH],
        "reportingController": "kwitness.dev/operator",
        "reportingInstance": FIELD_MANAGER,
        "regarding": {
            "apiVersion": API_VERSION,
            "kind": kind,
            "name": key.name,
            "namespace": key.namespace,
            "uid": uid if body is None or uid is not None else body["metadata"]["uid"],
        },
    }
    try:
        await context.kubernetes.apply(event)
    except OperatorError:
        del context.event_written[subject]
