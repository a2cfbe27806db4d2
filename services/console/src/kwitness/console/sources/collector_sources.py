"""The sources that one collector is, each with a connection of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

from pydantic import BaseModel

from kwitness.answers.access.collector_access import CollectorAccess, CollectorRefusedError, CollectorRoute
from kwitness.answers.access.questions import Questions, Selection
from kwitness.answers.views.gaps import gaps_of, left_out_of
from kwitness.console.index.database import Database
from kwitness.console.index.tables import (
    CONNECTIONS,
    GROUPS,
    OBSERVERS,
    REPORTERS,
    SILENT,
    SILENT_IN_NAMESPACES,
    TRAFFIC,
    Table,
    batches_of,
)
from kwitness.console.sources.client_changes import ClientChanges
from kwitness.console.sources.source import PERIOD_S, Source
from kwitness.contracts.endpoints import CLUSTER_PATH
from kwitness.contracts.envelopes import ClusterState
from kwitness.contracts.spelling import quantity

__all__ = ["collector_sources"]

_CONNECTIONS_S = 30.0
"""Observers list their connections on request."""
_SCOPED = "ScopedReader"
_ONE_CLUSTER = """
SELECT cluster_id FROM (SELECT cluster_id FROM traffic UNION SELECT cluster_id FROM clients
UNION SELECT cluster_id FROM connections) WHERE cluster_id IS NOT NULL LIMIT 1
"""


def collector_sources(route: CollectorRoute, database: Database, changed: Callable[[], None]) -> dict[str, Source]:
    """Return the sources by the names of their tables."""

    def source(
        name: str, read: Callable[[CollectorAccess, Database], Sequence[str]], period_s: float = PERIOD_S
    ) -> Source:
        return Source(
            name, functools.partial(read, CollectorAccess(route), database), changed=changed, period_s=period_s
        )

    return {
        "clients": Source("clients", ClientChanges(CollectorAccess(route), database).read, changed=changed),
        "silent": source("clients that do not push", _silent),
        "connections": source("connections", _connections, _CONNECTIONS_S),
        "traffic": source("traffic", _traffic),
        "groups": source("groups", _groups),
        "reporters": source("interceptors", _reporters),
    }


def _fill(database: Database, table: Table, items: Iterable[BaseModel]) -> None:
    fields = set(table.fields)
    dumped = (item.model_dump(mode="json", include=fields, exclude_none=True) for item in items)
    database.write(*table.filled_by(batches_of(dumped)))


def _silent(collector: CollectorAccess, database: Database) -> Sequence[str]:
    answer = Questions(collector).silent()
    _fill(database, SILENT, answer.items)
    _fill(database, SILENT_IN_NAMESPACES, Questions(collector).silent(proven=True).items)
    left_out = [f"{quantity(answer.left_out, 'silent client')} of the fewest connections"] if answer.left_out else []
    return [*gaps_of(answer), *left_out]


def _connections(collector: CollectorAccess, database: Database) -> Sequence[str]:
    answer = Questions(collector).connections()
    _fill(database, CONNECTIONS, answer.items)
    _fill(database, OBSERVERS, answer.observers)
    return [*gaps_of(answer), *left_out_of(answer.left_out, answer.observers)]


def _traffic(collector: CollectorAccess, database: Database) -> Sequence[str]:
    answer = Questions(collector).traffic(Selection(fields=TRAFFIC.fields))
    _fill(database, TRAFFIC, answer.items)
    return [*gaps_of(answer), *left_out_of(answer.left_out, ())]


def _groups(collector: CollectorAccess, database: Database) -> Sequence[str]:
    answer = Questions(collector).groups(Selection(fields=GROUPS.fields))
    _fill(database, GROUPS, answer.items)
    return [*gaps_of(answer), *left_out_of(answer.left_out, ())]


def _reporters(collector: CollectorAccess, database: Database) -> Sequence[str]:
    """Read reporters of interceptors; the cluster is known by what other sources read."""
    known = database.rows(_ONE_CLUSTER)
    if not known:
        return []
    try:
        answer = collector.get(CLUSTER_PATH.format(cluster_id=known[0]["cluster_id"]), ClusterState)
    except CollectorRefusedError as error:
        if error.reason != _SCOPED:
            raise
        return ["interceptors are not shown to readers with a scope"]
    _fill(database, REPORTERS, answer.interceptors)
    return gaps_of(answer)
