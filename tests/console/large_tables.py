"""Tables of analyses, and an hour of the past, of the fleet that budgets of the console are stated for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kwitness.console.index.analyses import MOST_ROWS
from kwitness.console.sources.found_tables import FoundTable
from kwitness.console.sources.tables_process import Reading, ReadTable

from tests.console.large_fleet import CLIENT_COUNT, FLOW_COUNT, TOPIC_COUNT, flow, invented
from tests.console.open_console import OpenConsole
from tests.console.traffic_samples import AT, HOUR

__all__ = ["add_tables"]

_DAY_MS: Final = 86_400_000
_NOW_MS: Final = HOUR + _DAY_MS
_TEAMS: Final = 200
_SMALL: Final = 5_000


def _client(number: int) -> dict[str, Any]:
    """Return a client as rows of analyses have it: its owner is two columns."""
    client = invented(number % CLIENT_COUNT)
    owner = client.pop("owner")
    return {**client, "owner": owner["team"], "owner_contact": owner["contact"]}


def _upgrades() -> Iterator[dict[str, Any]]:
    """Yield a row of most clients, and of a quarter of these a second one, of what a release drops."""
    for number in range(MOST_ROWS):
        is_second = number % 5 == 0
        dropped = {"api": "Fetch", "api_version": number % 4, "dropped_in": "4.0"} if is_second else {}
        seen = {"requests": number, "last_seen_ms": _NOW_MS, "is_unclear": number % 10 == 1}
        yield {"kind": "request", **_client(number * 4 // 5), **dropped, **seen}


def _arrivals() -> Iterator[dict[str, Any]]:
    """Yield four subjects of each topic, of which one in a hundred lost records."""
    for number in range(MOST_ROWS):
        counts = {"written": 1_000, "lost": int(number % 100 == 0), "duplicated": 0, "partitions": 12}
        times = {"first_ms": _NOW_MS - _DAY_MS, "last_ms": _NOW_MS, "open_partitions": 0, "unknown_partitions": 0}
        group = f"application-{number % 2_000}"
        yield {
            "topic": f"topic-{number % TOPIC_COUNT}",
            "group_id": group,
            "evidence": "wire" if number % 3 else "interceptors",
            "subject": "group",
            "is_approximate": False,
            **counts,
            **times,
        }


def _mirrors() -> Iterator[dict[str, Any]]:
    for number in range(_SMALL):
        counts = {"partitions": 12, "unknown_partitions": 0, "missing": int(number % 50 == 0), "lag_records": number}
        target = {"topic": f"topic-{number}", "target_topic": f"main.topic-{number}", "evidence": "offset-syncs"}
        yield {**target, **counts, "lag_ms": number, "is_away": False, "surveyed_ms": _NOW_MS}


def _ledgers() -> Iterator[dict[str, Any]]:
    for number in range(_SMALL):
        counts = {"records": 1_000, "numbers": 1_000, "missing": int(number % 50 == 0), "dropped": 0, "duplicates": 0}
        source = {"kind": "Interceptors", "event_source": f"shop/pod-{number}", "cluster_id": "cluster"}
        yield {**source, "event_epoch": 1, **counts, "first_ms": 1, "last_ms": _NOW_MS}


def _costs() -> Iterator[dict[str, Any]]:
    """Yield what each team costs in each of its namespaces, in two years of months."""
    for number in range(MOST_ROWS):
        month, team = divmod(number, MOST_ROWS // 24)
        owner = {"owner": f"team-{team % _TEAMS}", "owner_contact": f"#team-{team % _TEAMS}"}
        parts = ("bytes_in_cost", "bytes_out_cost", "requests_cost", "stored_cost", "cost")
        yield {
            "month": f"{2_026 - month // 12}-{12 - month % 12:02}",
            "state": "open" if month == 0 else "closed",
            "grouped_by": "owner",
            **owner,
            "k8s_namespace": f"namespace-{team // _TEAMS}",
            "currency": "EUR",
            "missing_rates": [],
            **dict.fromkeys(parts, number * 1_000),
            "unowned_cost": 0,
        }


_ROWS: Final = {
    "UpgradeImpact": _upgrades,
    "Completeness": _arrivals,
    "MirrorAudit": _mirrors,
    "LedgerAudit": _ledgers,
    "CostAttribution": _costs,
}
_FOUND: Final = [FoundTable(name, name.lower(), "tables", commit=(1,), path=name) for name in (*_ROWS, "Traffic")]


async def add_tables(console: OpenConsole) -> None:
    """Have a console read a table of each type, and the hour `AT`."""
    past = console.console.past
    past._read = _read_invented
    past._tables._places = [lambda: list(_FOUND)]
    past._tables._read_tables = _read_invented
    await console.read("tables")
    await console.get(f"/?at={AT}")
    await past.read_once()


def _read_invented(requests: Sequence[Mapping[str, Any]]) -> Reading:
    """Answer as the process that reads tables does: with as many rows as it may, and all pairs of an hour."""
    return Reading([_read(request) for request in requests], None, 0.0)


def _read(request: Mapping[str, Any]) -> ReadTable:
    job = request["job"]
    facts = {"job": job, "type": job, "version": 1, "computed_ms": _NOW_MS}
    if "hour_ms" in request:
        items = [{**flow(number), "until_ms": HOUR} for number in range(FLOW_COUNT)]
        return ReadTable(
            {**facts, "rows": len(items), "first_ms": HOUR, "last_ms": HOUR, "doubt": 0}, json.dumps(items)
        )
    rows = [{"job": job, **row} for row in _ROWS[job]()] if job in _ROWS else []
    return ReadTable({**facts, "rows": len(rows), "latest_ms": _NOW_MS}, json.dumps(rows))
