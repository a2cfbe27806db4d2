"""Finds the owners of rows of observers' windows: those of their clients or groups, and those of their topics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.inventory.window_tables import Table
from kwitness.collector.prometheus.budget import Key
from kwitness.contracts.envelopes import ClientOwner
from kwitness.contracts.owners import KnownOwner

OWNED_BY: Final = {
    "owner": ("cluster_id", "principal", "client_id", "k8s_namespace", "group_id"),
    "topic_owner": ("cluster_id", "topic"),
}
"""The fields of an item that have an owner, and those that it follows from where the item has them."""


class ItemOwners:
    """Owners of the rows of one answer: what the same texts follow from is found once."""

    def __init__(self, table: Table, owners: ClientOwners) -> None:
        self._owners = owners
        self._places = {
            field: [(name, table.key.index(name)) for name in names if name in table.key]
            for field, names in OWNED_BY.items()
            if field in table.noun.fields
        }
        self._known: dict[tuple[str, Key], KnownOwner | None] = {}

    def entry(self, field: str, key: Key) -> KnownOwner | None:
        """Return the entry that fits a row; None if there is none."""
        texts = tuple(key[place] for _, place in self._places[field])
        known = (field, texts)
        if known not in self._known:
            names = (name for name, _ in self._places[field])
            identity = {name: text for name, text in zip(names, texts, strict=True) if text}
            self._known[known] = self._owners.owner_of(identity)
        return self._known[known]

    def fields(self, key: Key) -> Iterator[tuple[str, ClientOwner]]:
        """Yield the fields of an item that have an owner."""
        for field in self._places:
            entry = self.entry(field, key)
            if entry is not None:
                yield field, ClientOwner(team=entry.team, source=entry.source, contact=entry.contact)
