"""A client software that a subscription might crash, as it was seen."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ObservedSoftware"]


@dataclass(frozen=True, slots=True)
class ObservedSoftware:
    """A client software of the range at risk, and when it was last seen, in milliseconds since 1970."""

    name: str
    version: str
    last_seen_ms: int
    connections: int = 0
    """Those that were open when it was last asked for."""
