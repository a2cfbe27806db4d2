"""Selects the graph around an owner, application, client or topic: two steps, of clients and topics, bounded.

Around clients it is their topics, and all that others do with these. Around a topic it is its clients, and all that
they do with other topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from kwitness.console.index.database import Database, Row
from kwitness.console.rows.map import PREFIX, MapView

__all__ = ["MOST_FLOWS", "MOST_NODES", "Neighbours", "neighbours"]

MOST_NODES: Final = 60
"""Writers, topics and readers of a graph, the same number of each."""
_MOST_OF_LAYER: Final = MOST_NODES // 3
MOST_FLOWS: Final = 100
"""Lines between them, those of the most bytes."""
_NAMED: Final = {"owner": "owner", "application": "application", "client": "client_id"}


class Neighbours(NamedTuple):
    """Flows between clients and topics, those of the most bytes first.

    A client is an application, or a client id where `is_client`.
    """

    flows: Sequence[Row]
    flow_count: int
    writer_count: int
    topic_count: int
    reader_count: int
    bytes_per_s: float | None

    @property
    def left_out(self) -> int:
        """Number of flows that are not among these."""
        return self.flow_count - len(self.flows)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Conditions on flows of members: those that the graph begins with, and those that are drawn."""

    begins: str
    drawn: str
    parameters: dict[str, Any]


def _chosen(view: MapView) -> _Chosen:
    if view.topic:
        begins = "f.topic = $topic"
        return _Chosen(begins, "member_name IN (SELECT member_name FROM begun)", {"topic": view.topic})
    conditions, parameters = ["true"], {}
    for name, column in _NAMED.items():
        if value := getattr(view, name):
            conditions.append(f"m.{column} = ${name}")
            parameters[name] = value
    if view.without in {"owner", "application"}:
        conditions.append(f"m.{view.without} IS NULL")
    if view.prefix:
        conditions.append(f"{PREFIX} = $prefix")
        parameters["prefix"] = view.prefix
    return _Chosen(" AND ".join(conditions), "topic IN (SELECT topic FROM begun)", parameters)


def neighbours(database: Database, view: MapView) -> Neighbours:
    """Return the graph around what the view names."""
    chosen = _chosen(view)
    is_client = "m.client_id = $client" if view.client else "false"
    # Kept before all others, however few bytes it has.
    first = "e.topic = $topic" if view.topic else "e.is_client" if view.client else "false"
    rows = database.rows(
        f"""
        WITH named AS (
          SELECT f.*, m.owner, {is_client} AS is_client, CASE WHEN {is_client} THEN m.client_id ELSE m.application END
            AS name, (is_client, name) AS member_name, {chosen.begins} AS begins
          FROM flows AS f JOIN members AS m ON m.id = f.member
        ), begun AS MATERIALIZED (SELECT DISTINCT topic, member_name FROM named WHERE begins),
        edges AS MATERIALIZED (
          SELECT is_client, name, any_value(owner) AS owner, direction, topic, sum(bytes_per_s) AS bytes_per_s,
            sum(records_per_s) AS records_per_s, max(lag_ms) AS lag_ms, max(lag) AS lag, bool_or(begins) AS begins
          FROM named WHERE {view.flows} AND {chosen.drawn} GROUP BY is_client, name, direction, topic
        ), topics AS (
          SELECT topic, row_number() OVER (
            ORDER BY bool_or({first}) DESC, sum(bytes_per_s) DESC NULLS LAST, topic) AS place
          FROM edges AS e GROUP BY topic
        ), names AS (
          SELECT is_client, name, direction, row_number() OVER (PARTITION BY direction
            ORDER BY bool_or({first}) DESC, sum(bytes_per_s) DESC NULLS LAST, name NULLS LAST) AS place
          FROM edges AS e GROUP BY is_client, name, direction
        ), counted AS (
          SELECT count(*) AS flow_count, count(DISTINCT topic) AS topic_count,
            count(DISTINCT (is_client, name)) FILTER (direction = 'writes') AS writer_count,
            count(DISTINCT (is_client, name)) FILTER (direction = 'reads') AS reader_count,
            sum(bytes_per_s) AS all_bytes_per_s
          FROM edges
        )
        SELECT e.*, c.* FROM edges AS e JOIN topics AS t ON t.topic = e.topic
        JOIN names AS n ON n.is_client = e.is_client AND n.name IS NOT DISTINCT FROM e.name
          AND n.direction = e.direction
        CROSS JOIN counted AS c
        WHERE t.place <= {_MOST_OF_LAYER} AND n.place <= {_MOST_OF_LAYER}
        ORDER BY begins AND ({first}) DESC, e.bytes_per_s DESC NULLS LAST, e.topic, e.name, e.direction
        LIMIT {MOST_FLOWS}
        """,
        chosen.parameters,
    )
    if not rows:
        return Neighbours([], 0, 0, 0, 0, None)
    counted = rows[0]
    return Neighbours(
        flows=rows,
        flow_count=counted["flow_count"],
        writer_count=counted["writer_count"],
        topic_count=counted["topic_count"],
        reader_count=counted["reader_count"],
        bytes_per_s=counted["all_bytes_per_s"],
    )
