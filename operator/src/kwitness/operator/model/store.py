"""The resources as last seen, by kind; what kopf's watches and our own writes keep up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from typing_extensions import override

__all__ = ["Key", "Store", "Subject"]


class Key(NamedTuple):
    """Namespace and name of a namespaced object."""

    namespace: str
    name: str

    @override
    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class Subject(NamedTuple):
    """What a verdict is about: one object, not a later one of its name, and the generation that was looked at."""

    key: Key
    uid: str
    generation: int

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Subject:
        """The subject of a verdict that is made of ``body``."""
        metadata = body["metadata"]
        key = Key(metadata["namespace"], metadata["name"])
        return cls(key, str(metadata.get("uid", "")), int(metadata.get("generation", 0)))


class Store:
    """Bodies as the API server sent them, without ``managedFields``, which are the larger part of most."""

    def __init__(self) -> None:
        self._bodies: dict[str, dict[Key, dict[str, Any]]] = {}
        self._deleted: dict[tuple[str, Key], dict[str, Any]] = {}

    def put(self, kind: str, body: dict[str, Any]) -> bool:
        """Keep ``body``; return whether it was news (an echo of our own write is not)."""
        metadata = body["metadata"]
        key = Key(metadata["namespace"], metadata["name"])
        known = self._bodies.setdefault(kind, {}).get(key)
        self.forget_deletion(kind, key)
        if known is not None and not _is_newer(metadata, known["metadata"]):
            return False
        kept = {name: value for name, value in metadata.items() if name != "managedFields"}
        self._bodies[kind][key] = _with_shared_words({**body, "metadata": kept})
        return True

    def remove(self, kind: str, key: Key, uid: str | None) -> bool:
        """Forget the object with ``uid`` that is gone; return whether it was here, and not a later one of its name."""
        known = self._bodies.get(kind, {}).get(key)
        if known is None or known["metadata"].get("uid") != uid:
            return False
        del self._bodies[kind][key]
        if kind == "ClientMetricsSubscription":
            self._deleted[kind, key] = known
        return True

    def was_deleted(self, kind: str, key: Key) -> bool:
        """Whether a subscription was here and was then deleted, as this process saw with its own eyes."""
        return (kind, key) in self._deleted

    def forget_deletion(self, kind: str, key: Key) -> None:
        """Drop the memory of a deletion whose consequences were drawn."""
        self._deleted.pop((kind, key), None)

    def deleted(self, kind: str) -> Iterator[tuple[Key, dict[str, Any]]]:
        """Those whose deletion is remembered, each as it was last seen."""
        yield from [(key, body) for (known, key), body in list(self._deleted.items()) if known == kind]

    def get(self, kind: str, key: Key) -> dict[str, Any] | None:
        """The body, or None."""
        return self._bodies.get(kind, {}).get(key)

    def items(self, kind: str) -> Iterator[tuple[Key, dict[str, Any]]]:
        """All objects of a kind, in no particular order."""
        yield from list(self._bodies.get(kind, {}).items())


def _with_shared_words(value: Any) -> Any:
    """Copy JSON with one object for each field name and word: each answer is decoded into texts of its own."""
    if isinstance(value, dict):
        return {sys.intern(name): _with_shared_words(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_shared_words(member) for member in value]
    # Names, times and messages are those of one object.
    return sys.intern(value) if isinstance(value, str) and value.isalpha() else value


def _is_newer(metadata: dict[str, Any], known: dict[str, Any]) -> bool:
    # A list may be older than what a watch has told since, and what a watch tells of an object may come after what it
    # tells of a later one of the same name. Versions of one kind's objects are comparable numbers (KEP-5504).
    new, old = str(metadata.get("resourceVersion", "")), str(known.get("resourceVersion", ""))
    return int(new) > int(old) if new.isdecimal() and old.isdecimal() else new != old
