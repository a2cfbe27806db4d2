"""Describes what the index has of the tables of analyses: how one is known, and how its rows are put together.

To add an analysis is to add an entry to `ANALYSES`: reader, index and states of sources derive from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kwitness.console.index.tables import Table
from kwitness.contracts.kafka_releases import KNOWN_APIS
from kwitness.contracts.resources.analyses import AnalyticsJobType
from kwitness.contracts.software import OUR_CLIENT_ID_PREFIX, OUR_VERSION_SUFFIX

__all__ = ["ANALYSES", "CLIENT", "CLIENT_INVENTORY", "JOB_TABLES", "MOST_BYTES", "MOST_ROWS", "NOT_OURS", "Analysis"]

MOST_ROWS: Final = 20_000
"""Rows of a table that are put together and read."""
MOST_BYTES: Final = 8 * 1024 * 1024
"""Bytes of these rows as JSON."""
_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Analysis:
    """Describes how the index has the tables of one type of analysis.

    Attributes
    ----------
    title
        What is read, as pages name it.
    marks
        Columns that a table of this type has, and no other.
    query
        The rows of the index, from `source`, those that matter most first; columns are those of `structure`.
    latest
        The time that the table's rows are as of, in milliseconds since 1970.
    namespace
        Column with the namespace of a row's client; None: only readers of all namespaces may see the rows.
    period_s
        Seconds from one read to the next, at least.
    """

    job_type: AnalyticsJobType
    name: str
    title: str
    marks: frozenset[str]
    structure: Mapping[str, Any]
    query: str
    latest: str
    namespace: str | None = None
    rows: int = MOST_ROWS
    bytes: int = MOST_BYTES
    period_s: float = _SECONDS

    @property
    def table(self) -> Table:
        """The table of the index; `job` is the table that a row is from."""
        return Table(self.name, {"job": "VARCHAR", **self.structure}, self.namespace)


JOB_TABLES: Final = Table(
    "job_tables",
    {
        "job": "VARCHAR",
        "type": "VARCHAR",
        "name": "VARCHAR",
        "option": "VARCHAR",
        "resource": "VARCHAR",
        "resource_namespace": "VARCHAR",
        "version": "BIGINT",
        "rows": "BIGINT",
        "computed_ms": "BIGINT",
        "latest_ms": "BIGINT",
        "problem": "VARCHAR",
        "note": "VARCHAR",
        "is_behind": "BOOLEAN",
        "target": "VARCHAR",
        "used_within_ms": "BIGINT",
        "grace_ms": "BIGINT",
    },
    namespace=None,
)
"""A row for each table that was found, with what is known of its job.

`name` is that of the table in SQL, `option` what the command finds it by, `resource` its AnalyticsJob.
"""

_APIS: Final = ", ".join(f"'{name}'" for name in sorted(KNOWN_APIS))
CLIENT: Final = (
    "cluster_id, principal, client_id, client_software_name, client_software_version, k8s_namespace, k8s_workload"
)
"""Columns that tell clients of UpgradeImpact apart."""
NOT_OURS: Final = (
    f"coalesce(client_id, '') NOT LIKE '{OUR_CLIENT_ID_PREFIX}%' AND coalesce(client_software_name, '') NOT LIKE "
    f"'{OUR_CLIENT_ID_PREFIX}%' AND coalesce(client_software_version, '') NOT LIKE '%{OUR_VERSION_SUFFIX}'"
)
"""The condition, in SQL of a table, of clients that are not the platform's own."""
_BIGGEST: Final = 2**63 - 1
_TEXTS: Final = dict.fromkeys(
    (
        "principal",
        "client_id",
        "client_software_name",
        "client_software_version",
        "k8s_namespace",
        "k8s_workload",
        "owner",
        "owner_contact",
    ),
    "VARCHAR",
)


def _total(column: str, where: str = "true") -> str:
    """Return a sum as 64 bits hold it; NULL where no row has a number."""
    total = f"sum({column}) FILTER ({where})"
    return f"(CASE WHEN {total} > {_BIGGEST} THEN {_BIGGEST} ELSE {total} END)::BIGINT AS {column}"


_UPGRADE_IMPACT: Final = Analysis(
    "UpgradeImpact",
    "upgrade_impact",
    "upgrades",
    frozenset({"api", "api_version", "added_in", "dropped_in", "connections"}),
    {
        "kind": "VARCHAR",
        "cluster_id": "VARCHAR",
        **_TEXTS,
        "api": "VARCHAR",
        "api_version": "BIGINT",
        "dropped_in": "VARCHAR",
        "is_unclear": "BOOLEAN",
        "requests": "BIGINT",
        "connections": "BIGINT",
        "last_seen_ms": "BIGINT",
    },
    # A row for each version that a release drops, and one for all other requests of a client.
    f"""
    SELECT kind, {CLIENT},
      arg_max(owner, last_seen_ms) AS owner, arg_max(owner_contact, last_seen_ms) AS owner_contact,
      CASE WHEN dropped_in IS NOT NULL THEN api END AS api,
      CASE WHEN dropped_in IS NOT NULL THEN api_version END AS api_version,
      dropped_in, kind = 'request' AND (api_version IS NULL OR api NOT IN ({_APIS})) AS is_unclear,
      {_total("requests")}, max(connections) AS connections, max(last_seen_ms) AS last_seen_ms
    FROM source
    WHERE {NOT_OURS}
    GROUP BY kind, {CLIENT}, 11, 12, dropped_in, is_unclear
    ORDER BY dropped_in IS NULL, requests DESC NULLS LAST, client_id, principal, api, api_version
    """,
    "max(last_seen_ms)",
    namespace="k8s_namespace",
)
_COSTS: Final = ("bytes_in_cost", "bytes_out_cost", "requests_cost", "stored_cost", "cost", "unowned_cost")
_COST_ATTRIBUTION: Final = Analysis(
    "CostAttribution",
    "costs",
    "costs",
    frozenset({"month", "grouped_by", "unowned_cost", "missing_rates"}),
    {
        "month": "VARCHAR",
        "month_end_ms": "BIGINT",
        "state": "VARCHAR",
        "grouped_by": "VARCHAR",
        "owner": "VARCHAR",
        "owner_contact": "VARCHAR",
        "k8s_namespace": "VARCHAR",
        "currency": "VARCHAR",
        "missing_rates": ["VARCHAR"],
        **dict.fromkeys(_COSTS, "DECIMAL(38,0)"),
    },
    f"""
    SELECT month, month_end_ms, state, grouped_by, owner, any_value(owner_contact) AS owner_contact, k8s_namespace,
      currency, missing_rates, {", ".join(f"sum({name})::DECIMAL(38,0) AS {name}" for name in _COSTS)}
    FROM source GROUP BY month, month_end_ms, state, grouped_by, owner, k8s_namespace, currency, missing_rates
    ORDER BY month DESC, cost DESC, owner, k8s_namespace
    """,
    "max(month_end_ms) FILTER (state = 'closed')",
    namespace="k8s_namespace",
)
_ARRIVED: Final = ("written", "lost", "skipped", "not_seen", "duplicated", "late", "unexplained", "not_acknowledged")
_COMPLETENESS: Final = Analysis(
    "Completeness",
    "completeness",
    "completeness",
    frozenset({"group_id", "evidence", "not_seen", "unexplained", "meant"}),
    {
        **dict.fromkeys(("topic", "group_id", "evidence", "subject"), "VARCHAR"),
        **dict.fromkeys(("partitions", "open_partitions", "unknown_partitions"), "BIGINT"),
        "is_approximate": "BOOLEAN",
        **dict.fromkeys(_ARRIVED, "BIGINT"),
        **dict.fromkeys(("open_since_ms", "first_ms", "last_ms", "surveyed_ms"), "BIGINT"),
    },
    # Offsets that two evidences have are the same ones, so that these are rows of their own. Reports of a voice are
    # those of windows that are not judged yet. Rows without a verdict hold states; those of groups that now have
    # evidence, or no offsets any more, say nothing.
    f"""
    WITH summed AS (
      SELECT topic, group_id, evidence,
        CASE WHEN partition < 0 THEN 'sent' WHEN group_id <> '' THEN 'group' WHEN evidence = 'offsets' THEN 'log'
          ELSE 'written' END AS subject,
        count(*) AS partitions, count(*) FILTER (verdict = 'Open') AS open_partitions,
        count(*) FILTER (verdict = 'NotSeen' OR coalesce(coverage, 'none') <> 'full') AS unknown_partitions,
        coalesce(bool_or(approximate), false) AS is_approximate,
        {", ".join(_total(name) for name in _ARRIVED)},
        min(list_min([report.start_ms for report in voice.reports])) AS open_since_ms,
        min(first_ms) AS first_ms, max(last_ms) AS last_ms, min(surveyed_ms) AS surveyed_ms
      FROM source
      WHERE verdict IS NOT NULL AND NOT (evidence = 'offsets' AND group_id <> '' AND verdict = 'Complete')
      GROUP BY ALL
    )
    SELECT * REPLACE (
      CASE WHEN subject = 'log' THEN min(open_since_ms) OVER (PARTITION BY topic) ELSE open_since_ms END
      AS open_since_ms)
    FROM summed
    ORDER BY lost DESC NULLS LAST, not_acknowledged DESC NULLS LAST,
      coalesce(skipped, 0) + coalesce(duplicated, 0) DESC, unknown_partitions DESC, topic, group_id, evidence
    """,
    "max(last_ms)",
)
_MIRRORED: Final = ("missing", "extra", "not_seen", "lag_records")
_MIRROR_AUDIT: Final = Analysis(
    "MirrorAudit",
    "mirror_audit",
    "mirrors",
    frozenset({"target_topic", "syncs", "changed_rows", "lag_records"}),
    {
        **dict.fromkeys(("topic", "target_topic", "evidence"), "VARCHAR"),
        **dict.fromkeys(("partitions", "unknown_partitions", "not_mirrored", "behind"), "BIGINT"),
        "is_away": "BOOLEAN",
        **dict.fromkeys((*_MIRRORED, "lag_ms", "changed", "since_ms", "surveyed_ms"), "BIGINT"),
    },
    # Partitions that the last survey did not find any more count no more, as in the job's findings.
    f"""
    WITH summed AS (
      SELECT topic, any_value(target_topic) AS target_topic,
        string_agg(DISTINCT evidence, ', ' ORDER BY evidence) FILTER (kind = 'partition') AS evidence,
        count(*) FILTER (kind = 'partition') AS partitions,
        count(*) FILTER (kind = 'partition' AND coalesce(verdict, 'NotSeen') IN ('NotSeen', 'TargetUnreachable'))
          AS unknown_partitions,
        count(*) FILTER (verdict = 'NotMirrored') AS not_mirrored, count(*) FILTER (verdict = 'Behind') AS behind,
        coalesce(bool_or(verdict = 'TargetUnreachable'), false) AS is_away,
        {", ".join(_total(name, "kind = 'partition'") for name in _MIRRORED)},
        max(lag_ms) FILTER (kind = 'partition') AS lag_ms,
        {_total("changed")},
        min(time_ms) FILTER (kind = 'span' AND (missing > 0 OR extra > 0)) AS since_ms,
        min(surveyed_ms) FILTER (kind = 'partition') AS surveyed_ms
      FROM source
      WHERE kind <> 'partition' OR surveyed_ms = (SELECT max(surveyed_ms) FROM source WHERE kind = 'partition')
      GROUP BY topic
    )
    SELECT * FROM summed WHERE partitions > 0 OR changed > 0
    ORDER BY coalesce(missing, 0) + coalesce(extra, 0) + coalesce(changed, 0) DESC, unknown_partitions DESC, topic
    """,
    "max(surveyed_ms)",
)
_NUMBERED: Final = ("records", "numbers", "duplicates", "missing", "dropped", "unsealed", "untold", "late")
_LEDGER_TIMES: Final = ("missing_since_ms", "unsealed_since_ms", "first_ms", "last_ms", "sealed_until_ms")
_LEDGER_AUDIT: Final = Analysis(
    "LedgerAudit",
    "ledger_audit",
    "ledgers",
    frozenset({"event_source", "event_epoch", "dropped_by_reason", "unsealed", "sealed_until_ms"}),
    {
        **dict.fromkeys(("kind", "event_source", "cluster_id"), "VARCHAR"),
        **dict.fromkeys(("event_epoch", *_NUMBERED, *_LEDGER_TIMES), "BIGINT"),
        "reasons": ["VARCHAR"],
        "dropped_of_reasons": ["BIGINT"],
    },
    f"""
    SELECT kind, event_source, cluster_id, event_epoch, {", ".join((*_NUMBERED, *_LEDGER_TIMES))},
      map_keys(dropped_by_reason) AS reasons, map_values(dropped_by_reason) AS dropped_of_reasons
    FROM source
    ORDER BY missing DESC NULLS LAST, unsealed DESC NULLS LAST, duplicates DESC NULLS LAST, dropped DESC NULLS LAST,
      event_source, event_epoch
    """,
    "max(last_ms)",
)
CLIENT_INVENTORY: Final = Analysis(
    "ClientInventory",
    "client_inventory",
    "first and last sights",
    frozenset({"missing_required", "metrics_truncated", "conforms", "ended"}),
    {
        **dict.fromkeys(("principal", "client_id", "owner", "owner_contact"), "VARCHAR"),
        **dict.fromkeys(("instances", "first_seen_ms", "last_seen_ms"), "BIGINT"),
        "is_gone": "BOOLEAN",
    },
    # Namespaces in it are what clients say of themselves, so that none is proven.
    """
    SELECT principal, client_id, arg_max(owner, last_seen_ms) AS owner,
      arg_max(owner_contact, last_seen_ms) AS owner_contact, count(*) AS instances,
      min(first_seen_ms) AS first_seen_ms, max(last_seen_ms) AS last_seen_ms,
      bool_and(coalesce(ended, false)) AS is_gone
    FROM source WHERE kind = 'instance' AND client_id IS NOT NULL AND NOT coalesce(ours, false)
    GROUP BY principal, client_id ORDER BY last_seen_ms DESC, client_id, principal
    """,
    "max(last_seen_ms)",
    # It has a new version every minute, and times that are a few minutes old.
    period_s=3_600.0,
)
"""First and last sights of clients, which have no hours: all hours of the past show the newest rows."""
ANALYSES: Final[tuple[Analysis, ...]] = (
    _UPGRADE_IMPACT,
    _COMPLETENESS,
    _MIRROR_AUDIT,
    _LEDGER_AUDIT,
    _COST_ATTRIBUTION,
    CLIENT_INVENTORY,
)
"""All of them, by the order of the navigation; the last is shown beside an hour of the past."""
