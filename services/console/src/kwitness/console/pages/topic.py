"""One topic: who writes and reads it, whose they are, and who is late."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, Final

from kwitness.console.index.database import Row
from kwitness.console.pages.group_lines import member_lines, went_back_lines
from kwitness.console.pages.lines import BYTES, Line, label, literal, pattern, sql_line
from kwitness.console.pages.names import in_query, link_of
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.past_lines import past_lines
from kwitness.console.pages.sparkline import lag_line, written_line
from kwitness.console.rows.addresses import PAGE_ROWS
from kwitness.console.rows.groups import groups_of_topic, members_on_topic
from kwitness.console.rows.map import MapView
from kwitness.console.rows.names import name_of
from kwitness.console.rows.topics import topic_clients, topic_named
from kwitness.console.rows.trends import trends_of

__all__ = ["TOPIC"]


def _values(requested: Requested) -> dict[str, Any]:
    topic = name_of(requested.database, requested.name, "topic", "traffic")
    groups = groups_of_topic(requested.database, topic)
    trend = trends_of(requested.database, "topic", [topic]).get(topic)
    return {
        "topic": topic,
        "written_line": written_line(trend),
        "lag_line": lag_line(trend),
        "row": topic_named(requested.database, topic),
        "clients": topic_clients(requested.database, topic),
        "groups": groups,
        "members": members_on_topic(requested.database, topic, groups) if groups else [],
        "page_rows": PAGE_ROWS,
        "around": MapView(topic=in_query(topic)).address("/map"),
        "series_address": link_of("series/topics", topic),
        "lines": past_lines(requested.past, "client_id, principal, api", {"topic": topic})
        if requested.past
        else _lines(topic, groups),
    }


def _lines(topic: str, groups: Sequence[Row]) -> Sequence[Line]:
    name = shlex.quote(pattern(topic))
    return (
        Line("kwitness", f"kwitness topics {name}", "who writes and reads it"),
        Line("kwitness", f"kwitness groups --topic {name}", "consumer groups and their lag"),
        *(member_lines(groups[0]["group_id"]) if groups else ()),
        Line("kubectl", f"kubectl get kafkatopics --all-namespaces --field-selector metadata.name={name}", "Strimzi's"),
        Line(
            "PromQL",
            f"sum by (client_id, principal, api) (rate({BYTES}{{{label('topic', topic)}}}[5m]))",
            "bytes by client",
        ),
        *(went_back_lines(topic) if any(group["went_back_ms"] for group in groups) else ()),
        sql_line(
            "SELECT DISTINCT topic, api, owner, owner_contact, principal, client_id FROM traffic "
            f"WHERE kind = 'partition' AND topic = {literal(topic)} ORDER BY ALL",
            "tables",
            "who used it earlier as well",
        ),
    )


TOPIC: Final = Page(
    "/topics",
    "topics",
    "topic.html",
    ("traffic", "groups", "clients", "connections"),
    _values,
    is_named=True,
    has_past=True,
)
