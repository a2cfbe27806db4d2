"""Selects what arrived by topic and group, what mirrors have, and what sources of reports accepted and delivered.

No answer is never a verdict: what was not observed is counted as not known, and a number is final when none of its
windows is open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from kwitness.console.index.database import Database, Row
from kwitness.console.rows.addresses import PAGE_ROWS, View, Window
from kwitness.console.rows.job_tables import ShownTable

__all__ = [
    "COMPLETENESS_ORDER",
    "COMPLETENESS_ORDERS",
    "CompletenessView",
    "arrivals",
    "arrivals_counted",
    "hops",
    "horizon_ms",
    "mirrors",
    "uneven_sources",
]

COMPLETENESS_ORDERS: Final = (
    "state",
    "topic",
    "group_id",
    "lost",
    "skipped",
    "duplicated",
    "late",
    "unknown",
    "first_ms",
)
COMPLETENESS_ORDER: Final = "-state"
_GRACE_MS: Final = 600_000
"""The default of jobs of type LedgerAudit, for a table whose job is not known."""


def _fits(column: str, parameter: str) -> str:
    """Return the condition of a filter, whose value is whole or ends with `*`."""
    return (
        f"(${parameter} = '' OR {column} = ${parameter} OR "
        f"(${parameter} LIKE '%*' AND starts_with({column}, rtrim(${parameter}, '*'))))"
    )


_OF_TOPIC: Final = f"{_fits('topic', 'topic')} AND {_fits('owner', 'owner')}"
_OWNED: Final = "LEFT JOIN (SELECT topic, owner, owner_contact FROM topics) AS owned USING (topic)"
_ARRIVALS: Final = f"""
WITH counted AS (
  SELECT *, CASE subject WHEN 'log' THEN unexplained WHEN 'sent' THEN not_acknowledged ELSE not_seen END AS unknown,
    coalesce(lost, 0) + coalesce(skipped, 0) + coalesce(duplicated, 0) > 0 AS is_wrong,
    open_since_ms IS NOT NULL OR open_partitions > 0 AS is_open
  FROM completeness {_OWNED} WHERE job = $job
), shown AS (
  SELECT *, unknown_partitions > 0 OR coalesce(unknown, 0) > 0 OR coalesce(late, 0) > 0 OR is_approximate AS is_unknown,
    CASE WHEN is_wrong THEN 3 WHEN is_unknown THEN 2 WHEN is_open THEN 1 ELSE 0 END AS state
  FROM counted WHERE {_OF_TOPIC} AND {_fits("group_id", "group")} AND ($attention = '' OR is_wrong OR is_unknown)
)
"""
_MIRRORS: Final = f"""
WITH counted AS (
  SELECT *, coalesce(missing, 0) + coalesce(extra, 0) + coalesce(changed, 0) + not_mirrored + behind > 0 AS is_wrong,
    unknown_partitions > 0 AS is_unknown
  FROM mirror_audit {_OWNED} WHERE job = $job
)
SELECT *, count(*) OVER () AS total FROM counted
WHERE {_OF_TOPIC} AND ($attention = '' OR is_wrong OR is_unknown)
ORDER BY is_wrong DESC, is_unknown DESC, missing DESC NULLS LAST, topic LIMIT {PAGE_ROWS}
"""
_EPOCHS: Final = """
WITH epochs AS (
  SELECT *, missing - late_missing AS awaited, unsealed - late_unsealed AS awaited_seals
  FROM (
    SELECT *, CASE WHEN missing_since_ms < $horizon_ms THEN missing ELSE 0 END AS late_missing,
      CASE WHEN unsealed_since_ms < $horizon_ms THEN unsealed ELSE 0 END AS late_unsealed
    FROM ledger_audit WHERE job = $job
  )
)
"""
_SUMS: Final = """
count(*) AS epochs, sum(numbers) AS delivered, sum(awaited) AS queued, sum(dropped) AS dropped,
sum(late_missing) AS missing, sum(late_unsealed) AS uncertain, sum(duplicates) AS duplicated, sum(untold) AS untold,
sum(numbers) + sum(missing) + sum(dropped) AS accepted,
min(missing_since_ms) FILTER (late_missing > 0) AS since_ms, max(last_ms) AS last_ms,
sum(awaited) + sum(awaited_seals) > 0 AS is_open
"""


@dataclass(frozen=True, slots=True)
class CompletenessView(View):
    """Filters of topics and groups, and the job of each of the three tables; `attention` is any text."""

    topic: str = ""
    group: str = ""
    owner: str = ""
    attention: str = ""
    job: str = ""
    mirror: str = ""
    ledger: str = ""

    @property
    def is_filtered(self) -> bool:
        """True where not all topics and groups are requested."""
        return bool(self.topic or self.group or self.owner or self.attention)

    def parameters(self, job: str) -> dict[str, Any]:
        """Return the parameters of queries of topics."""
        return {"job": job, "topic": self.topic, "owner": self.owner, "attention": self.attention}


def arrivals(database: Database, view: CompletenessView, job: str) -> Window:
    """Return one page of what arrived, by topic, group and evidence."""
    field, direction = view.ordering(COMPLETENESS_ORDER)
    rows = database.rows(
        f"""
        {_ARRIVALS} SELECT *, count(*) OVER () AS total FROM shown
        ORDER BY {field} {direction} NULLS LAST, lost DESC NULLS LAST, topic, group_id, evidence
        {view.limits}
        """,
        {**view.parameters(job), "group": view.group},
    )
    return Window.of_rows(rows, view.page)


def arrivals_counted(database: Database, view: CompletenessView, job: str) -> Row:
    """Return how many topics fit, and how many topics and groups are in each state; evidences of one count once."""
    return database.row(
        f"""
        {_ARRIVALS} SELECT count(DISTINCT topic) AS topics, count(*) AS subjects, count(*) FILTER (lost > 0) AS lost,
          count(*) FILTER (duplicated > 0) AS duplicated, count(*) FILTER (is_unknown) AS unknown,
          count(*) FILTER (is_open) AS open
        FROM (
          SELECT topic, group_id, max(lost) AS lost, max(duplicated) AS duplicated, bool_or(is_unknown) AS is_unknown,
            bool_or(is_open) AS is_open
          FROM shown GROUP BY topic, group_id
        )
        """,
        {**view.parameters(job), "group": view.group},
    )


def mirrors(database: Database, view: CompletenessView, job: str) -> Window:
    """Return the first page of mirrored topics, those that differ most first."""
    rows = database.rows(_MIRRORS, view.parameters(job))
    return Window.of_rows(rows)


def horizon_ms(table: ShownTable) -> int:
    """Return when what is missing in a table of ledgers was due: what is younger may still come."""
    row = table.row or {}
    return (row.get("until_ms") or 0) - (row.get("grace_ms") or _GRACE_MS)


def hops(database: Database, job: str, horizon: int) -> list[Row]:
    """Return sources of reports by kind: accepted is the sum of delivered, queued, missing, and `dropped` by reason."""
    parameters = {"job": job, "horizon_ms": horizon}
    rows = database.rows(
        f"""
        {_EPOCHS} SELECT kind, count(DISTINCT event_source) AS sources, {_SUMS}
        FROM epochs GROUP BY kind ORDER BY kind
        """,
        parameters,
    )
    reasons = database.rows(
        """
        SELECT kind, reason, sum(number) AS dropped FROM (
          SELECT kind, unnest(reasons) AS reason, unnest(dropped_of_reasons) AS number
          FROM ledger_audit WHERE job = $job
        ) WHERE number > 0 GROUP BY kind, reason ORDER BY dropped DESC, reason
        """,
        {"job": job},
    )
    for row in rows:
        row["reasons"] = [(reason["reason"], reason["dropped"]) for reason in reasons if reason["kind"] == row["kind"]]
    return rows


def uneven_sources(database: Database, job: str, horizon: int) -> Window:
    """Return the first page of sources whose numbers do not agree, or whose windows are not known."""
    rows = database.rows(
        f"""
        {_EPOCHS}, sources AS (
          SELECT kind, event_source, any_value(cluster_id) AS cluster_id, {_SUMS}
          FROM epochs GROUP BY kind, event_source
        )
        SELECT *, count(*) OVER () AS total FROM sources
        WHERE missing > 0 OR uncertain > 0 OR dropped > 0 OR duplicated > 0
        ORDER BY missing DESC, uncertain DESC, dropped DESC, duplicated DESC, event_source LIMIT {PAGE_ROWS}
        """,
        {"job": job, "horizon_ms": horizon},
    )
    return Window.of_rows(rows)
