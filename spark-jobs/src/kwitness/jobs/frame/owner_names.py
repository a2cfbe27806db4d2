"""Names the owners of clients and topics in findings, as they are when people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.contracts.owner_lookup import OwnerLookup
from kwitness.contracts.owners import KnownOwner, OwnerList
from kwitness.jobs.frame.owners import CLIENT_FACTS

__all__ = ["OwnerNames", "addressed"]


class OwnerNames:
    """Owners at ``at_ms``, milliseconds since 1970, in words: a team, and its contact in parentheses.

    None: no entry fits, or the KafkaCluster has no owners.
    """

    def __init__(self, owners: OwnerList | None, at_ms: int) -> None:
        known = owners or OwnerList()
        self._clients = OwnerLookup(known, CLIENT_FACTS)
        self._topics = OwnerLookup(known, {"topic": "topic"})
        self._at_ms = at_ms

    def of_client(self, row: Mapping[str, Any]) -> str | None:
        """Return the owner of the client that the columns of a row identify."""
        return _in_words(self._clients.owner_of({name: row.get(name) for name in CLIENT_FACTS.values()}, self._at_ms))

    def of_topic(self, topic: str | None) -> str | None:
        """Return the owner of a topic."""
        return _in_words(self._topics.owner_of({"topic": topic}, self._at_ms))


def addressed(message: str, owner: str | None) -> str:
    """Return the message of a finding, with the owner that it is for, where there is one."""
    return message if owner is None else f"{message}; tell {owner}"


def _in_words(entry: KnownOwner | None) -> str | None:
    if entry is None:
        return None
    return entry.team if entry.contact is None else f"{entry.team} ({entry.contact})"
