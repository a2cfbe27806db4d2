"""A row of the client inventory, and how rows about one client combine.

Combining is associative, commutative and idempotent: times by minimum and maximum, sets by union, the present identity
by the greatest (last seen, identity). So records may come twice, late, in any order and in any cut into micro-batches,
and the table is the same. Nothing is counted, because a count would double.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.jobs.analyses.client_inventory.conformance import metric_order

INSTANCE = "instance"
SOFTWARE = "software"

#: Metric names and software versions kept of one client; a client that sends more is cut, the same way in any order.
MAX_METRICS = 1000
MAX_VERSIONS = 100
#: Longest text kept from a client, in characters.
MAX_TEXT = 512

Software = tuple[str | None, str | None]
"""Name and version as the client gave them."""
Known = tuple[str | None, ...]
"""Values in the order of `IDENTITY_KEYS`."""


@dataclass(frozen=True, slots=True)
class InventoryRow:
    """What is known about one client instance, or one software version seen on one listener.

    Attributes
    ----------
    kind
        `INSTANCE` or `SOFTWARE`.
    identity
        What the latest record said, in the order of `IDENTITY_KEYS`.
    versions
        Each software with the first and the last time it was seen, in milliseconds since the epoch.
    terminated
        Whether the instance said that it ends. None for software.
    max_connections
        The most connections that one broker reported at one time. None for instances.
    """

    kind: str
    row_id: str
    identity: Known
    first_seen_ms: int
    last_seen_ms: int
    versions: frozenset[tuple[Software, int, int]] = frozenset()
    metrics: frozenset[str] = frozenset()
    metrics_truncated: bool = False
    roles: frozenset[str] = frozenset()
    terminated: bool | None = None
    max_connections: int | None = None


@lru_cache(maxsize=16_384)
def row_id(kind: str, *parts: str | None) -> str:
    """The key that rows about one client share: a digest, because what clients send has no bounded length."""
    return hashlib.sha256(json.dumps([kind, *parts]).encode()).hexdigest()[:32]


def bounded(text: str) -> str:
    """`text` if it is short, else its beginning and a digest of the whole, so that two long texts stay different."""
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[: MAX_TEXT - 17]}~{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def combine(rows: Iterable[InventoryRow]) -> list[InventoryRow]:
    """One row per `row_id`, in no particular order."""
    grouped: dict[str, list[InventoryRow]] = {}
    for row in rows:
        grouped.setdefault(row.row_id, []).append(row)
    return [_combined(group) if len(group) > 1 else bounded_row(group[0]) for group in grouped.values()]


def _combined(group: list[InventoryRow]) -> InventoryRow:
    latest = max(group, key=lambda row: (row.last_seen_ms, _ordered(row.identity)))
    terminated = [row.terminated for row in group if row.terminated is not None]
    connections = [row.max_connections for row in group if row.max_connections is not None]
    return bounded_row(
        replace(
            latest,
            first_seen_ms=min(row.first_seen_ms for row in group),
            last_seen_ms=latest.last_seen_ms,
            versions=_combined_versions(group),
            metrics=_combined_metrics(group),
            metrics_truncated=any(row.metrics_truncated for row in group),
            roles=frozenset().union(*(row.roles for row in group)),
            terminated=any(terminated) if terminated else None,
            max_connections=max(connections, default=None),
        )
    )


def _combined_metrics(group: list[InventoryRow]) -> frozenset[str]:
    # Clients share the set that they all sent (see `push`); a union would be one of their own.
    distinct = {row.metrics for row in group}
    return distinct.pop() if len(distinct) == 1 else frozenset().union(*distinct)


def _combined_versions(group: list[InventoryRow]) -> frozenset[tuple[Software, int, int]]:
    times: dict[Software, tuple[int, int]] = {}
    for row in group:
        for software, first, last in row.versions:
            known = times.get(software, (first, last))
            times[software] = (min(known[0], first), max(known[1], last))
    return frozenset((software, first, last) for software, (first, last) in times.items())


def bounded_row(row: InventoryRow) -> InventoryRow:
    """The row with at most `MAX_METRICS` metrics and `MAX_VERSIONS` versions."""
    if len(row.metrics) <= MAX_METRICS and len(row.versions) <= MAX_VERSIONS:
        return row
    # The smallest by a fixed order: cutting before or after a union then gives the same.
    return replace(
        row,
        metrics=frozenset(sorted(row.metrics, key=metric_order)[:MAX_METRICS]),
        metrics_truncated=row.metrics_truncated or len(row.metrics) > MAX_METRICS,
        versions=frozenset(sorted(row.versions, key=lambda entry: _ordered(entry[0]))[:MAX_VERSIONS]),
    )


def _ordered(values: tuple[str | None, ...]) -> tuple[tuple[bool, str], ...]:
    # None before every text, as Spark orders nulls.
    return tuple((value is not None, value or "") for value in values)


def as_columns(row: InventoryRow) -> dict[str, Any]:
    """The row as values of the columns that the transform puts together from partial rows."""
    return {
        "row_id": row.row_id,
        "kind": row.kind,
        **dict(zip(IDENTITY_KEYS, row.identity, strict=True)),
        "first_seen_ms": row.first_seen_ms,
        "last_seen_ms": row.last_seen_ms,
        "versions": [
            {
                "client_software_name": software[0],
                "client_software_version": software[1],
                "first_seen_ms": first,
                "last_seen_ms": last,
            }
            for software, first, last in sorted(row.versions, key=lambda entry: _ordered(entry[0]))
        ],
        "metrics": sorted(row.metrics),
        "metrics_truncated": row.metrics_truncated,
        "roles": sorted(row.roles),
        "terminated": row.terminated,
        "max_connections": row.max_connections,
    }
