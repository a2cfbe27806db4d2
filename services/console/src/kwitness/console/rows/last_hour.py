"""Selects the numbers of the last hour that a reader may see, by minute."""

from __future__ import annotations

from kwitness.console.index.database import Database, Row

__all__ = ["last_hour"]


def last_hour(database: Database) -> list[Row]:
    """Return connections, instances that push, and bytes a second written and read, of each minute, the oldest first.

    Bytes are None of minutes in which observers counted nothing new.
    """
    return database.rows(
        "SELECT minute, sum(connections)::BIGINT AS connections, sum(pushing)::BIGINT AS pushing, "
        "sum(written) AS written, sum(read) AS read FROM hour_totals GROUP BY minute ORDER BY minute"
    )
