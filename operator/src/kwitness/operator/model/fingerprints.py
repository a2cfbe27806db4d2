"""Short hashes that tell whether something changed."""

from __future__ import annotations

import hashlib
import json

__all__ = ["fingerprint"]


def fingerprint(value: object) -> str:
    """16 hex digits over JSON data, the same for the same content."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]
