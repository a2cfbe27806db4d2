"""Finds owners of clients and topics by the keys of their identity."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Final

from kwitness.contracts.owner_lookup import OwnerLookup
from kwitness.contracts.owners import KnownOwner, OwnedBy, OwnerList

_KEYS: Final[Mapping[OwnedBy, str]] = {
    "principal": "principal",
    "client_id": "client_id",
    "namespace": "k8s_namespace",
    "group": "group_id",
    "topic": "topic",
}
"""Keys of an identity by what entries match; a topic is compared alone."""


def shown_owner(entry: KnownOwner | None) -> dict[str, str] | None:
    """Return an owner as it is in answers; None where there is none."""
    if entry is None:
        return None
    shown = {"team": entry.team, "source": entry.source}
    return shown if entry.contact is None else {**shown, "contact": entry.contact}


class ClientOwners:
    """Finds the first entry that fits a client or topic of ``cluster_id`` at ``at_ms``, milliseconds since 1970."""

    def __init__(self, owners: OwnerList, cluster_id: str, at_ms: int) -> None:
        self.owners = owners
        self.cluster_id = cluster_id
        self._lookup = OwnerLookup(owners, _KEYS)
        self._since_ms = at_ms
        self._until_ms = self._lookup.next_change_ms(at_ms)

    def owner_of(self, identity: Mapping[str, str]) -> KnownOwner | None:
        """Return the first entry that fits an identity, or a topic alone; None if there is none."""
        if identity.get("cluster_id", self.cluster_id) != self.cluster_id:
            return None
        return self._lookup.owner_of(identity, self._since_ms)

    def at(self, at_ms: int) -> ClientOwners:
        """Return the owners at a later time: the same object until another entry counts."""
        if self._until_ms is None or at_ms < self._until_ms:
            return self
        later = copy.copy(self)
        later._since_ms, later._until_ms = at_ms, self._lookup.next_change_ms(at_ms)  # noqa: SLF001 - of this class
        return later

    def equals(self, other: ClientOwners) -> bool:
        """Return whether both find the same owner for every client."""
        return (self.owners, self.cluster_id, self._until_ms) == (other.owners, other.cluster_id, other._until_ms)
