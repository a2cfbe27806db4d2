"""Tables of a first look: connected software, pushed metrics, silent clients."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from prometheus_client.parser import text_string_to_metric_families

from kwitness.answers.access.questions import Questions
from kwitness.answers.views.client_rows import CLIENT_HEADINGS, client_cells
from kwitness.answers.views.metric_values import unit_text, value_text
from kwitness.answers.views.silence import SILENT_HEADINGS, WHY_HEADINGS, silent_cells
from kwitness.cli.columns import columns_of, row_of
from kwitness.cli.output import Output
from kwitness.contracts.metric_prefix import PREFIX

__all__ = ["THROTTLE_TIME", "show_connected", "show_metrics", "show_pushing", "show_silent"]

_CONNECTED: Final = ("SOFTWARE", "VERSION", "CONNECTIONS")
_METRICS: Final = ("CLIENT ID", "METRIC", "VALUE", "UNIT")
THROTTLE_TIME: Final = f"{PREFIX}producer.produce.throttle.time.avg"
_SHOWN_METRICS: Final = (
    f"{PREFIX}producer.connection.creation.total",
    f"{PREFIX}producer.node.request.latency.avg",
    THROTTLE_TIME,
)
_PUSHING: Final = frozenset({"CLIENT ID", "SOFTWARE", "INTERVAL", "LAST PUSH", "METRICS", "STATE"})
_SILENT: Final = frozenset({"SOFTWARE", "VERSION", "CONNECTIONS", "REASON", "WHAT TO DO"})


def show_connected(output: Output, metrics_page: str) -> None:
    """Show the brokers' gauge of connections, which counts every client (KIP-511)."""
    counts: dict[tuple[str, str], int] = {}
    for family in text_string_to_metric_families(metrics_page):
        for sample in family.samples:
            if sample.name == "kafka_client_connections" and sample.labels.get("source") == "broker":
                software = (sample.labels["client_software_name"], sample.labels["client_software_version"])
                counts[software] = counts.get(software, 0) + int(sample.value)
    rows = [(*software, str(count)) for software, count in sorted(counts.items()) if count]
    _table(output, "Connected, by software and version", _CONNECTED, rows)


def show_pushing(output: Output, questions: Questions) -> None:
    """Show the clients that push (KIP-714)."""
    now_ms = int(time.time() * 1000)
    rows = [client_cells(client, None, now_ms) for client in questions.clients().items]
    _table(output, "Clients that push metrics", CLIENT_HEADINGS, rows, only=_PUSHING)


def show_metrics(output: Output, questions: Questions) -> None:
    """Show a handful of what they push."""
    answers = [questions.metrics(client.client_instance_id or "") for client in questions.clients().items]
    rows = {
        (answer.client.client_id or "", point.name.removeprefix(PREFIX), value_text(point), unit_text(point))
        for answer in answers
        if answer is not None
        for point in answer.metrics
        if point.name in _SHOWN_METRICS
    }
    _table(output, "Some of their metrics", _METRICS, sorted(rows, key=lambda row: (row[1], row[0])))


def show_silent(output: Output, questions: Questions) -> None:
    """Show the clients that do not push, and why."""
    rows = [silent_cells(client, None, why=True) for client in questions.silent().items]
    _table(output, "Silent, and why", (*SILENT_HEADINGS, *WHY_HEADINGS), rows, only=_SILENT)


def _table(
    output: Output,
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    only: frozenset[str] | None = None,
) -> None:
    print(f"\n{title}")
    shown = [heading for heading in headings if only is None or heading in only]
    output.table(columns_of(shown), [row_of(headings, row) for row in rows])
