"""Fleet: all clients, by application or client id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from kwitness.console.pages.lines import Line, application_options, literal, options_text, sql_line
from kwitness.console.pages.overview import overview
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.past import ShownPast
from kwitness.console.pages.past_lines import APPLICATION, past_lines, sights_line
from kwitness.console.pages.sparkline import written_line
from kwitness.console.rows.fleet import DEFAULT_ORDER, FLEET_ORDERS, FleetView, choices, fleet_rows, totals, unnamed
from kwitness.console.rows.other_clusters import other_clusters
from kwitness.console.rows.sights import Sights, sights_around
from kwitness.console.rows.trends import trends_of

__all__ = ["FLEET"]


def _values(requested: Requested) -> dict[str, Any]:
    past = requested.past
    own = requested.own_owner
    view = FleetView.read(requested.query, orders=FLEET_ORDERS).of_browser(own)
    if past:
        # That is not known of an hour of the past.
        view = replace(view, seen="")
    database = requested.database
    without_name = unnamed(database)
    sights = (
        sights_around(database, past.start_ms, owner=view.owner, search=view.search)
        if past and view.is_of_people
        else None
    )
    window = fleet_rows(database, view)
    applications = [] if view.by == "client" else [row["application"] for row in window.rows if row["application"]]
    trends = trends_of(database, "application", applications, with_lag=False)
    return {
        "view": view,
        "own_owner": own,
        "unfiltered": FleetView(at=view.at, job=view.job).of_browser(own),
        "default": DEFAULT_ORDER,
        "window": window,
        "written_lines": {name: written_line(trend) for name, trend in trends.items()},
        "totals": totals(database, view),
        "overview": None
        if past or view.is_filtered
        else overview(database, has_resources=bool(requested.read_ms.get("resources"))),
        "unnamed": [] if view.is_filtered else without_name,
        "unnamed_connections": 0 if view.is_filtered else sum(row["connections"] for row in without_name),
        "choices": choices(database),
        "other_clusters": [] if past else other_clusters(database),
        "sights": sights,
        "observers": database.row("SELECT count(*) AS number FROM observers")["number"],
        "lines": _past_lines(past, view, sights) if past else _lines(view),
    }


def _past_lines(past: ShownPast, view: FleetView, sights: Sights | None) -> Sequence[Line]:
    columns = "client_id" if view.by == "client" else APPLICATION
    found = past_lines(past, columns, _equal(view))
    if sights is None or not sights.counts or view.search or view.owner.endswith("*"):
        return found
    return (*found, sights_line(past, sights, view.owner))


def _own_address(owner: str) -> str:
    return FleetView(owner=owner).address("/")


def _equal(view: FleetView) -> dict[str, str]:
    """Return columns of Traffic with the whole values that filters choose."""
    chosen = {
        "owner": view.owner,
        "client_software_name": view.software,
        "client_software_version": view.version,
    }
    return {column: value for column, value in chosen.items() if not value.endswith("*")}


def _lines(view: FleetView) -> Sequence[Line]:
    """Return lines with the filters that the command has too."""
    options = options_text(
        {
            "--owner": view.owner,
            "--software": view.software,
            "--software-version": view.version,
            **application_options(view.application),
        }
    )
    owner = f" AND owner = {literal(view.owner)}" if view.owner and not view.owner.endswith("*") else ""
    return (
        Line("kwitness", f"kwitness clients{options}", "instances that push"),
        Line("kwitness", f"kwitness connections --by client_id{options}", "connections that observers list"),
        Line("kwitness", "kwitness clients --silent --why", "connections without a name, with the reason"),
        Line("kubectl", "kubectl get telemetrycollectors --all-namespaces", "instances that push, by collector"),
        Line(
            "PromQL",
            "sort_desc(sum by (client_software_name, client_software_version) (kwitness:client_connections))",
            "connections that brokers count, by version",
        ),
        sql_line(
            "SELECT owner, principal, client_id, client_software_name, client_software_version "
            f"FROM client_inventory WHERE kind = 'instance' AND NOT ours{owner} ORDER BY ALL",
            "tables",
            "clients of an earlier time as well",
        ),
    )


FLEET: Final = Page(
    "/",
    "fleet",
    "fleet.html",
    ("clients", "silent", "connections", "traffic", "reporters"),
    _values,
    title="Fleet",
    has_past=True,
    past_sources=("client_inventory",),
    own_address=_own_address,
)
