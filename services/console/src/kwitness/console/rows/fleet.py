"""Selects the rows of Fleet: applications, or the client ids of some, with all that is known of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Self

from kwitness.console.index.database import Database, Row
from kwitness.console.rows.addresses import PastView, Window

__all__ = ["DEFAULT_ORDER", "FLEET_ORDERS", "SEEN", "FleetView", "choices", "fleet_rows", "totals", "unnamed"]

FLEET_ORDERS: Final = ("application", "owner", "clients", "pushing", "connections", "writes", "reads", "lag_ms")
DEFAULT_ORDER: Final = "-writes"
SEEN: Final = {
    "pushing": "pushing > 0",
    "silent": "pushing = 0",
    "wire": "on_wire",
    "inside": "inside",
}
"""Values of the filter `seen`, and what they select."""
_EQUAL: Final = {
    "owner": "owner",
    "application": "application",
    "software": "client_software_name",
    "version": "client_software_version",
}
_MOST_CHOICES: Final = 200


@dataclass(frozen=True, slots=True)
class FleetView(PastView):
    """Filters of Fleet; ``by`` is application or client, ``whose`` all or what the filters select."""

    owner: str = ""
    application: str = ""
    software: str = ""
    version: str = ""
    seen: str = ""
    defect: str = ""
    search: str = ""
    by: str = ""
    whose: str = ""

    def of_browser(self, own_owner: str) -> Self:
        """Return the view with ``whose`` as it is for a browser, whose bare address shows an owner."""
        return replace(self, whose="all" if own_owner and not self.owner else "")

    @property
    def is_of_people(self) -> bool:
        """True where rows are selected by no more than owner and search, which any table of clients has."""
        return not (self.application or self.software or self.version or self.defect)

    @property
    def is_filtered(self) -> bool:
        """True where rows are selected."""
        names = (*_EQUAL, "seen", "defect", "search")
        return any(getattr(self, name) for name in names)


def _condition(view: FleetView) -> tuple[str, dict[str, Any]]:
    """Return the condition on members, and its parameters; a value that ends with * is a prefix."""
    conditions, parameters = ["true"], {}
    for name, column in _EQUAL.items():
        value = getattr(view, name)
        if value.endswith("*"):
            conditions.append(f"starts_with({column}, ${name})")
            parameters[name] = value[:-1]
        elif value:
            conditions.append(f"{column} = ${name}")
            parameters[name] = value
    if view.seen in SEEN:
        conditions.append(SEEN[view.seen])
    if view.defect:
        conditions.append(
            "(client_software_name, client_software_version) IN (SELECT (name, version) FROM defects"
            + (" WHERE list_contains(defects, $defect))" if view.defect != "*" else ")")
        )
        if view.defect != "*":
            parameters["defect"] = view.defect
    if view.search:
        texts = "concat_ws(chr(10), application, client_id, principal, owner)"
        conditions.append(f"contains(lower({texts}), lower($search))")
        parameters["search"] = view.search
    return " AND ".join(conditions), parameters


def fleet_rows(database: Database, view: FleetView) -> Window:
    """Return one page of applications or client ids."""
    condition, parameters = _condition(view)
    key = "application, client_id" if view.by == "client" else "application"
    field, direction = view.ordering(DEFAULT_ORDER)
    names = key.split(", ")

    # The heading of the first column sorts by what it names.
    column = f"s.{names[-1]}" if field == "application" else field
    ties = ", ".join(f"s.{name} NULLS LAST" for name in names)

    def same(left: str, right: str) -> str:
        return " AND ".join(f"{left}.{name} IS NOT DISTINCT FROM {right}.{name}" for name in names)

    rows = database.rows(
        f"""
        WITH chosen AS (SELECT * FROM members WHERE {condition}),
        sums AS (
          SELECT {key}, any_value(owner) AS owner, any_value(owner_contact) AS owner_contact,
            count(DISTINCT client_id) AS clients, any_value(client_id) AS any_client,
            sum(pushing)::BIGINT AS pushing, sum(connections)::BIGINT AS connections, bool_or(on_wire) AS on_wire,
            bool_or(inside) AS inside, sum(writes) AS writes, sum(reads) AS reads, max(lag_ms) AS lag_ms,
            max(lag) AS lag
          FROM chosen GROUP BY {key}
        ), paged AS (
          SELECT s.*, count(*) OVER () AS total, row_number() OVER (
            ORDER BY {column} {direction} NULLS LAST, {ties}
          ) AS place
          FROM sums AS s
          ORDER BY place {view.limits}
        ), of_page AS MATERIALIZED (SELECT c.*, place FROM chosen AS c JOIN paged ON {same("paged", "c")}
        ), details AS (
          SELECT place, list_sort(list(DISTINCT principal))[:4] AS principals,
            count(DISTINCT principal) AS principal_count,
            list_sort(list(DISTINCT {{'name': client_software_name, 'version': client_software_version,
              'defects': coalesce(defects, [])}}) FILTER (client_software_name IS NOT NULL)) AS versions
          FROM of_page LEFT JOIN defects ON name = client_software_name AND version = client_software_version
          GROUP BY place
        ), topics AS (
          SELECT place, count(DISTINCT topic) FILTER (direction = 'writes') AS topics_written,
            count(DISTINCT topic) FILTER (direction = 'reads') AS topics_read
          FROM flows JOIN of_page ON id = member GROUP BY place
        )
        SELECT paged.*, coalesce(principals, []) AS principals, principal_count, coalesce(versions, []) AS versions,
          topics_written, topics_read
        FROM paged LEFT JOIN details USING (place) LEFT JOIN topics USING (place) ORDER BY place
        """,
        parameters,
    )
    return Window.of_rows(rows, view.page)


def totals(database: Database, view: FleetView) -> Row:
    """Return the numbers of all rows together."""
    condition, parameters = _condition(view)
    return database.row(
        f"""
        SELECT count(DISTINCT application) AS applications, count(DISTINCT client_id) AS clients,
          coalesce(sum(pushing), 0)::BIGINT AS pushing, coalesce(sum(connections), 0)::BIGINT AS connections,
          coalesce(sum(connections) FILTER (client_id <> ''), 0)::BIGINT AS named_connections
        FROM members WHERE {condition}
        """,
        parameters,
    )


def unnamed(database: Database) -> list[Row]:
    """Return software whose connections brokers count and that no source names."""
    return database.rows(
        "SELECT * FROM silent WHERE client_id IS NULL AND client_instance_id IS NULL AND connections > 0 "
        "ORDER BY connections DESC, client_software_name, client_software_version"
    )


def choices(database: Database) -> dict[str, list[str]]:
    """Return values that filters offer."""
    columns = {"owners": "owner", "software": "client_software_name"}
    return {
        name: [
            row["value"]
            for row in database.rows(
                f"SELECT DISTINCT {column} AS value FROM members WHERE {column} <> '' ORDER BY value "
                f"LIMIT {_MOST_CHOICES}"
            )
        ]
        for name, column in columns.items()
    }
