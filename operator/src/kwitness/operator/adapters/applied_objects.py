"""Keeps, of objects that still exist, the last write of this process: of each child, and of nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from kwitness.operator.model.ownership import WATCHED_CHILDREN, covers, granted, owner_of
from kwitness.operator.model.store import Key

__all__ = ["AppliedObjects"]

Object = dict[str, Any]

_ONCE: Final = frozenset({"Event"})
"""Kinds of which each object is written once."""


@dataclass(frozen=True, slots=True)
class _Applied:
    """``version`` is that of the written object, kept of watched kinds; ``granted`` differs from what was requested.

    ``digest`` is the hash of the requested object, ``owner`` the kind and key of our resource.
    """

    digest: str
    owner: tuple[str, Key] | None
    version: str | None
    granted: Object | None


class AppliedObjects:
    """Tells a foreign change from our own write, and what an admission policy makes of objects from a change."""

    def __init__(self) -> None:
        self._applied: dict[tuple[str, Key], _Applied] = {}

    def __len__(self) -> int:
        return len(self._applied)

    def wrote(self, digest: str, desired: Object, written: Object) -> None:
        """Keep the API server's answer to a write of ``desired``, whose hash is ``digest``."""
        kind, at = desired["kind"], _key(desired)
        version = str(written["metadata"]["resourceVersion"]) if kind in WATCHED_CHILDREN else None
        # To request the same again would change nothing, or alternate with the policy for ever.
        made = None if covers(written, desired) or kind in _ONCE else granted(written, desired)
        self.forget(kind, at)
        if version is not None or made is not None:
            self._applied[kind, at] = _Applied(digest, owner_of(desired["metadata"]), version, made)

    def granted(self, digest: str, desired: Object) -> Object:
        """The API server's form of ``desired`` if this process wrote the same last, else ``desired``."""
        applied = self._applied.get((desired["kind"], _key(desired)))
        return desired if applied is None or applied.granted is None or applied.digest != digest else applied.granted

    def is_last_write(self, kind: str, at: Key, version: str) -> bool:
        """Return whether this process's last write of a child resulted in this resource version."""
        applied = self._applied.get((kind, at))
        return applied is not None and applied.version == version

    def forget(self, kind: str, at: Key) -> None:
        """Drop an object that is gone."""
        self._applied.pop((kind, at), None)

    def forget_children(self, owner: tuple[str, Key]) -> None:
        """Drop the children of a resource that is gone."""
        for at in [at for at, applied in self._applied.items() if applied.owner == owner]:
            del self._applied[at]


def _key(one: Object) -> Key:
    return Key(one["metadata"]["namespace"], one["metadata"]["name"])
