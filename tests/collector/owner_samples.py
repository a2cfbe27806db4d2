"""Owners as collectors have them."""

from __future__ import annotations

from kwitness.collector.client_owners import ClientOwners
from kwitness.contracts.owners import KnownOwner, OwnerList, OwnerMatch

from tests.collector.collector_samples import CLUSTER

NO_OWNERS = ClientOwners(OwnerList(), CLUSTER, 0)


def owned(*entries: tuple[str, dict[str, str]], contact: str | None = None) -> ClientOwners:
    """Return owners by their teams and what their entries match."""
    known = (KnownOwner(team=team, contact=contact, match=OwnerMatch(**match)) for team, match in entries)
    return ClientOwners(OwnerList(owners=tuple(known)), CLUSTER, 0)
