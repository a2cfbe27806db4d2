"""Completeness: whether every record arrived, by topic and group, and what is not known of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kwitness.console.pages.job_examples import COMPLETENESS_JOB, LEDGER_JOB, MIRROR_JOB
from kwitness.console.pages.lines import Line, literal, sql_line
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.table_lines import job_line
from kwitness.console.rows.completeness import (
    COMPLETENESS_ORDER,
    COMPLETENESS_ORDERS,
    CompletenessView,
    arrivals,
    arrivals_counted,
    hops,
    horizon_ms,
    mirrors,
    uneven_sources,
)
from kwitness.console.rows.job_tables import ShownTable, shown_table

__all__ = ["COMPLETENESS"]


def _values(requested: Requested) -> dict[str, Any]:
    view = CompletenessView.read(requested.query, orders=COMPLETENESS_ORDERS)
    index = requested.database
    table = shown_table(index, "Completeness", view.job)
    mirror_table = shown_table(index, "MirrorAudit", view.mirror)
    ledger_table = shown_table(index, "LedgerAudit", view.ledger)
    horizon = horizon_ms(ledger_table)
    return {
        "view": view,
        "default": COMPLETENESS_ORDER,
        "table": table,
        "window": arrivals(index, view, table.job),
        "figures": arrivals_counted(index, view, table.job),
        "example": COMPLETENESS_JOB,
        "mirror_table": mirror_table,
        "mirrors": mirrors(index, view, mirror_table.job),
        "mirror_example": MIRROR_JOB,
        "ledger_table": ledger_table,
        "hops": hops(index, ledger_table.job, horizon),
        "sources_of_reports": uneven_sources(index, ledger_table.job, horizon),
        "ledger_example": LEDGER_JOB,
        "lines": _lines(view, table, mirror_table, ledger_table, horizon),
    }


def _lines(
    view: CompletenessView, table: ShownTable, mirror_table: ShownTable, ledger_table: ShownTable, horizon: int
) -> Sequence[Line]:
    of_topic = "" if not view.topic or view.topic.endswith("*") else f" AND topic = {literal(view.topic)}"
    name, option = table.place("completeness")
    mirror_name, mirror_option = mirror_table.place("mirror_audit")
    ledger_name, ledger_option = ledger_table.place("ledger_audit")
    return (
        sql_line(
            "SELECT topic, group_id, evidence, sum(lost) AS lost, sum(skipped) AS skipped, "
            "sum(duplicated) AS duplicated, sum(late) AS late, sum(not_seen) AS not_seen, "
            f"sum(unexplained) AS unexplained, sum(not_acknowledged) AS not_acknowledged FROM {name} "
            f"WHERE verdict IS NOT NULL{of_topic} GROUP BY ALL ORDER BY lost DESC NULLS LAST, topic, group_id",
            option,
            "what arrived, by topic, group and evidence",
        ),
        sql_line(
            "SELECT topic, sum(missing) AS missing, sum(extra) AS extra, max(lag_ms) AS lag_ms, "
            f"count(*) FILTER (verdict IN ('NotSeen', 'TargetUnreachable')) AS not_known FROM {mirror_name} "
            f"WHERE kind = 'partition'{of_topic} AND surveyed_ms = (SELECT max(surveyed_ms) FROM {mirror_name} "
            "WHERE kind = 'partition') GROUP BY topic ORDER BY missing DESC NULLS LAST, topic",
            mirror_option,
            "what mirrors differ by, by topic",
        ),
        sql_line(
            "SELECT kind, sum(numbers) AS delivered, sum(missing) FILTER (missing_since_ms < "
            f"{horizon}) AS missing, sum(dropped) AS dropped, sum(duplicates) AS duplicates FROM {ledger_name} "
            "GROUP BY kind ORDER BY kind",
            ledger_option,
            "what sources of reports delivered and dropped",
        ),
        job_line(table, "Completeness"),
        Line(
            "PromQL",
            "sum by (component, hop, outcome, reason) (kwitness_ledger_events_total)",
            "accepted, delivered and dropped at each hop since it started; kwitness_ledger_queued_events has the rest",
        ),
        Line(
            "PromQL",
            'kwitness_job_findings{type=~"Completeness|MirrorAudit|LedgerAudit"} > 0',
            "rows of the tables that alerts are about, by kind of finding",
        ),
    )


COMPLETENESS: Final = Page(
    "/completeness",
    "completeness",
    "completeness.html",
    ("completeness", "mirror_audit", "ledger_audit", "resources"),
    _values,
    title="Completeness",
)
