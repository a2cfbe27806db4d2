"""Topics: all of them, with their writers and readers."""

from __future__ import annotations

from typing import Any, Final

from kwitness.console.pages.lines import Line
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.past_lines import past_lines
from kwitness.console.pages.sparkline import written_line
from kwitness.console.rows.topics import TOPICS_ORDER, TOPICS_ORDERS, TopicsView, topic_rows
from kwitness.console.rows.trends import trends_of

__all__ = ["TOPICS"]


def _values(requested: Requested) -> dict[str, Any]:
    view = TopicsView.read(requested.query, orders=TOPICS_ORDERS)
    window = topic_rows(requested.database, view)
    trends = trends_of(requested.database, "topic", (row["topic"] for row in window.rows), with_lag=False)
    return {
        "view": view,
        "default": TOPICS_ORDER,
        "window": window,
        "written_lines": {topic: written_line(trend) for topic, trend in trends.items()},
        "observers": requested.database.row("SELECT count(*) AS number FROM observers")["number"],
        "lines": past_lines(requested.past, "topic", {}) if requested.past else _LINES,
    }


_LINES: Final = (
    Line("kwitness", "kwitness topics", "topics with their writers and readers"),
    Line("kwitness", "kwitness groups", "consumer groups and their lag"),
    Line("kubectl", "kubectl get kafkatopics --all-namespaces", "topics that Strimzi keeps"),
    Line("PromQL", "sum by (topic, api) (rate(kafka_client_record_bytes_total[5m]))", "bytes by topic"),
)
TOPICS: Final = Page("/topics", "topics", "topics.html", ("traffic", "groups"), _values, title="Topics", has_past=True)
