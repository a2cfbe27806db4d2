"""Moments as Kubernetes writes them."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["milliseconds_of", "rfc3339"]


def rfc3339(milliseconds: int) -> str:
    """Milliseconds since 1970 as RFC 3339 in UTC, in whole seconds."""
    return datetime.fromtimestamp(milliseconds // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def milliseconds_of(text: str | None) -> int:
    """A time as Kubernetes writes it, in milliseconds since 1970; 0 for none."""
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000) if text else 0
    except ValueError:
        return 0
