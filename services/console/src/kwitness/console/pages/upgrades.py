"""Upgrades: who breaks when brokers go to a release of Kafka, and whom to tell."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Final

from kwitness.answers.views.csv_rows import write_csv
from kwitness.console.index.analyses import CLIENT, MOST_ROWS, NOT_OURS
from kwitness.console.pages.job_examples import UPGRADE_JOB
from kwitness.console.pages.lines import Line, literal, sql_line
from kwitness.console.pages.mails import mail_to
from kwitness.console.pages.names import shown
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.table_lines import job_line
from kwitness.console.pages.timestamps import timestamp
from kwitness.console.rows.job_tables import ShownTable, shown_table
from kwitness.console.rows.upgrades import (
    UPGRADES_ORDER,
    UPGRADES_ORDERS,
    Upgrade,
    UpgradesView,
    breaking,
    owners,
    unseen,
)
from kwitness.contracts.kafka_releases import KAFKA_RELEASES

__all__ = ["UPGRADES"]

_LONGEST_IN_MAIL: Final = 60
_CSV_COLUMNS: Final = (
    "owner",
    "owner_contact",
    "client_id",
    "principal",
    "client_software_name",
    "client_software_version",
    "k8s_namespace",
    "k8s_workload",
    "uses",
    "requests",
    "last_seen",
)


def _values(requested: Requested) -> dict[str, Any]:
    view = UpgradesView.read(requested.query, orders=UPGRADES_ORDERS)
    table = shown_table(requested.database, "UpgradeImpact", view.job)
    upgrade = Upgrade.shown(table, view)
    whom = owners(requested.database, view, upgrade)
    without_evidence = unseen(requested.database, upgrade)
    return {
        "view": view,
        "default": UPGRADES_ORDER,
        "table": table,
        "upgrade": upgrade,
        "releases": KAFKA_RELEASES,
        "window": breaking(requested.database, view, upgrade),
        "owners": [{**row, "mail": _mail(row, upgrade.target)} for row in whom],
        "owner_count": whom[0]["total"] if whom else 0,
        "unseen": without_evidence,
        "unseen_counts": {
            finding: sum(row["clients"] or 1 for row in without_evidence if row["finding"] == finding)
            for finding in ("MayBreak", "Unknown", "Unobserved")
        },
        "example": UPGRADE_JOB,
        "lines": _lines(table, upgrade, view),
    }


def _csv(requested: Requested) -> str:
    view = UpgradesView.read(requested.query, orders=UPGRADES_ORDERS)
    upgrade = Upgrade.shown(shown_table(requested.database, "UpgradeImpact", view.job), view)
    rows = breaking(requested.database, view, upgrade, rows=MOST_ROWS).rows
    text = io.StringIO(newline="")
    write_csv(
        [{**row, "last_seen": timestamp(row["last_seen_ms"])} for row in rows],
        [(name,) for name in _CSV_COLUMNS],
        to=text,
    )
    return text.getvalue()


def _mail(row: dict[str, Any], target: str) -> str:
    """Return the address that opens a mail to the owner, with its largest clients."""
    clients = [
        f"- {_short(client['client_id'])} ({_short(client['principal'])}, {_short(client['name'])} "
        f"{_short(client['version'])}): {client['uses']}; {client['requests'] or 0:,} requests, the last "
        f"{timestamp(client['last_seen_ms'])}"
        for client in row["largest"]
    ]
    more = row["clients"] - len(clients)
    body = [
        f"The brokers are to be upgraded to Kafka {target}, which does not answer these requests of your clients:",
        "",
        *clients,
        *([f"- and {more:,} more clients"] if more else []),
        "",
        "Before that, their libraries must be newer, or configured to use newer versions of these requests.",
    ]
    return mail_to(row["owner_contact"], f"Your Kafka clients and the upgrade to {target}", "\n".join(body))


def _short(name: str | None) -> str:
    return shown(name, _LONGEST_IN_MAIL) or "unknown"


def _lines(table: ShownTable, upgrade: Upgrade, view: UpgradesView) -> Sequence[Line]:
    releases = ", ".join(literal(release) for release in upgrade.releases)
    owner = ""
    if view.unowned:
        owner = " HAVING arg_max(owner, last_seen_ms) IS NULL"
    elif view.owner and not view.owner.endswith("*"):
        owner = f" HAVING arg_max(owner, last_seen_ms) = {literal(view.owner)}"
    name, option = table.place("upgrade_impact")
    query = (
        f"SELECT arg_max(owner, last_seen_ms) AS owner, {CLIENT}, string_agg(DISTINCT api || ' ' || api_version, ', ') "
        f"AS uses, sum(requests) AS requests FROM {name} WHERE kind = 'request' AND dropped_in IN ({releases}) AND "
        f"last_seen_ms >= {upgrade.since_ms} AND {NOT_OURS} GROUP BY {CLIENT}{owner} ORDER BY requests DESC"
    )
    return (
        sql_line(query, option, "clients that break"),
        sql_line(
            f"SELECT api, api_version, dropped_in, sum(requests) AS requests FROM {name} WHERE kind = 'request' "
            "GROUP BY ALL ORDER BY ALL",
            option,
            "versions of requests that are in use",
        ),
        job_line(table, "UpgradeImpact"),
        Line(
            "PromQL",
            'sum by (namespace, name, finding) (kwitness_job_findings{type="UpgradeImpact"})',
            "what the job found for its own target",
        ),
    )


UPGRADES: Final = Page(
    "/upgrades", "upgrades", "upgrades.html", ("upgrade_impact", "resources"), _values, title="Upgrades", csv=_csv
)
