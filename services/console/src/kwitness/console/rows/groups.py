"""Selects consumer groups of a topic or a client, and their members as observers and pushes name them.

A client is a member of the groups that its pushes and its open connections name. Windows of observers tell what a
client does with a topic, and not in which of its groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kwitness.console.index.database import Database, Row
from kwitness.console.rows.addresses import PAGE_ROWS

__all__ = ["groups_of_client", "groups_of_topic", "members_on_topic"]

MOST_APPLICATIONS: Final = 3
"""Applications of a member that are named."""
_FURTHEST_FIRST: Final = "committed_lag_ms DESC NULLS LAST, committed_lag DESC NULLS LAST, group_id"


def groups_of_topic(database: Database, topic: str) -> list[Row]:
    """Return consumer groups of a topic with the number of their known client ids, at most a page.

    Those furthest behind come first.
    """
    return database.rows(
        f"""
        SELECT g.*, m.members
        FROM (SELECT * FROM group_lags WHERE topic = $topic ORDER BY {_FURTHEST_FIRST} LIMIT {PAGE_ROWS}) AS g
        LEFT JOIN (SELECT group_id, count(*) AS members FROM memberships GROUP BY group_id) AS m USING (group_id)
        ORDER BY {_FURTHEST_FIRST}
        """,
        {"topic": topic},
    )


def members_on_topic(database: Database, topic: str, groups: Sequence[Row]) -> list[Row]:
    """Return the known client ids of groups, by group, those that use the topic first; at most a page.

    ``reads`` and ``commits`` say what an observer saw the client id do with the topic, ``group_count`` in how many
    groups it is: which of them it does that for is not known where they are several.
    """
    return database.rows(
        f"""
        WITH first AS (
          SELECT m.*, coalesce(reads, false) AS reads, coalesce(commits, false) AS commits,
            list_position($groups, group_id) AS place
          FROM memberships AS m LEFT JOIN (
            SELECT client_id, bool_or(api IN ('Fetch', 'ShareFetch')) AS reads, bool_or(api = 'OffsetCommit') AS commits
            FROM traffic WHERE topic = $topic GROUP BY client_id
          ) USING (client_id)
          WHERE group_id IN (SELECT unnest($groups))
          ORDER BY place, coalesce(reads OR commits, false) DESC, connections DESC, pushing DESC, client_id NULLS LAST
          LIMIT {PAGE_ROWS}
        ), called AS (
          SELECT client_id, list(DISTINCT application ORDER BY application) AS applications
          FROM members WHERE application IS NOT NULL AND client_id IN (SELECT client_id FROM first) GROUP BY client_id
        )
        SELECT f.*, n.applications[:{MOST_APPLICATIONS}] AS applications,
          greatest(len(n.applications) - {MOST_APPLICATIONS}, 0) AS more_applications
        FROM first AS f LEFT JOIN called AS n USING (client_id)
        ORDER BY place, reads OR commits DESC, connections DESC, pushing DESC, client_id NULLS LAST
        """,
        {"topic": topic, "groups": [row["group_id"] for row in groups]},
    )


def groups_of_client(database: Database, client_id: str) -> list[Row]:
    """Return each group that names a client id as its member, by topic, those furthest behind first; at most a page.

    A group of which no observer saw a commit has one row without a topic.
    """
    return database.rows(
        f"""
        SELECT o.group_id, g.* EXCLUDE (group_id)
        FROM (
          SELECT group_id FROM clients WHERE client_id = $client_id AND group_id <> ''
          UNION SELECT group_id FROM connections WHERE client_id = $client_id AND group_id <> ''
        ) AS o LEFT JOIN group_lags AS g USING (group_id)
        ORDER BY {_FURTHEST_FIRST}, topic LIMIT {PAGE_ROWS}
        """,
        {"client_id": client_id},
    )
