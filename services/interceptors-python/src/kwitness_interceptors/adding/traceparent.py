"""The header traceparent of W3C Trace Context (contracts/vectors/traceparent.json)."""

from __future__ import annotations

import os
import re
from typing import NamedTuple, Optional

__all__ = ["TRACEPARENT", "TraceParent", "begun", "parse_traceparent"]

TRACEPARENT = "traceparent"

_FORM = re.compile(rb"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.DOTALL)
_NEVER = b"ff"
_FIRST = b"00"
_SAMPLED = 1


class TraceParent(NamedTuple):
    """A trace, and the step of it that comes before; hex digits in lower case."""

    trace_id: str
    parent_id: str
    flags: int = _SAMPLED

    @property
    def sampled(self) -> bool:
        """Whether the trace is recorded."""
        return bool(self.flags & _SAMPLED)

    def __bytes__(self) -> bytes:
        return f"00-{self.trace_id}-{self.parent_id}-{self.flags:02x}".encode()


def parse_traceparent(value: Optional[bytes]) -> Optional[TraceParent]:
    """Read a header's value; None where it is none that W3C Trace Context has."""
    form = _FORM.fullmatch(value) if value else None
    if form is None or form[1] == _NEVER or (form[1] == _FIRST and form[5] is not None):
        return None
    trace_id, parent_id = form[2].decode(), form[3].decode()
    if not trace_id.strip("0") or not parent_id.strip("0"):
        return None
    return TraceParent(trace_id, parent_id, int(form[4], 16))


def begun() -> TraceParent:
    """Return a new trace, which is sampled: who asked for it wants to see it."""
    while True:
        trace_id, parent_id = os.urandom(16).hex(), os.urandom(8).hex()
        if trace_id.strip("0") and parent_id.strip("0"):
            return TraceParent(trace_id, parent_id)
