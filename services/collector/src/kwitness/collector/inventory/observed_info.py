"""Writes who the clients are that observers know, within the room that clients that push leave."""

from __future__ import annotations

from collections.abc import Collection, Container
from typing import Final

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.inventory.window_tables import CLIENT_KEY
from kwitness.collector.prometheus.budget import Key
from kwitness.collector.prometheus.exposition import sample
from kwitness.collector.prometheus.labels import render
from kwitness.contracts.own_metrics import own_metric
from kwitness.contracts.owners import KnownOwner

NAME: Final = "kwitness_client_info"
_POD: Final = CLIENT_KEY.index("k8s_pod")


def owner_labels(owner: KnownOwner | None) -> dict[str, str]:
    """Return the labels that name an owner."""
    if owner is None:
        return {}
    return {"owner": owner.team} | ({} if owner.contact is None else {"contact": owner.contact})


def without_pod(client: Key) -> Key:
    """Return a client as it is the same in another pod of its workload."""
    return client[:_POD]


class ObservedInfo:
    """Who has a series keeps it while observers see it and there is room; ``overflowed`` counts others, each once."""

    def __init__(self) -> None:
        self.overflowed = 0
        self._lines: dict[Key, str] = {}
        self._refused: set[Key] = set()
        self._owners: ClientOwners | None = None

    def lines(self, observed: Collection[Key], pushing: Container[Key], room: int, owners: ClientOwners) -> list[str]:
        """Return a line for each observed client that is not among those ``pushing``, ``room`` of them at most."""
        shown = {client: "" for client in observed if without_pod(client) not in pushing}
        known = self._lines if owners is self._owners else dict.fromkeys(self._lines, "")
        kept = [(client, line) for client, line in known.items() if client in shown][:room]
        self._owners, self._lines = owners, dict(kept)
        self._refused &= shown.keys()
        for client in shown:
            if client in self._lines:
                continue
            if len(self._lines) < room:
                self._lines[client] = ""
                self._refused.discard(client)
            elif client not in self._refused:
                self._refused.add(client)
                self.overflowed += 1
        for client, line in self._lines.items():
            if not line:
                self._lines[client] = _line(client, owners)
        return list(self._lines.values())


def _line(client: Key, owners: ClientOwners) -> str:
    identity = {name: text for name, text in zip(CLIENT_KEY, client, strict=True) if text}
    known = identity | owner_labels(owners.owner_of(identity))
    return sample(NAME, render((label, known[label]) for label in own_metric(NAME).labels if label in known), 1)
