"""Selects what is known of one client id: who it is, its instances, connections, topics, groups and silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from kwitness.answers.views.client_state import state_of
from kwitness.answers.views.client_story import next_step
from kwitness.console.index.database import Database, Row
from kwitness.console.rows.addresses import PAGE_ROWS
from kwitness.console.rows.client_stories import client_item
from kwitness.console.rows.groups import groups_of_client

__all__ = ["Client", "client_named"]

_OF_CLIENT: Final = "WHERE client_id = $client_id"


class Client(NamedTuple):
    """All rows of one client id."""

    identities: Sequence[Row]
    instances: Sequence[Row]
    instance_count: int
    connections: Sequence[Row]
    connection_count: int
    topics: Sequence[Row]
    groups: Sequence[Row]
    is_silent: bool

    @property
    def is_known(self) -> bool:
        """True where any source knows it."""
        return bool(self.identities or self.instances or self.is_silent)


def client_named(database: Database, client_id: str, pushes_as_of_ms: int) -> Client:
    """Return what is known of a client id.

    Parameters
    ----------
    pushes_as_of_ms
        When the times of pushes were read: whether one is late is known for that time.
    """
    parameters = {"client_id": client_id}

    def rows(query: str) -> list[Row]:
        return database.rows(query, parameters)

    counted = database.row(
        f"SELECT (SELECT count(*) FROM clients {_OF_CLIENT}) AS instances, "
        f"(SELECT count(*) FROM connections {_OF_CLIENT}) AS connections, "
        f"(SELECT count(*) FROM silent {_OF_CLIENT}) > 0 AS is_silent",
        parameters,
    )
    instances = rows(f"SELECT * FROM clients {_OF_CLIENT} ORDER BY last_push_ms DESC NULLS LAST, key LIMIT {PAGE_ROWS}")
    return Client(
        identities=rows(
            f"""
            SELECT m.*, coalesce(d.defects, []) AS defects FROM members AS m
            LEFT JOIN defects AS d ON name = client_software_name AND version = client_software_version
            {_OF_CLIENT} ORDER BY connections DESC, pushing DESC, id LIMIT {PAGE_ROWS}
            """
        ),
        instances=[{**row, **_state(row, pushes_as_of_ms)} for row in instances],
        instance_count=counted["instances"],
        connections=rows(f"SELECT * FROM connections {_OF_CLIENT} ORDER BY opened_at_ms LIMIT {PAGE_ROWS}"),
        connection_count=counted["connections"],
        topics=rows(
            f"""
            SELECT topic, api, sum(record_bytes_per_s) AS bytes_per_s, sum(records_per_s) AS records_per_s,
              max(fetch_lag_ms) AS lag_ms, max(fetch_lag) AS lag, any_value(topic_owner) AS owner,
              any_value(topic_owner_contact) AS owner_contact,
              CASE api WHEN 'Produce' THEN 'writes' WHEN 'Fetch' THEN 'reads' WHEN 'ShareFetch' THEN 'reads'
                WHEN 'OffsetCommit' THEN 'commits' ELSE api END AS does
            FROM traffic {_OF_CLIENT} AND topic IS NOT NULL GROUP BY topic, api
            ORDER BY bytes_per_s DESC NULLS LAST, topic, api LIMIT {PAGE_ROWS}
            """
        ),
        groups=groups_of_client(database, client_id),
        is_silent=counted["is_silent"],
    )


def _state(row: Row, now_ms: int) -> dict[str, Any]:
    """Return the state of an instance, and the next step."""
    item = client_item(row)
    state = state_of(item, now_ms)
    return {"state": state, "next_step": next_step(item, state)}
