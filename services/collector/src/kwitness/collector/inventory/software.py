"""The software seen connected, within a budget: names and versions are whatever a client says (KIP-511)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from kwitness.contracts.software import SOFTWARE

MAX_SOFTWARE: Final = 1_000
"""Names with versions that are told apart, of one cluster."""
SOFTWARE_MEMORY_MS: Final = 7 * 24 * 3_600_000
"""How long software is remembered after its last connection: the default of a subscription's risk window."""
REPLACEABLE_AFTER_MS: Final = 3_600_000
"""What nobody was connected with for so long gives way to something new where there is no room."""
OTHER: Final = "other"
"""Name and version of everything that is not told apart."""
_LONGEST: Final = 128
_FULL_FOR_MS: Final = 60_000
_KNOWN: Final = frozenset(one.name for one in SOFTWARE)

SoftwareKey = tuple[str, str, str]
"""Cluster id, software name, software version."""


@dataclass(slots=True)
class SoftwareMemory:
    """When connections of a software were first and last seen, in milliseconds since 1970."""

    first_seen_ms: int
    last_seen_ms: int


class SoftwareTable:
    """All software by cluster; ``overflowed`` counts how often something had no room.

    Half of the room is for what brokers report under a name that the registry has: whoever may send what it likes, a
    pod with an observer or a client with a name of its own, cannot take it.
    """

    def __init__(self, most: int = MAX_SOFTWARE) -> None:
        self.overflowed = 0
        self._most = most
        self._by_cluster: dict[str, dict[tuple[str, str], SoftwareMemory]] = {}
        self._full_until_ms: dict[str, int] = {}

    def __len__(self) -> int:
        return sum(map(len, self._by_cluster.values()))

    def items(self) -> Iterator[tuple[SoftwareKey, SoftwareMemory]]:
        """Return all software, with when it was seen."""
        for cluster, seen in self._by_cluster.items():
            for (name, version), memory in seen.items():
                yield (cluster, name, version), memory

    def record(self, key: SoftwareKey, now_ms: int, *, by_broker: bool) -> None:
        """Remember that a software is connected now; ``by_broker`` says whether a broker's plugin has it so."""
        cluster, name, version = key
        seen = self._by_cluster.setdefault(cluster, {})
        memory = seen.get((name, version))
        if memory is None and not self._has_room(cluster, seen, key, now_ms, by_broker=by_broker):
            self.overflowed += 1
            name = version = OTHER
            memory = seen.get((name, version))
        if memory is None:
            seen[name, version] = SoftwareMemory(now_ms, now_ms)
        else:
            memory.last_seen_ms = now_ms

    def _has_room(
        self,
        cluster: str,
        seen: dict[tuple[str, str], SoftwareMemory],
        key: SoftwareKey,
        now_ms: int,
        *,
        by_broker: bool,
    ) -> bool:
        _, name, version = key
        if max(len(name), len(version)) > _LONGEST:
            return False
        most = self._most if by_broker and name in _KNOWN else self._most // 2
        if len(seen) < most:
            return True
        if 0 < self._full_until_ms.get(cluster, 0) - now_ms <= _FULL_FOR_MS:  # a clock may be set back
            return False
        oldest = min(seen, key=lambda one: seen[one].last_seen_ms)
        if now_ms - seen[oldest].last_seen_ms < REPLACEABLE_AFTER_MS:
            self._full_until_ms[cluster] = now_ms + _FULL_FOR_MS
            return False
        del seen[oldest]
        return True

    def shown(self, key: SoftwareKey) -> SoftwareKey:
        """Return the key under which this is counted: its own, or that of all others of the cluster."""
        cluster, name, version = key
        return key if (name, version) in self._by_cluster.get(cluster, ()) else (cluster, OTHER, OTHER)

    def expire(self, now_ms: int) -> None:
        """Forget software that was away for 7 days."""
        for cluster, seen in list(self._by_cluster.items()):
            for one in [one for one, memory in seen.items() if now_ms - memory.last_seen_ms > SOFTWARE_MEMORY_MS]:
                del seen[one]
            if not seen:
                del self._by_cluster[cluster]

    def dump(self) -> Iterator[list[object]]:
        """Yield rows for the state file."""
        for key, memory in self.items():
            yield ["software", *key, memory.first_seen_ms, memory.last_seen_ms]

    def load(self, rows: Iterable[list[Any]]) -> None:
        """Take rows back, the ones beyond the budget left out; raises ValueError or TypeError if they are others."""
        for _, cluster, name, version, first, last in rows:
            seen = self._by_cluster.setdefault(str(cluster), {})
            if len(seen) <= self._most:
                seen[str(name), str(version)] = SoftwareMemory(int(first), int(last))
