"""One client id: what it is, whether it is well, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, Final

from kwitness.console.index.database import Row
from kwitness.console.pages.group_lines import lag_lines
from kwitness.console.pages.lines import BYTES, Line, label, literal, pattern, sql_line
from kwitness.console.pages.names import in_query, link_of
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.past_lines import past_lines
from kwitness.console.rows.client_stories import client_stories, parts_of
from kwitness.console.rows.clients import client_named
from kwitness.console.rows.map import MapView
from kwitness.console.rows.names import name_of
from kwitness.console.rows.sights import sight_of

__all__ = ["CLIENT"]


def _values(requested: Requested) -> dict[str, Any]:
    name = name_of(requested.database, requested.name)
    known = client_named(requested.database, name, requested.read_ms["clients"])
    software = {(row["client_software_name"], row["client_software_version"]) for row in known.identities}
    return {
        "name": name,
        "client": known,
        "evidence": [words for words, is_seen in _evidence(known.identities).items() if is_seen],
        "sight": sight_of(requested.database, name, requested.past.start_ms if requested.past else None),
        "stories": []
        if requested.past
        else [
            (story.title, parts_of(story))
            for story in client_stories(requested.database, name, requested.read_ms["clients"])[:1]
        ],
        "why": f"kwitness why {shlex.quote(pattern(name))}",
        "software": sorted((product or "", version or "") for product, version in software),
        "around": MapView(client=in_query(name)).address("/map"),
        "series_address": link_of("series/clients", name),
        "lines": past_lines(requested.past, "topic, api", {"client_id": name})
        if requested.past
        else _lines(name, known.groups),
    }


def _evidence(identities: Sequence[Row]) -> dict[str, bool]:
    """Return the ways in which a client can be seen, in words, with those in which it is."""
    return {
        "connected": any(row["connections"] or row["pushing"] for row in identities),
        "pushes metrics": any(row["pushing"] for row in identities),
        "seen on the wire by an observer": any(row["on_wire"] for row in identities),
        "seen inside by interceptors": any(row["inside"] for row in identities),
    }


def _lines(client_id: str, groups: Sequence[Row]) -> Sequence[Line]:
    name = shlex.quote(pattern(client_id))
    return (
        Line("kwitness", f"kwitness why {name}", "its state, the reason, and what to do"),
        Line("kwitness", f"kwitness clients {name} --output wide", "its instances that push"),
        Line("kwitness", f"kwitness connections --client-id {name}", "its connections at observers"),
        Line("kwitness", f"kwitness topics '*' --client-id {name}", "topics that it uses"),
        *lag_lines(row["group_id"] for row in groups),
        Line(
            "PromQL",
            f"sum by (topic, api) (rate({BYTES}{{{label('client_id', client_id)}}}[5m]))",
            "bytes by topic",
        ),
        sql_line(
            "SELECT window_start_ms, topic, api, requests, records FROM traffic "
            f"WHERE kind = 'partition' AND client_id = {literal(client_id)} ORDER BY ALL",
            "tables",
            "its traffic of an earlier time as well",
        ),
    )


CLIENT: Final = Page(
    "/clients",
    "fleet",
    "client.html",
    ("clients", "silent", "connections", "traffic", "groups"),
    _values,
    is_named=True,
    has_past=True,
    past_sources=("client_inventory",),
)
