"""Writes the place that a token proves into rows of events, and refuses rows that name another place.

Jobs and other readers of the topics find namespace, workload and pod of a client in the value. A sender could name any
there, so that its rows would be shown to the readers of another namespace.
"""

from __future__ import annotations

import json
from typing import Final

from kwitness.collector.origin import Origin

__all__ = ["MAX_EXAMINED", "place_problem", "placed"]

MAX_EXAMINED: Final = 64 * 1024
"""Bytes of a row that may have keys of a place: reading them takes three milliseconds."""
_KEYS: Final = frozenset(Origin._fields) - {"cluster_id"}
_MAY_HAVE_KEYS: Final = (b"k8s_", b"\\u")
"""The beginning of these keys, and of the escape by which a key can be written in other characters."""
_SHOWN: Final = 64
"""Characters of a value that a message repeats."""


def place_problem(line: bytes, origin: Origin) -> str | None:
    """Return why a row names a place that its sender's token does not prove; None where it does not."""
    if not any(mark in line for mark in _MAY_HAVE_KEYS):
        return None
    if len(line) > MAX_EXAMINED:
        return f"a row with keys that begin with k8s_, or with \\u, has {len(line)} bytes: split it, or leave them out"
    try:
        # Pairs, and not an object: of a key that is there twice, readers may see either.
        pairs = json.loads(line, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return "the line is no JSON object"
    proven = origin._asdict()
    for key, value in pairs:
        if key in _KEYS and value is not None and value != (proven[key] or None):
            return (
                f"{key} is {str(value)[:_SHOWN]!r}, and the token of the sender proves "
                f"{proven[key] or 'none'}: leave it out, it is written from the token"
            )
    return None


def placed(line: bytes, origin: Origin) -> bytes:
    """Return a row, which is a JSON object, with the place that its sender's token proves."""
    place = {key: text for key, text in origin._asdict().items() if key in _KEYS and text}
    if not place:
        return line
    return b"%s,%s" % (line[:-1], json.dumps(place, separators=(",", ":")).encode()[1:])
