"""Describes what the index has of an hour of the past: the rows of a table of Traffic, as those of observers now.

Rows have no lag, no throttling and no pod, since the table has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from kwitness.contracts.resources.analyses import AnalyticsJobType

__all__ = [
    "BATCH_END",
    "COUNTED",
    "HOUR_S",
    "MARKS",
    "MOST_BYTES",
    "MOST_ROWS",
    "PAST_TYPE",
    "hour_condition",
    "in_hour",
    "items_of",
    "rows_query",
]

PAST_TYPE: Final[AnalyticsJobType] = "Traffic"
HOUR_S: Final = 3_600
MARKS: Final = frozenset({"window_seconds", "window_start_ms", "kind", "topic", "rejected_bytes", "unconfirmed"})
"""Columns that a table of this type has, and no other."""
MOST_ROWS: Final = 60_000
"""Rows of an hour that are read: clients, and what each does with each topic."""
MOST_BYTES: Final = 28 * 1024 * 1024
"""Bytes of these rows as JSON."""
BATCH_END: Final = "\x1e"
"""Ends a batch of rows; JSON has no such character."""
_CLIENT: Final = (
    "principal",
    "client_id",
    "client_software_name",
    "client_software_version",
    "k8s_namespace",
    "k8s_workload",
)
_NO_ERROR: Final = "0"
"""Kafka's code of answers without an error."""


def in_hour(start_ms: int) -> str:
    """Return the condition, in SQL, of the windows of an hour."""
    return f"window_seconds = {HOUR_S} AND window_start_ms = {start_ms}"


def hour_condition(start_ms: int) -> str:
    """Return the condition of these windows by the columns too that files are written by, in SQL of any engine."""
    return f"day = DATE '{datetime.fromtimestamp(start_ms / 1000, UTC).date()}' AND {in_hour(start_ms)}"


def rows_query(start_ms: int) -> str:
    """Return the query of the rows of an hour from `source`, those of the most bytes first.

    A client has a row for each topic and request, and one of all its requests. Columns of Traffic that tell more rows
    apart, such as addresses, are added up.
    """
    who = ", ".join(_CLIENT)
    return f"""
    SELECT CASE WHEN kind = 'partition' THEN api END AS api, topic, {who},
      any_value(owner) AS owner, any_value(owner_contact) AS owner_contact,
      any_value(topic_owner) AS topic_owner, any_value(topic_owner_contact) AS topic_owner_contact,
      sum(requests) / {HOUR_S} AS requests_per_s, sum(records) / {HOUR_S} AS records_per_s,
      sum(bytes) / {HOUR_S} AS record_bytes_per_s,
      list(errors) FILTER (errors IS NOT NULL AND kind = 'partition') AS errors,
      max(CASE state WHEN 'sealed' THEN 0 WHEN 'grace' THEN 1 ELSE 2 END) AS doubt
    FROM source
    WHERE {hour_condition(start_ms)} AND (kind = 'api' OR kind = 'partition' AND topic IS NOT NULL)
    GROUP BY kind, 1, topic, {who}
    ORDER BY kind = 'partition' DESC, sum(bytes) DESC NULLS LAST, topic, client_id, principal, 1
    """


COUNTED: Final = "SELECT count(*) AS number, max(doubt) AS doubt FROM ({query})"
"""Counts the rows of a query of `rows_query`, and has how final they are: 0 sealed, 1 grace, 2 open."""


def items_of(rows: Iterable[Mapping[str, Any]], start_ms: int) -> Iterable[dict[str, Any]]:
    """Yield rows as items of the table `traffic` of the index."""
    for row in rows:
        errors: Counter[str] = Counter()
        for counts in row["errors"] or ():
            errors.update(counts)
        errors.pop(_NO_ERROR, None)
        item = {name: value for name, value in row.items() if value is not None and name != "doubt"}
        for name in ("owner", "topic_owner"):
            contact = item.pop(f"{name}_contact", None)
            if name in item:
                item[name] = {"team": item[name], "contact": contact}
        yield {**item, "errors": errors, "until_ms": start_ms + HOUR_S * 1000}
