"""Selects the rows of Fleet: applications, or the client ids of some, with all that is known of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Self

from kwitness.console.index.database import Database, Row
from kwitness.console.index.members import TOTALS
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
_MOST_PRINCIPALS: Final = 4
"""Principals of a row that are shown."""
_MOST_VERSIONS: Final = 3
"""Versions of a row that are shown."""
_SUMS: Final = {
    "owner": "any_value(owner)",
    "clients": "len(list_distinct(list(client_id)))",
    "pushing": "sum(pushing)::BIGINT",
    "connections": "sum(connections)::BIGINT",
    "writes": "sum(writes)",
    "reads": "sum(reads)",
    "lag_ms": "max(lag_ms)",
}
"""Columns of a row that pages are ordered by, of its members."""


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
    """Return one page of applications or client ids; only members of that page are put together."""
    condition, parameters = _condition(view)
    names = ("application", "client_id") if view.by == "client" else ("application",)
    key = ", ".join(names)
    field, direction = view.ordering(DEFAULT_ORDER)

    # The heading of the first column sorts by what it names.
    value = names[-1] if field == "application" else _SUMS[field]
    ties = ", ".join(f"{name} NULLS LAST" for name in names)
    same = " AND ".join(f"m.{name} IS NOT DISTINCT FROM p.{name}" for name in names)
    # Aggregates of distinct values are joins of their own, which take longer than `list_distinct` of so few rows.
    rows = database.rows(
        f"""
        WITH chosen AS {"MATERIALIZED" if view.is_filtered else "NOT MATERIALIZED"} (
          SELECT * FROM members WHERE {condition}
        ), paged AS MATERIALIZED (
          SELECT *, row_number() OVER () AS place FROM (
            SELECT {key}, count(*) OVER () AS total FROM chosen GROUP BY {key}
            ORDER BY {value} {direction} NULLS LAST, {ties} {view.limits})
        ), of_page AS MATERIALIZED (
          SELECT m.*, p.place, p.total FROM chosen AS m JOIN paged AS p ON {same}
        ), details AS (
          SELECT place, any_value(total) AS total, {", ".join(f"any_value({name}) AS {name}" for name in names)},
            {", ".join(f"{total} AS {column}" for column, total in _SUMS.items())},
            any_value(owner_contact) AS owner_contact, any_value(client_id) AS any_client, bool_or(on_wire) AS on_wire,
            bool_or(inside) AS inside, max(lag) AS lag,
            list_sort(list_distinct(list(principal))) AS principals, bool_or(principal IS NULL) AS is_incomplete,
            list_sort(list_distinct(coalesce(
              list({{'name': client_software_name, 'version': client_software_version,
                'defects': coalesce(defects, [])}}) FILTER (client_software_name IS NOT NULL), []))) AS versions
          FROM of_page LEFT JOIN defects ON name = client_software_name AND version = client_software_version
          GROUP BY place
        ), topics AS (
          SELECT place, count(*) FILTER (direction = 'writes') AS topics_written,
            count(*) FILTER (direction = 'reads') AS topics_read
          FROM (SELECT DISTINCT place, direction, topic FROM flows JOIN of_page ON id = member) GROUP BY place
        )
        SELECT details.* EXCLUDE (is_incomplete) REPLACE (
            (principals || CASE WHEN is_incomplete THEN [NULL] ELSE [] END)[:{_MOST_PRINCIPALS}] AS principals,
            versions[:{_MOST_VERSIONS}] AS versions),
          len(principals) AS principal_count, len(versions) AS version_count, topics_written, topics_read
        FROM details LEFT JOIN topics USING (place) ORDER BY place
        """,
        parameters,
    )
    return Window.of_rows(rows, view.page)


def totals(database: Database, view: FleetView) -> Row:
    """Return the numbers of all rows together."""
    if not view.is_filtered:
        return database.row("SELECT * FROM summary")
    condition, parameters = _condition(view)
    return database.row(f"SELECT {TOTALS} FROM members WHERE {condition}", parameters)


def unnamed(database: Database) -> list[Row]:
    """Return software whose connections brokers count and that no source names."""
    return database.rows(
        "SELECT * FROM silent WHERE client_id IS NULL AND client_instance_id IS NULL AND connections > 0 "
        "ORDER BY connections DESC, client_software_name, client_software_version"
    )


def choices(database: Database) -> dict[str, list[str]]:
    """Return values that filters offer."""
    found = database.row("SELECT owners, software FROM summary")
    return {name: sorted(value for value in values or () if value)[:_MOST_CHOICES] for name, values in found.items()}
