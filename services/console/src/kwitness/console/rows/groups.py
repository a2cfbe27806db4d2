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
_MEMBERSHIPS: Final = """
  SELECT group_id, client_id, owner, owner_contact, 1 AS pushing, 0 AS connections FROM clients
  WHERE group_id <> '' AND last_push_ms IS NOT NULL AND NOT coalesce(terminated, false)
  UNION ALL SELECT group_id, client_id, owner, owner_contact, 0, 1 FROM connections WHERE group_id <> ''
"""
"""Each time that a source names a client as a member of a group now."""


def groups_of_topic(database: Database, topic: str) -> list[Row]:
    """Return consumer groups of a topic with the number of their known client ids, at most a page.

    Those furthest behind come first.
    """
    return database.rows(
        f"""
        WITH memberships AS ({_MEMBERSHIPS})
        SELECT g.*, nullif(m.members, 0) AS members
        FROM (SELECT * FROM groups WHERE topic = $topic ORDER BY {_FURTHEST_FIRST} LIMIT {PAGE_ROWS}) AS g
        LEFT JOIN (
          SELECT group_id, count(DISTINCT coalesce(client_id, '')) AS members FROM memberships
          WHERE group_id IN (SELECT group_id FROM groups WHERE topic = $topic) GROUP BY group_id
        ) AS m USING (group_id)
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
        WITH memberships AS ({_MEMBERSHIPS}),
        of_groups AS (
          SELECT group_id, client_id, any_value(owner) AS owner, any_value(owner_contact) AS owner_contact,
            sum(pushing)::BIGINT AS pushing, sum(connections)::BIGINT AS connections
          FROM memberships WHERE group_id IN (SELECT unnest($groups)) GROUP BY group_id, client_id
        ),
        known AS (SELECT DISTINCT client_id FROM of_groups),
        counted AS (
          SELECT client_id, count(DISTINCT group_id) AS group_count FROM memberships SEMI JOIN known USING (client_id)
          GROUP BY client_id
        ),
        used AS (
          SELECT client_id, bool_or(api IN ('Fetch', 'ShareFetch')) AS reads, bool_or(api = 'OffsetCommit') AS commits
          FROM traffic SEMI JOIN known USING (client_id) WHERE topic = $topic GROUP BY client_id
        ),
        called AS (
          SELECT client_id, list(DISTINCT application ORDER BY application) AS applications
          FROM members SEMI JOIN known USING (client_id) WHERE application IS NOT NULL GROUP BY client_id
        )
        SELECT o.*, coalesce(c.group_count, 1) AS group_count, coalesce(u.reads, false) AS reads,
          coalesce(u.commits, false) AS commits, n.applications[:{MOST_APPLICATIONS}] AS applications,
          greatest(len(n.applications) - {MOST_APPLICATIONS}, 0) AS more_applications
        FROM of_groups AS o LEFT JOIN counted AS c USING (client_id) LEFT JOIN used AS u USING (client_id)
        LEFT JOIN called AS n USING (client_id)
        ORDER BY list_position($groups, group_id), reads OR commits DESC, connections DESC, pushing DESC,
          client_id NULLS LAST
        LIMIT {PAGE_ROWS}
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
        ) AS o LEFT JOIN groups AS g USING (group_id)
        ORDER BY {_FURTHEST_FIRST}, topic LIMIT {PAGE_ROWS}
        """,
        {"client_id": client_id},
    )
