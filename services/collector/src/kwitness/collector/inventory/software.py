"""The software seen connected, within a budget: names and versions are whatever a client says (KIP-511)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from kwitness.contracts.software import (
    OTHER,
    SOFTWARE,
    librdkafka_version,
    parse_version,
)
from kwitness.contracts.software_defects import may_crash_on_unknown_metrics

MAX_SOFTWARE: Final = 1_000
"""Names with versions that are told apart, of one cluster."""
SOFTWARE_MEMORY_MS: Final = 7 * 24 * 3_600_000
"""How long software is remembered after its last connection: the default of a subscription's risk window."""
REPLACEABLE_AFTER_MS: Final = 3_600_000
"""What nobody was connected with for so long gives way to something new where there is no room."""
MOST_AT_RISK: Final = 4
"""Rows that each software at risk has of its own for each version of librdkafka; no other can take them.

Names and versions are invented freely, and who invents some must hide nobody whom a subscription would abort. What of
that finds no row is remembered without its version: at worst a subscription is held back.
"""
_LONGEST: Final = 128
_FULL_FOR_MS: Final = 60_000
_KNOWN: Final = frozenset(one.name for one in SOFTWARE)

SoftwareKey = tuple[str, str, str]
"""Cluster id, software name, software version."""
_Kind = tuple[str, tuple[int, int, int] | None]
"""Name of a software at risk, or `OTHER` where the registry has none such; and its librdkafka, where it says so."""


@dataclass(slots=True)
class SoftwareMemory:
    """When connections of a software were first and last seen, in milliseconds since 1970."""

    first_seen_ms: int
    last_seen_ms: int


class SoftwareTable:
    """All software by cluster; ``overflowed`` counts how often something had no room.

    Half of the room is for what brokers report under a name that the registry has: whoever may send what it likes, a
    pod with an observer or a client with a name of its own, cannot take it. Software at risk has room beside that.
    """

    def __init__(self, most: int = MAX_SOFTWARE) -> None:
        self.overflowed = 0
        self._most = most
        self._by_cluster: dict[str, dict[tuple[str, str], SoftwareMemory]] = {}
        self._full_until_ms: dict[str, int] = {}
        self._protected: dict[str, dict[tuple[str, str], _Kind]] = {}

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
        if memory is None and not (
            self._protect(cluster, name, version) or self._has_room(cluster, seen, key, now_ms, by_broker=by_broker)
        ):
            self.overflowed += 1
            name, version = _folded(name, version)
            memory = seen.get((name, version))
        if memory is None:
            seen[name, version] = SoftwareMemory(now_ms, now_ms)
        else:
            memory.last_seen_ms = now_ms

    def _protect(self, cluster: str, name: str, version: str) -> bool:
        """Give software at risk one of the rows that nothing else can have, if there is one."""
        if not may_crash_on_unknown_metrics(name, version) or max(len(name), len(version)) > _LONGEST:
            return False
        kind = (_known(name), librdkafka_version(name, version) or parse_version(version))
        kept = self._protected.setdefault(cluster, {})
        if sum(one == kind for one in kept.values()) >= MOST_AT_RISK:
            return False
        kept[name, version] = kind
        return True

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
        protected = self._protected.get(cluster, {})
        most = self._most if by_broker and name in _KNOWN else self._most // 2
        if len(seen) - len(protected) < most:
            return True
        if 0 < self._full_until_ms.get(cluster, 0) - now_ms <= _FULL_FOR_MS:  # a clock may be set back
            return False
        replaceable = [one for one in seen if one not in protected and one != _folded(*one)]
        oldest = min(replaceable, key=lambda one: seen[one].last_seen_ms, default=None)
        if oldest is None or now_ms - seen[oldest].last_seen_ms < REPLACEABLE_AFTER_MS:
            self._full_until_ms[cluster] = now_ms + _FULL_FOR_MS
            return False
        gone = seen.pop(oldest)
        if may_crash_on_unknown_metrics(*oldest):
            kept = seen.setdefault(_folded(*oldest), gone)
            kept.last_seen_ms = max(kept.last_seen_ms, gone.last_seen_ms)
        return True

    def shown(self, key: SoftwareKey) -> SoftwareKey:
        """Return the key under which this is counted: its own, or that of all others of its kind."""
        cluster, name, version = key
        return key if (name, version) in self._by_cluster.get(cluster, ()) else (cluster, *_folded(name, version))

    def expire(self, now_ms: int) -> None:
        """Forget software that was away for 7 days."""
        for cluster, seen in list(self._by_cluster.items()):
            for one in [one for one, memory in seen.items() if now_ms - memory.last_seen_ms > SOFTWARE_MEMORY_MS]:
                del seen[one]
                self._protected.get(cluster, {}).pop(one, None)
            if not seen:
                self._protected.pop(cluster, None)
                del self._by_cluster[cluster]

    def dump(self) -> Iterator[list[object]]:
        """Yield rows for the state file."""
        for key, memory in self.items():
            yield ["software", *key, memory.first_seen_ms, memory.last_seen_ms]

    def load(self, rows: Iterable[list[Any]]) -> None:
        """Take rows back, the ones beyond the budget left out; raises ValueError or TypeError if they are others."""
        for _, cluster, name, version, first, last in rows:
            seen = self._by_cluster.setdefault(str(cluster), {})
            row = (str(name), str(version))
            protected = self._protect(str(cluster), *row)
            if protected or len(seen) - len(self._protected.get(str(cluster), ())) <= self._most:
                seen[row] = SoftwareMemory(int(first), int(last))


def _known(name: str) -> str:
    return name if name in _KNOWN else OTHER


def _folded(name: str, version: str) -> tuple[str, str]:
    """Return the row of what is not told apart; software at risk under a known name keeps that name."""
    return (_known(name) if may_crash_on_unknown_metrics(name, version) else OTHER), OTHER
