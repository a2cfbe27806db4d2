"""Selects who breaks when brokers go to a release of Kafka: by client, by owner, and by software without evidence.

The rules are those of the findings of UpgradeImpact: what a client used within a time counts. Of a client whose
requests were not seen, its software alone is known, which is never an all-clear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from kwitness.console.index.analyses import CLIENT
from kwitness.console.index.database import Database, Row
from kwitness.console.rows.addresses import PAGE_ROWS, View, Window
from kwitness.console.rows.job_tables import ShownTable
from kwitness.contracts.kafka_releases import KAFKA_RELEASES, reaches

__all__ = ["UPGRADES_ORDER", "UPGRADES_ORDERS", "Upgrade", "UpgradesView", "breaking", "owners", "release_of", "unseen"]

UPGRADES_ORDERS: Final = ("owner", "client_id", "client_software_name", "requests", "last_seen_ms")
UPGRADES_ORDER: Final = "-requests"
_USED_WITHIN_MS: Final = 30 * 86_400_000
"""The default of jobs, for a table whose job is not known."""
_UNKNOWN: Final = "unknown"
_FINDINGS: Final = ("MayBreak", "Unknown", "Unobserved")
_MAILED: Final = 5
"""Clients that a mail names."""
_CLIENT: Final = (
    "cluster_id, principal, client_id, client_software_name, client_software_version, k8s_namespace, k8s_workload"
)
_PRESENT: Final = """
WITH present AS (
  SELECT *, dropped_in IS NOT NULL AND list_contains($releases, dropped_in) AS is_dropped
  FROM upgrade_impact WHERE job = $job AND last_seen_ms >= $since_ms
)
"""
_BREAKING: Final = f"""
{_PRESENT}, clients AS (
  SELECT {CLIENT}, arg_max(owner, last_seen_ms) AS owner, arg_max(owner_contact, last_seen_ms) AS owner_contact,
    sum(requests) AS requests, max(last_seen_ms) AS last_seen_ms,
    list({{'api': api, 'version': api_version}}) AS uses
  FROM present WHERE is_dropped GROUP BY {CLIENT}
), breaking AS (
  SELECT * FROM clients
  WHERE ($owner = '' OR owner = $owner OR ($owner LIKE '%*' AND starts_with(owner, rtrim($owner, '*'))))
    AND ($unowned = '' OR owner IS NULL)
    AND contains(lower(concat_ws(' ', client_id, principal, k8s_workload, client_software_name)), lower($search))
)
"""
_UNSEEN: Final = f"""
{_PRESENT}, clients AS (
  SELECT client_software_name, client_software_version, bool_or(is_dropped) AS breaks,
    bool_or(kind = 'request') AS is_seen, bool_or(is_unclear) AS is_unclear
  FROM present WHERE kind <> 'software' GROUP BY {CLIENT}
), seen AS (
  SELECT client_software_name AS name, client_software_version AS version,
    count(*) FILTER (NOT breaks AND NOT is_seen) AS connected, count(*) FILTER (NOT breaks AND is_unclear) AS unclear
  FROM clients GROUP BY ALL
), counted AS (
  SELECT client_software_name AS name, client_software_version AS version, max(connections) AS connections
  FROM present WHERE kind = 'software' GROUP BY ALL
)
SELECT 'connection' AS evidence, name, version, connected AS clients, NULL AS connections FROM seen WHERE connected > 0
UNION ALL SELECT 'request', name, version, unclear, NULL FROM seen WHERE unclear > 0
UNION ALL SELECT 'software', c.name, c.version, NULL, c.connections FROM counted AS c ANTI JOIN seen AS s
  ON s.name IS NOT DISTINCT FROM c.name AND s.version IS NOT DISTINCT FROM c.version
"""


@dataclass(frozen=True, slots=True)
class UpgradesView(View):
    """The release, the job, and filters of clients; `unowned` is any text."""

    target: str = ""
    job: str = ""
    owner: str = ""
    unowned: str = ""
    search: str = ""

    @property
    def is_filtered(self) -> bool:
        """True where not all clients are requested."""
        return bool(self.owner or self.unowned or self.search)


@dataclass(frozen=True, slots=True)
class Upgrade:
    """An upgrade of the brokers that one table is about.

    Attributes
    ----------
    since_ms
        Clients that were seen last before it do not count.
    releases
        Those up to the target: what one of them dropped, the target does not answer.
    """

    job: str
    target: str
    since_ms: int
    releases: tuple[str, ...]

    @classmethod
    def shown(cls, table: ShownTable, view: UpgradesView) -> Upgrade:
        """Return the upgrade of a view."""
        row = table.row or {}
        target = release_of(view.target) or release_of(row.get("target") or "") or KAFKA_RELEASES[-1]
        within_ms = row.get("used_within_ms") or _USED_WITHIN_MS
        releases = KAFKA_RELEASES[: KAFKA_RELEASES.index(target) + 1]
        return cls(table.job, target, (row.get("until_ms") or 0) - within_ms, releases)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of queries."""
        return {"job": self.job, "since_ms": self.since_ms, "releases": list(self.releases)}

    def selection(self, view: UpgradesView) -> dict[str, Any]:
        """Return the parameters of queries of clients that break."""
        return {**self.parameters, "owner": view.owner, "unowned": view.unowned, "search": view.search}


def release_of(text: str) -> Any:
    """Return a known release, or None."""
    return next((release for release in KAFKA_RELEASES if release == text), None)


def breaking(database: Database, view: UpgradesView, upgrade: Upgrade, *, rows: int = PAGE_ROWS) -> Window:
    """Return one page of clients that break."""
    field, direction = view.ordering(UPGRADES_ORDER)
    found = database.rows(
        f"""
        {_BREAKING} SELECT *, count(*) OVER () AS total FROM breaking
        ORDER BY {field} {direction} NULLS LAST, {CLIENT}
        LIMIT {rows} OFFSET {(view.page - 1) * rows}
        """,
        upgrade.selection(view),
    )
    for row in found:
        row["uses"] = _words(row["uses"])
    return Window.of_rows(found, view.page)


def owners(database: Database, view: UpgradesView, upgrade: Upgrade) -> list[Row]:
    """Return owners of clients that break, those with most clients first, at most a page; None is no owner."""
    found = database.rows(
        f"""
        {_BREAKING} SELECT owner, arg_max(owner_contact, last_seen_ms) AS owner_contact, count(*) AS clients,
          sum(requests) AS requests, max(last_seen_ms) AS last_seen_ms,
          list_distinct(flatten(list(uses))) AS uses, count(*) OVER () AS total,
          list({{'client_id': client_id, 'principal': principal, 'requests': requests, 'last_seen_ms': last_seen_ms,
            'name': client_software_name, 'version': client_software_version, 'uses': uses}}
            ORDER BY requests DESC, client_id)[:{_MAILED}] AS largest
        FROM breaking GROUP BY owner ORDER BY clients DESC, owner NULLS FIRST LIMIT {PAGE_ROWS}
        """,
        upgrade.selection(view),
    )
    for row in found:
        row["uses"] = _words(row["uses"])
        for client in row["largest"]:
            client["uses"] = _words(client["uses"])
    return found


def unseen(database: Database, upgrade: Upgrade) -> list[Row]:
    """Return software without evidence, each with its `finding`: MayBreak, Unknown or Unobserved."""
    found = database.rows(_UNSEEN, upgrade.parameters)
    for row in found:
        row["finding"] = _finding(row, upgrade.target)
    found.sort(
        key=lambda row: (
            _FINDINGS.index(row["finding"]),
            -(row["clients"] or 0),
            row["name"] or "",
            row["version"] or "",
        )
    )
    return found


def _finding(row: Row, target: Any) -> str:
    """Return what is known of clients by their software; requests that cannot be told apart are unknown."""
    if row["evidence"] == "request":
        return "Unknown"
    answer = reaches(row["name"] or _UNKNOWN, row["version"] or _UNKNOWN, target)
    return {"mayNot": "MayBreak", "yes": "Unobserved"}.get(answer, "Unknown")


def _words(uses: Sequence[Row]) -> str:
    """Return versions of APIs in words, such as `Fetch 2, 3; Produce 2`."""
    of_api: dict[str, list[str]] = {}
    # Sorted here, of the rows that are shown: to sort the lists of all clients takes half the time of their query.
    for use in sorted(uses, key=_place):
        of_api.setdefault(use["api"] or _UNKNOWN, []).append("?" if use["version"] is None else str(use["version"]))
    return "; ".join(f"{api} {', '.join(versions)}" for api, versions in of_api.items())


def _place(use: Row) -> tuple[bool, str, bool, int]:
    return use["api"] is None, use["api"] or "", use["version"] is None, use["version"] or 0
