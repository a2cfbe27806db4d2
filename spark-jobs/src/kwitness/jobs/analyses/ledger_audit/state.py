"""What is said of an account at a time."""

from __future__ import annotations

CLOSED = "Closed"
OPEN = "Open"
DUPLICATE = "Duplicate"
UNCERTAIN = "Uncertain"
GAP = "Gap"


def state(
    *,
    missing: int,
    missing_since_ms: int | None,
    unsealed: int,
    unsealed_since_ms: int | None,
    duplicates: int,
    at_ms: int,
    grace_ms: int,
) -> str:
    """The worst that can be said of an account at a time; what is younger than `grace_ms` may still come."""
    if missing and missing_since_ms is not None and missing_since_ms + grace_ms < at_ms:
        return GAP
    if unsealed and unsealed_since_ms is not None and unsealed_since_ms + grace_ms < at_ms:
        return UNCERTAIN
    if duplicates:
        return DUPLICATE
    return OPEN if missing or unsealed else CLOSED
