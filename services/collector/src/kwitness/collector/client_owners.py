"""Finds owners of clients and topics as `Owners` does, without comparing each of a thousand entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kwitness.contracts.owners import OwnedBy, OwnerEntry, Owners, text_fits

_COMPARED: Final[Mapping[OwnedBy, str]] = {
    "principal": "principal",
    "client_id": "client_id",
    "namespace": "k8s_namespace",
    "topic": "topic",
}
"""Identity keys that an entry is compared with; topics have one of their own."""


def shown_owner(entry: OwnerEntry | None) -> dict[str, str] | None:
    """Return an owner as it is in answers; None where there is none."""
    if entry is None:
        return None
    return {"team": entry.team} if entry.contact is None else {"team": entry.team, "contact": entry.contact}


class ClientOwners:
    """Finds the first entry that fits a client or topic of ``cluster_id``."""

    def __init__(self, owners: Owners, cluster_id: str) -> None:
        self.owners = owners
        self.cluster_id = cluster_id
        self._entries: list[tuple[OwnerEntry, dict[str, str]]] = []
        self._exact: dict[tuple[str, str], list[int]] = {}
        self._beginnings: dict[tuple[str, str], list[int]] = {}
        self._lengths: dict[str, set[int]] = {key: set() for key in _COMPARED.values()}
        for entry in owners.owners:
            patterns = entry.match.patterns()
            if "topic" not in patterns or len(patterns) == 1:  # others fit neither a client nor a topic
                self._add(entry, {_COMPARED[name]: pattern for name, pattern in patterns.items()})

    def _add(self, entry: OwnerEntry, patterns: dict[str, str]) -> None:
        index = len(self._entries)
        self._entries.append((entry, patterns))
        # All patterns must fit, so that one is enough to find the entry by; an exact one finds fewest.
        key, pattern = min(patterns.items(), key=lambda one: one[1].endswith("*"))
        if pattern.endswith("*"):
            self._lengths[key].add(len(pattern) - 1)
            self._beginnings.setdefault((key, pattern[:-1]), []).append(index)
        else:
            self._exact.setdefault((key, pattern), []).append(index)

    def owner_of(self, identity: Mapping[str, str]) -> OwnerEntry | None:
        """Return the first entry that fits an identity, or a topic alone; None if there is none."""
        if identity.get("cluster_id", self.cluster_id) != self.cluster_id:
            return None
        for index in sorted(self._candidates(identity)):
            entry, patterns = self._entries[index]
            if all(text_fits(pattern, identity.get(key)) for key, pattern in patterns.items()):
                return entry
        return None

    def _candidates(self, identity: Mapping[str, str]) -> Iterator[int]:
        for key in self._lengths:
            text = identity.get(key)
            if text is not None:
                yield from self._exact.get((key, text), ())
                for length in self._lengths[key]:
                    if length <= len(text):
                        yield from self._beginnings.get((key, text[:length]), ())
