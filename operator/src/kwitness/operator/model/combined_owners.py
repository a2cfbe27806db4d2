"""Puts the owners of all sources into one list that a ConfigMap can hold."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from kwitness.contracts.owners import KnownOwner, OwnerList
from kwitness.operator.model.config_files import OwnersInFile
from kwitness.operator.model.declared_owners import MOST_ENTRIES, DeclaredEntries

__all__ = ["MOST_BYTES", "CombinedOwners", "combined_owners"]

MOST_BYTES: Final = 640 * 1024
"""Of the list as JSON; the API server takes 1 MiB of a ConfigMap, in which other files are too."""


class CombinedOwners(NamedTuple):
    """The list; ``left_out`` counts the entries at its end that found no room.

    ``contradiction`` names two objects of different owners that match the same; None: there are none.
    """

    owners: OwnerList
    left_out: int = 0
    contradiction: str | None = None


@lru_cache(maxsize=32)
def combined_owners(file: OwnersInFile | None, declared: tuple[DeclaredEntries, ...]) -> CombinedOwners:
    """Combine the sources in their order; what an earlier object matches, later ones do not."""
    first: dict[str, KnownOwner] = {}
    contradiction = None
    for entry in (entry for source in declared for entry in source.entries):
        matched = entry.match.model_dump_json(exclude_none=True)
        other = first.setdefault(matched, entry)
        if contradiction is None and (other.team, other.contact) != (entry.team, entry.contact):
            contradiction = (
                f"two {entry.source}s are {' '.join(entry.match.patterns().values())}: of {other.team}, which"
            )
            contradiction += f" counts, and of {entry.team}; let both name one team"
    entries = [*(file.owners.owners if file is not None else ()), *first.values()]
    used, left = [], MOST_BYTES
    for entry in entries[:MOST_ENTRIES]:
        left -= len(entry.model_dump_json(by_alias=True, exclude_none=True).encode()) + 1
        if left < 0:
            break
        used.append(entry)
    return CombinedOwners(OwnerList(owners=tuple(used)), len(entries) - len(used), contradiction)
