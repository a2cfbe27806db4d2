"""Selects the rows of the list of topics and of one topic; numbers are those of `kwitness topics`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from kwitness.answers.views.error_counts import error_counts
from kwitness.console.index.database import Database, Row
from kwitness.console.index.members import CLIENT, READS, WRITES
from kwitness.console.rows.addresses import PAGE_ROWS, PastView, Window

__all__ = ["TOPICS_ORDER", "TOPICS_ORDERS", "TopicsView", "topic_clients", "topic_named", "topic_rows"]

TOPICS_ORDERS: Final = ("topic", "owner", "writers", "readers", "bytes_in", "bytes_out", "lag_ms", "committed_lag_ms")
TOPICS_ORDER: Final = "-bytes_in"


@dataclass(frozen=True, slots=True)
class TopicsView(PastView):
    """Filters of the list of topics."""

    owner: str = ""
    search: str = ""


def topic_rows(database: Database, view: TopicsView) -> Window:
    """Return one page of topics."""
    field, direction = view.ordering(TOPICS_ORDER)
    rows = database.rows(
        f"""
        SELECT *, count(*) OVER () AS total FROM topics
        WHERE writers IS NOT NULL
          AND ($owner = '' OR owner = $owner OR ($owner LIKE '%*' AND starts_with(owner, rtrim($owner, '*'))))
          AND contains(lower(topic), lower($search))
        ORDER BY {field} {direction} NULLS LAST, topic
        {view.limits}
        """,
        {"owner": view.owner, "search": view.search},
    )
    return Window.of_rows(rows, view.page)


def topic_named(database: Database, topic: str) -> Row | None:
    """Return the row of one topic; None if neither traffic nor a group names it."""
    rows = database.rows("SELECT * FROM topics WHERE topic = $topic", {"topic": topic})
    return rows[0] if rows else None


def topic_clients(database: Database, topic: str) -> list[Row]:
    """Return what each client does with a topic, those of the most bytes first, at most a page of each direction."""
    rows = database.rows(
        f"""
        WITH throttled AS (
          SELECT api, {CLIENT} AS client, any_value(throttle_ms) AS throttle_ms FROM traffic WHERE topic IS NULL
          GROUP BY ALL
        ), of_topic AS (
          SELECT t.*, row_number() OVER (
            PARTITION BY {WRITES}, {READS} ORDER BY record_bytes_per_s DESC NULLS LAST, client_id) AS place,
            {CLIENT} AS client
          FROM traffic AS t WHERE topic = $topic
        )
        SELECT o.* EXCLUDE (throttle_ms, client, errors), h.throttle_ms, o.errors::VARCHAR AS errors,
          coalesce(d.defects, []) AS defects,
          CASE WHEN {WRITES.replace("api", "o.api")} THEN 'writes' WHEN {READS.replace("api", "o.api")} THEN 'reads'
            WHEN o.api = 'OffsetCommit' THEN 'commits' END AS does
        FROM of_topic AS o LEFT JOIN throttled AS h ON h.api = o.api AND h.client IS NOT DISTINCT FROM o.client
        LEFT JOIN defects AS d ON d.name = o.client_software_name AND d.version = o.client_software_version
        WHERE place <= {PAGE_ROWS}
        ORDER BY does = 'writes' DESC, does = 'reads' DESC, place
        """,
        {"topic": topic},
    )
    for row in rows:
        row["errors"] = error_counts(json.loads(row["errors"] or "{}"))
    return rows
