"""Selects when clients were first and last seen, by the table of ClientInventory, and what changed since an hour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from kwitness.console.index.analyses import CLIENT_INVENTORY
from kwitness.console.index.database import Database, Row
from kwitness.console.rows.hours import HOUR_MS
from kwitness.console.rows.job_tables import ShownTable, shown_table

__all__ = ["GONE", "MOST_OF_A_KIND", "NEW", "STAYED", "Sights", "sight_of", "sights_around"]

GONE, NEW, STAYED = "gone since", "new since", "still there"
MOST_OF_A_KIND: Final = 50
"""Clients of each kind of change that are shown."""
_CHANGE: Final = f"""
CASE WHEN first_seen_ms >= $end_ms THEN '{NEW}' WHEN is_gone THEN '{GONE}' ELSE '{STAYED}' END
"""


class Sights(NamedTuple):
    """Clients that were seen in an hour or later.

    Attributes
    ----------
    table
        The table that they are from; without rows where there is none.
    is_ambiguous
        True where there are several tables, each maybe of another Kafka cluster; then there are no rows.
    rows
        Those that are gone or new, as `since` in them says: the last ones of each.
    counts
        Client ids by change.
    """

    table: ShownTable
    is_ambiguous: bool
    rows: Sequence[Row]
    counts: dict[str, int]


def sights_around(database: Database, start_ms: int, *, owner: str, search: str) -> Sights:
    """Return who is gone, new or still there since an hour; an owner that ends with * is a prefix."""
    table = shown_table(database, CLIENT_INVENTORY.job_type, "")
    if len(table.jobs) != 1:
        return Sights(table, len(table.jobs) > 1, [], {})
    changes = database.rows(
        f"""
        WITH around AS (
          SELECT *, {_CHANGE} AS since FROM client_inventory
          WHERE last_seen_ms >= $start_ms
            AND ($owner = '' OR owner = $owner OR (ends_with($owner, '*') AND starts_with(owner, rtrim($owner, '*'))))
            AND ($search = '' OR contains(lower(concat_ws(chr(10), client_id, principal, owner)), lower($search)))
        )
        SELECT since, count(*) AS total,
          arg_max(around, last_seen_ms, {MOST_OF_A_KIND}) FILTER (since <> '{STAYED}') AS clients
        FROM around GROUP BY since ORDER BY since
        """,
        {"start_ms": start_ms, "end_ms": start_ms + HOUR_MS, "owner": owner, "search": search},
    )
    shown = [row for change in changes for row in change["clients"] or ()]
    return Sights(table, False, shown, {change["since"]: change["total"] for change in changes})


def sight_of(database: Database, client_id: str, start_ms: int | None) -> Row | None:
    """Return when a client id was first and last seen, with `since` of an hour if there is one; None if not known."""
    table = shown_table(database, CLIENT_INVENTORY.job_type, "")
    if len(table.jobs) != 1:
        return None
    sight = database.row(
        f"""
        SELECT *, {_CHANGE} AS since FROM (
          SELECT min(first_seen_ms) AS first_seen_ms, max(last_seen_ms) AS last_seen_ms, bool_and(is_gone) AS is_gone
          FROM client_inventory WHERE client_id = $client_id)
        """,
        {"client_id": client_id, "end_ms": None if start_ms is None else start_ms + HOUR_MS},
    )
    return sight if sight["last_seen_ms"] is not None else None
