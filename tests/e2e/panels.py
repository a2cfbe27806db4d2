"""Cases for promtool of a dashboard's or a page's queries: each returns something where its metrics are there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kwitness.contracts.client_metrics import CLIENT_METRICS
from kwitness.contracts.identity import DEFAULT_LABELS
from kwitness.contracts.own_metrics import OWN_METRICS

#: Up to when there are samples, one a minute; queries are asked then. There is an hour ago to compare with.
MINUTES = 300
_EACH_MINUTE = {"kafka_client_producer_record_error_total": 1, "kafka_client_producer_record_retry_total": 1}
"""How much counters grow in a minute, where it is not ten."""


def queries(dashboard: Path) -> Iterator[tuple[str, str]]:
    """Title of each panel with a query of it, for all clusters, clients and owners."""
    for panel in json.loads(dashboard.read_text())["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], re.sub(r"\$\w+", ".*", target["expr"])


def _series(
    name: str, labels: tuple[str, ...], *, counter: bool, further: Mapping[str, str] | None = None
) -> dict[str, str]:
    values = f"0+{_EACH_MINUTE.get(name, 10)}x{MINUTES}" if counter else f"0.02x{MINUTES - 60} 0.9x60"
    if name == "kwitness_client_silent_since_seconds":
        values = f"{(MINUTES - 40) * 60}x{MINUTES}"
    if name in ("kwitness_client_info", "kwitness_client_instances"):
        values = f"1x{MINUTES}"
    # Who fell silent is another instance than the one that is there.
    instance = "gone" if "silent" in name else "here"
    told = {label: instance if label == "client_instance_id" else f"a {label}" for label in labels} | dict(
        further or {}
    )
    pairs = ", ".join(f'{label}="{value}"' for label, value in told.items())
    return {"series": f"{name}{{{pairs}}}", "values": values}


def _histogram(name: str, labels: tuple[str, ...], bounds: Sequence[float]) -> Iterator[dict[str, str]]:
    for bound in (*bounds, "+Inf"):
        yield _series(f"{name}_bucket", (*labels, "le"), counter=True, further={"le": str(bound)})


def cases(asked: Sequence[str], rules: list[str], further: Sequence[dict[str, str]] = ()) -> dict[str, Any]:
    """A file for `promtool test rules`: each query returns something.

    Parameters
    ----------
    rules
        Files of recording rules and alerts, from where the cases are.
    further
        Series beside one of each metric, for what a client cannot be that pushes and loses nothing.
    """
    series = [
        *further,
        *(
            _series(one.name, one.labels, counter=one.type == "counter")
            for one in OWN_METRICS
            if one.type != "histogram"
        ),
        *(
            bucket
            for metric in OWN_METRICS
            if metric.type == "histogram"
            for bucket in _histogram(metric.name, metric.labels, metric.bounds)
        ),
        *(_series(one.prometheus_name, DEFAULT_LABELS, counter=one.type == "counter") for one in CLIENT_METRICS),
    ]
    return {
        "rule_files": rules,
        "evaluation_interval": "1m",
        "group_eval_order": ["kwitness.recording", *(f"kwitness.clients.{one}" for one in ("thresholds", "recording"))],
        "tests": [
            {
                "interval": "1m",
                "input_series": series,
                "promql_expr_test": [
                    {
                        "expr": f"count({query}) > bool 0",
                        "eval_time": f"{MINUTES}m",
                        "exp_samples": [{"labels": "{}", "value": 1}],
                    }
                    for query in asked
                ],
            }
        ],
    }
