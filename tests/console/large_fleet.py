"""The fleet that budgets of the console are stated for, in the index of a console."""

from __future__ import annotations

import json
from typing import Any, Final

from kwitness.console.index.database import Database
from kwitness.console.index.members import rebuild
from kwitness.console.index.reader_schemas import MOST_SCHEMAS, ReaderSchemas
from kwitness.console.index.tables import CLIENTS, CONNECTIONS, TRAFFIC
from kwitness.console.index.trends import POINTS, Trends
from kwitness.console.pages.all_pages import PAGES
from kwitness.console.readers import Reader

__all__ = [
    "CLIENT_COUNT",
    "FLOW_COUNT",
    "NAMESPACE_COUNT",
    "TOPIC_COUNT",
    "fill",
    "flow",
    "invented",
    "large_addresses",
    "remember",
    "use",
]

CLIENT_COUNT, TOPIC_COUNT, FLOW_COUNT = 20_000, 5_000, 40_000
NAMESPACE_COUNT = 20
_MINUTE_MS: Final = 60_000
_FILLED: Final = {"clients", "silent", "connections", "traffic", "groups", "reporters"}
_NAMES: Final = {"/clients": "application-7-client-77", "/topics": "topic-7"}


def invented(number: int) -> dict[str, Any]:
    """Return a client: ten of each principal, a hundred of each team, nine versions."""
    return {
        "cluster_id": "cluster",
        "client_id": f"application-{number // 10}-client-{number}",
        "principal": f"User:application-{number // 10}",
        "client_software_name": "apache-kafka-java",
        "client_software_version": f"3.{number % 9}.1",
        "k8s_namespace": f"namespace-{number % NAMESPACE_COUNT}",
        "owner": {"team": f"team-{number // 100}", "contact": f"#team-{number // 100}"},
    }


def flow(number: int) -> dict[str, Any]:
    """Return what a client does with a topic."""
    api = "Produce" if number % 2 else "Fetch"
    rates = {"records_per_s": 1.5, "record_bytes_per_s": float(number), "fetch_lag_ms": number}
    topic = (number * 7 + number // CLIENT_COUNT) % TOPIC_COUNT
    return {**invented(number % CLIENT_COUNT), "api": api, "topic": f"topic-{topic}", **rates}


def fill(index: Database, clients: int, flows: int) -> None:
    """Fill the tables of an index, and put it together."""
    pushed = {"k8s_namespace_proven": True, "first_seen_ms": 1, "last_push_ms": 1, "subscriptions": ["all"]}
    items = [{**invented(number), **pushed, "key": str(number)} for number in range(clients)]
    index.write(CLIENTS.filled(json.dumps(items)), CONNECTIONS.filled(json.dumps(items)))
    index.write(TRAFFIC.filled(json.dumps([flow(number) for number in range(flows)])))
    rebuild(index)


def remember(index: Database) -> None:
    """Have the index an hour's trends, whose minutes have the same numbers."""
    count(index, 1)
    Trends().add(index, _MINUTE_MS)
    same = "UPDATE trends SET minute = ?, written = list_resize(written[:0], ?, written[-1]), "
    index.write((f"{same}lag_ms = list_resize(lag_ms[:0], ?, lag_ms[-1])", [POINTS, POINTS, POINTS]))


def count(index: Database, minute: int) -> None:
    """Have observers have counted more until a minute."""
    index.write(("UPDATE traffic SET until_ms = ? WHERE topic = 'topic-7'", [minute]))


def use(readers: ReaderSchemas) -> None:
    """Make the rows of as many readers as are kept."""
    for number in range(MOST_SCHEMAS):
        with readers.seen_by(Reader("", frozenset({f"namespace-{number}"}))):
            pass


def large_addresses() -> list[str]:
    """Return addresses of all pages that show what `fill` fills and nothing else, with names and filters of it."""
    shown = [page for page in PAGES if page.sources and {*page.sources} <= _FILLED]
    plain = [f"{page.path}/{_NAMES[page.path]}" if page.is_named else page.path for page in shown]
    return [*plain, "/?by=client&page=150", "/?search=application-77", "/map?by=application"]
