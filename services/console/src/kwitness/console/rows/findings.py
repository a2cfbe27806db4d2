"""Selects findings of AnalyticsJobs, of which statuses have examples, and how many each job found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from kwitness.console.index.database import Database, Row
from kwitness.console.rows.addresses import View, Window

__all__ = ["FINDINGS_ORDER", "FINDINGS_ORDERS", "FindingsView", "finding_rows", "job_counts"]

FINDINGS_ORDERS: Final = ("first_seen_ms", "type", "kind", "subject", "job")
FINDINGS_ORDER: Final = "-first_seen_ms"
_ANALYSIS: Final = "$.status.analyses[0]"
_FINDING: Final = '[{"kind": "VARCHAR", "subject": "VARCHAR", "message": "VARCHAR", "firstSeenTime": "VARCHAR"}]'
_JOBS: Final = """
SELECT k8s_namespace, name AS job, item, item->>'$.spec.analyses[0].type' AS type FROM resources
WHERE kind = 'AnalyticsJob'
"""
_FINDINGS: Final = f"""
SELECT k8s_namespace, job, type, found.kind AS kind, found.subject AS subject, found.message AS message,
  epoch_ms(try_cast(found.firstSeenTime AS TIMESTAMP)) AS first_seen_ms
FROM (SELECT *, unnest(from_json(item->'{_ANALYSIS}.findings', '{_FINDING}')) AS found FROM ({_JOBS}))
"""
_EQUAL: Final = {"type": "type", "kind": "kind", "namespace": "k8s_namespace", "job": "job"}


@dataclass(frozen=True, slots=True)
class FindingsView(View):
    """Filters of Findings; `new` selects those since findings were marked as seen."""

    search: str = ""
    type: str = ""
    kind: str = ""
    namespace: str = ""
    job: str = ""
    new: str = ""

    @property
    def is_filtered(self) -> bool:
        """True where rows are selected."""
        return any((self.search, self.type, self.kind, self.namespace, self.job, self.new))


def finding_rows(database: Database, view: FindingsView, seen_ms: int) -> Window:
    """Return one page of findings, each with the page that its subject has, if any.

    Parameters
    ----------
    seen_ms
        When findings were marked as seen; rows that were found first after that are new.
    """
    conditions, parameters = ["true"], dict[str, Any](seen=seen_ms)
    for name, column in _EQUAL.items():
        if value := getattr(view, name):
            conditions.append(f"{column} = ${name}")
            parameters[name] = value
    if view.search:
        conditions.append("contains(lower(concat_ws(chr(10), subject, message)), lower($search))")
        parameters["search"] = view.search
    if view.new:
        conditions.append("first_seen_ms > $seen")
    field, direction = view.ordering(FINDINGS_ORDER)
    rows = database.rows(
        f"""
        SELECT found.*, coalesce(first_seen_ms > $seen, false) AS is_new, count(*) OVER () AS total,
          subject IN (SELECT topic FROM topics) AS is_topic, subject IN (SELECT client_id FROM members) AS is_client
        FROM ({_FINDINGS}) AS found WHERE {" AND ".join(conditions)}
        ORDER BY {field} {direction} NULLS LAST, type, kind, subject, k8s_namespace, job
        {view.limits}
        """,
        parameters,
    )
    return Window.of_rows(rows, view.page)


def job_counts(database: Database, seen_ms: int) -> list[Row]:
    """Return all jobs with what each found, as of when: None is not known, and not the same as no finding."""
    return database.rows(
        f"""
        SELECT k8s_namespace, job, type, item->>'{_ANALYSIS}.phase' AS phase,
          (item->>'{_ANALYSIS}.findingsTotal')::BIGINT AS found,
          item->>'{_ANALYSIS}.table' AS table_name,
          epoch_ms(try_cast(item->>'{_ANALYSIS}.lastRun.completionTime' AS TIMESTAMP)) AS completed_ms,
          (SELECT count(*) FROM ({_FINDINGS}) AS f
           WHERE f.k8s_namespace = j.k8s_namespace AND f.job = j.job AND f.first_seen_ms > $seen) AS new
        FROM ({_JOBS}) AS j ORDER BY found DESC NULLS LAST, k8s_namespace, job
        """,
        {"seen": seen_ms},
    )
