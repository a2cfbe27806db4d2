"""What must outlive statuses, collectors' volumes and this process: a cluster's id, and who might be aborted there.

It is kept in the ConfigMap `kwitness-cluster-<KafkaCluster>` (docs/decisions/0105). Names and versions come from
clients, who may invent them: of each kind of software at risk a few spellings are kept, and what has no room is
remembered without its version, by which it holds more. Nothing gives way to something newer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from kwitness.contracts.resources.durations import parse_duration
from kwitness.contracts.resources.risk import LONGEST_RISK_WINDOW
from kwitness.contracts.software import (
    OTHER,
    SOFTWARE,
    librdkafka_version,
    parse_version,
)
from kwitness.contracts.software_defects import may_crash_on_unknown_metrics
from kwitness.operator.model.moments import rfc3339

__all__ = ["CLUSTER_ID_KEY", "SOFTWARE_KEY", "ClusterMemory", "UnreadableMemoryError"]

CLUSTER_ID_KEY: Final = "cluster-id"
SOFTWARE_KEY: Final = "software-at-risk.json"
_SPELLINGS: Final = 4
_LONGEST: Final = 256
_HOUR_MS: Final = 3_600_000
_KEPT_MS: Final = parse_duration(LONGEST_RISK_WINDOW) // timedelta(milliseconds=1)
"""As long as any subscription can ask for, also one that is applied later."""
_KNOWN: Final = frozenset(one.name for one in SOFTWARE)


class UnreadableMemoryError(ValueError):
    """The ConfigMap holds something else."""


class ClusterMemory:
    """Software at risk by name and version, and when it was last seen, in milliseconds since 1970."""

    def __init__(self, cluster_id: str | None = None) -> None:
        self.cluster_id = cluster_id
        self._seen: dict[tuple[str, str], int] = {}
        self._kinds: Counter[tuple[str, tuple[int, int, int] | None]] = Counter()

    def items(self) -> list[tuple[str, str, int]]:
        """Name, version and time of each, sorted."""
        return sorted((name, version, seen) for (name, version), seen in self._seen.items())

    def see(self, name: str, version: str, last_seen_ms: int) -> None:
        """Remember a software if it is at risk."""
        if not may_crash_on_unknown_metrics(name, version):
            return
        row = (name, version)
        if row not in self._seen:
            known = name if name in _KNOWN else OTHER
            kind = (known, librdkafka_version(name, version) or parse_version(version))
            folded = (known, OTHER)
            if row != folded and (self._kinds[kind] >= _SPELLINGS or max(map(len, row)) > _LONGEST):
                row = folded
            elif row != folded:
                self._kinds[kind] += 1
        self._seen[row] = max(self._seen.get(row, 0), last_seen_ms)

    def of(self, cluster_id: str) -> ClusterMemory:
        """Itself, if it is of that cluster; else an empty one of it."""
        if self.cluster_id is None:
            self.cluster_id = cluster_id
        return self if self.cluster_id == cluster_id else ClusterMemory(cluster_id)

    def data(self, now_ms: int) -> dict[str, str]:
        """What the ConfigMap is to hold; times are rounded up to the hour: it changes seldom and forgets nobody."""
        rows = [
            {"name": name, "version": version, "lastSeen": rfc3339(-(-seen // _HOUR_MS) * _HOUR_MS)}
            for name, version, seen in self.items()
            if seen >= now_ms - _KEPT_MS
        ]
        return {CLUSTER_ID_KEY: self.cluster_id or "", SOFTWARE_KEY: json.dumps(rows, indent=1)}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> ClusterMemory:
        """What the ConfigMap's data say.

        Raises
        ------
        UnreadableMemoryError
            They are something else.
        """
        memory = cls(str(data.get(CLUSTER_ID_KEY) or "") or None)
        try:
            for row in json.loads(data.get(SOFTWARE_KEY) or "[]"):
                seen = datetime.fromisoformat(row["lastSeen"])
                memory.see(str(row["name"]), str(row["version"]), round(seen.timestamp() * 1000))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UnreadableMemoryError(f"{SOFTWARE_KEY} is no list of software: {error}") from error
        return memory
