"""Makes entries of owners from the metadata of KafkaUsers, KafkaTopics and namespaces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kwitness.contracts.owners import KnownOwner, OwnerMatch, OwnerSource

__all__ = ["MOST_ENTRIES", "MOST_READ", "DeclaredEntries", "DeclaredReading"]

MOST_ENTRIES: Final = 10_000
"""Owners of a KafkaCluster, of all sources."""
MOST_READ: Final = 20_000
"""Objects of a source in a namespace, whether they name an owner or not."""

_TOPIC: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredEntries:
    """Owners that objects of one source name, in the order of their names; equal to itself alone.

    ``unusable`` counts objects whose owner cannot be used, of which ``example`` is one. Without ``is_complete`` there
    are more objects than are read; without ``is_served`` the API server has no such kind.
    """

    entries: tuple[KnownOwner, ...] = ()
    unusable: int = 0
    example: str | None = None
    is_complete: bool = True
    is_served: bool = True


class DeclaredReading:
    """Reads objects of a source in the order of their names, up to a bound."""

    def __init__(self, source: OwnerSource, team_key: str, contact_key: str) -> None:
        self._source = source
        self._keys = team_key, contact_key
        self._entries: list[KnownOwner] = []
        self._read = self._unusable = 0
        self._example: str | None = None
        self._is_complete = True

    def add(self, body: Mapping[str, Any]) -> bool:
        """Read one more object; False: it is one too many, and no more are read."""
        self._read += 1
        self._is_complete = self._read <= MOST_READ and len(self._entries) < MOST_ENTRIES
        if self._is_complete:
            try:
                entry = _entry(self._source, body, *self._keys)
            except ValueError:
                self._unusable += 1
                self._example = self._example or str(body["metadata"]["name"])
            else:
                self._entries += [] if entry is None else [entry]
        return self._is_complete

    def entries(self) -> DeclaredEntries:
        """Return the owners of all objects that were read."""
        return DeclaredEntries(tuple(self._entries), self._unusable, self._example, is_complete=self._is_complete)


def _entry(source: OwnerSource, body: Mapping[str, Any], team_key: str, contact_key: str) -> KnownOwner | None:
    team = _text(body, team_key)
    if team is None:
        return None
    return KnownOwner(team=team, contact=_text(body, contact_key), match=_match(source, body), source=source)


def _text(body: Mapping[str, Any], key: str) -> str | None:
    metadata = body["metadata"]
    for texts in (metadata.get("annotations"), metadata.get("labels")):
        text = str((texts or {}).get(key) or "").strip()
        if text:
            return text
    return None


def _match(source: OwnerSource, body: Mapping[str, Any]) -> OwnerMatch:
    name, spec = str(body["metadata"]["name"]), body.get("spec") or {}
    if source == "KafkaUser":
        kind = (spec.get("authentication") or {}).get("type", "")
        # Strimzi signs certificates with the name as their whole subject, and expects it of those of others.
        return OwnerMatch(principal=f"User:CN={name}" if str(kind).startswith("tls") else f"User:{name}")
    if source == "KafkaTopic":
        topic = str(spec.get("topicName") or name)
        # The CRD takes any text, and one that ends with * would be a pattern.
        if not _TOPIC.fullmatch(topic):
            raise ValueError(f"{topic} is the name of no topic")
        return OwnerMatch(topic=topic)
    return OwnerMatch(namespace=name)
