"""Describes the tables of the index, each filled from a list of JSON items as the collector answers them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from kwitness.console.index.database import unnested

__all__ = [
    "BATCH_ROWS",
    "CLIENTS",
    "CONNECTIONS",
    "GROUPS",
    "OBSERVERS",
    "REPORTERS",
    "SILENT",
    "SILENT_IN_NAMESPACES",
    "TABLES",
    "TRAFFIC",
    "Table",
    "batches_of",
]

BATCH_ROWS: Final = 4_000
"""Rows that are put into the index at once; to parse them takes six times their bytes."""

_OWNER: Final = {"team": "VARCHAR", "contact": "VARCHAR"}
_BY_OBSERVER: Final = "k8s_namespace"
"""The column, in items that have a namespace only where an observer's own token names it."""
_TEXTS: Final = {
    "principal": "VARCHAR",
    "client_id": "VARCHAR",
    "client_software_name": "VARCHAR",
    "client_software_version": "VARCHAR",
    "k8s_namespace": "VARCHAR",
    "k8s_workload": "VARCHAR",
    "k8s_pod": "VARCHAR",
    "owner": _OWNER,
}
"""Fields by which nouns name a client."""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns by name, with the types of the items' fields; a struct of an owner becomes two columns.

    Attributes
    ----------
    namespace
        The namespace of a row's client by its columns, in SQL: readers with that namespace see the row. It must be
        proven, as the collector proves it for its readers with a scope; NULL where it is not. None where rows have no
        namespace at all: only readers of all see them.
    in_namespaces
        Another table with these columns, whose rows readers with namespaces see in place of these: it has what is
        known of each namespace alone. None where they see rows of this one.
    """

    name: str
    structure: Mapping[str, Any]
    namespace: str | None
    in_namespaces: str | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of items that the table needs."""
        return tuple(self.structure)

    def _selection(self) -> str:
        columns = []
        for field, kind in self.structure.items():
            if isinstance(kind, Mapping):
                columns += [f'item."{field}".team AS "{field}"', f'item."{field}".contact AS "{field}_contact"']
            else:
                columns.append(f'item."{field}" AS "{field}"')
        return f"SELECT {', '.join(columns)} FROM {unnested(self.structure)}"

    def filled(self, items: str) -> tuple[str, list[str]]:
        """Return the statement that makes the table of a JSON list, instead of the one before."""
        return f"CREATE OR REPLACE TABLE {self.name} AS {self._selection()}", [items]

    def filled_by(self, batches: Sequence[str]) -> Sequence[tuple[str, list[str]]]:
        """Return the statements that make the table of JSON lists, one at least, instead of the one before."""
        first, *others = batches
        return [self.filled(first), *map(self.added, others)]

    def added(self, items: str) -> tuple[str, list[str]]:
        """Return the statement that adds the items of a JSON list."""
        return f"INSERT INTO {self.name} {self._selection()}", [items]


def batches_of(items: Iterable[Any]) -> Sequence[str]:
    """Return items as JSON lists, one at least, for which few of them are in memory at once."""
    left = iter(items)
    batches = []
    while batch := [*islice(left, BATCH_ROWS)]:
        batches.append(json.dumps(batch))
    return batches or ["[]"]


CLIENTS: Final = Table(
    "clients",
    {
        "key": "VARCHAR",
        "cluster_id": "VARCHAR",
        **_TEXTS,
        "client_instance_id": "VARCHAR",
        "client_address": "VARCHAR",
        "group_id": "VARCHAR",
        "first_seen_ms": "BIGINT",
        "last_push_ms": "BIGINT",
        "push_interval_ms": "BIGINT",
        "terminated": "BOOLEAN",
        "subscriptions": ["VARCHAR"],
        "ours": "BOOLEAN",
        "k8s_namespace_proven": "BOOLEAN",
    },
    namespace="CASE WHEN k8s_namespace_proven THEN k8s_namespace END",
)
CONNECTIONS: Final = Table(
    "connections",
    {
        "cluster_id": "VARCHAR",
        **_TEXTS,
        "client_address": "VARCHAR",
        "group_id": "VARCHAR",
        "broker_id": "VARCHAR",
        "state": "VARCHAR",
        "opaque": "VARCHAR",
        "opened_at_ms": "BIGINT",
        "observer": "VARCHAR",
    },
    namespace=_BY_OBSERVER,
)
OBSERVERS: Final = Table(
    "observers", {"observer": "VARCHAR", "observer_pod": "VARCHAR"}, namespace="split_part(observer_pod, '/', 1)"
)
TRAFFIC: Final = Table(
    "traffic",
    {
        "cluster_id": "VARCHAR",
        "api": "VARCHAR",
        "topic": "VARCHAR",
        **_TEXTS,
        "topic_owner": _OWNER,
        "requests_per_s": "DOUBLE",
        "records_per_s": "DOUBLE",
        "record_bytes_per_s": "DOUBLE",
        "errors": "JSON",
        "throttle_ms": "BIGINT",
        "fetch_lag": "BIGINT",
        "fetch_lag_ms": "BIGINT",
        "until_ms": "BIGINT",
    },
    namespace=_BY_OBSERVER,
)
GROUPS: Final = Table(
    "groups",
    {
        "cluster_id": "VARCHAR",
        "group_id": "VARCHAR",
        "owner": _OWNER,
        "topic": "VARCHAR",
        "topic_owner": _OWNER,
        "committed_lag": "BIGINT",
        "committed_lag_ms": "BIGINT",
        "went_back_records": "BIGINT",
        "went_back_ms": "BIGINT",
        "k8s_namespace": "VARCHAR",
        "until_ms": "BIGINT",
    },
    namespace=_BY_OBSERVER,
)
"""A group and topic has a row for each namespace whose observers saw it commit; `group_lags` has both once."""
_SILENT: Final = {
    "client_id": "VARCHAR",
    "client_instance_id": "VARCHAR",
    "principal": "VARCHAR",
    "client_address": "VARCHAR",
    "client_software_name": "VARCHAR",
    "client_software_version": "VARCHAR",
    "connections": "BIGINT",
    "seen_by": "VARCHAR",
    "reason": "VARCHAR",
    "detail": "VARCHAR",
    "k8s_namespace": "VARCHAR",
}
SILENT_IN_NAMESPACES: Final = Table("silent_in_namespaces", _SILENT, namespace=_BY_OBSERVER)
"""Silent clients with a proven namespace, with reasons that say nothing of others."""
SILENT: Final = Table("silent", _SILENT, namespace=_BY_OBSERVER, in_namespaces=SILENT_IN_NAMESPACES.name)
REPORTERS: Final = Table(
    "reporters",
    {"pod_namespace": "VARCHAR", "pod": "VARCHAR", "clients": "BIGINT", "runtime": "VARCHAR"},
    namespace="pod_namespace",
)
TABLES: Final = (CLIENTS, CONNECTIONS, OBSERVERS, TRAFFIC, GROUPS, SILENT, SILENT_IN_NAMESPACES, REPORTERS)
