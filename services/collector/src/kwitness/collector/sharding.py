"""Which replica owns a client: rendezvous hashing over the StatefulSet's ordinals, never over who is ready.

A restarting replica's clients wait in their sender's queue; they do not move (docs/decisions/0004).
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Final

_REMEMBERED: Final = 65_536
_REMEMBERED_CHARACTERS: Final = 128
"""Of a key: together they are some megabytes at most."""


def owner_of(key: str, replicas: int) -> int:
    """Return the ordinal that owns ``key``: a client instance id, or a cluster id for its connection gauges."""
    if replicas <= 1:
        return 0
    return _owner_of(key, replicas) if len(key) <= _REMEMBERED_CHARACTERS else _owner_of.__wrapped__(key, replicas)


@lru_cache(maxsize=_REMEMBERED)
def _owner_of(key: str, replicas: int) -> int:
    return max(range(replicas), key=lambda ordinal: _weight(key, ordinal))


def _weight(key: str, ordinal: int) -> int:
    digest = hashlib.sha256(f"{key}|{ordinal}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big")


def ordinal_of(pod_name: str, stateful_set: str) -> int:
    """Read the ordinal from the name of a StatefulSet's pod; 0 for any other name, such as a host's with a number."""
    name, _, tail = pod_name.rpartition("-")
    return int(tail) if name == stateful_set and tail.isdecimal() else 0
