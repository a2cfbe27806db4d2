"""Rules and dashboards ask for metrics that exist."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from kwitness.contracts import client_metrics, own_metrics
from kwitness.e2e import chart

RULES = yaml.safe_load((chart.CHART / "rules" / "kwitness.yaml").read_text())
DASHBOARDS = sorted((chart.CHART / "dashboards").glob("*.json"))
METRIC = re.compile(r"\b(?:kwitness_|kwitness:|kafka_client_)[a-z0-9_:]+")


def all_rules() -> list[dict[str, Any]]:
    return [rule for group in RULES["groups"] for rule in group["rules"]]


def known() -> set[str]:
    own = {
        f"{metric.name}{part}"
        for metric in own_metrics.OWN_METRICS
        for part in (("_bucket", "_sum", "_count") if metric.type == "histogram" else ("",))
    }
    clients = {metric.prometheus_name for metric in client_metrics.CLIENT_METRICS}
    return own | clients | {rule["record"] for rule in all_rules() if "record" in rule}


def expressions(value: Any) -> Iterator[str]:
    """Every query of a dashboard: of its panels and of its variables."""
    if isinstance(value, dict):
        yield from (value[key] for key in ("expr", "definition") if key in value)
        for inner in value.values():
            yield from expressions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from expressions(inner)


def test_rules_ask_for_metrics_that_exist() -> None:
    asked = {name for rule in all_rules() for name in METRIC.findall(rule["expr"])}

    assert asked - known() == set()


def test_dashboards_ask_for_metrics_that_exist() -> None:
    assert DASHBOARDS
    for file in DASHBOARDS:
        asked = {
            name for expression in expressions(json.loads(file.read_text())) for name in METRIC.findall(expression)
        }
        assert len(asked) > 10
        assert asked - known() == set(), file.name


def test_each_alert_says_what_it_means_and_what_to_do() -> None:
    alerts = [rule for rule in all_rules() if "alert" in rule]

    assert {rule["alert"] for rule in alerts} >= {
        "KwitnessOperatorStalled",
        "KwitnessLedgerDropping",
        "KwitnessSilentSoftware",
        "KwitnessSubscriptionHeld",
    }
    for rule in alerts:
        assert rule["labels"]["severity"] in {"info", "warning", "critical"}, rule["alert"]
        assert rule["annotations"]["summary"].endswith("."), rule["alert"]
        assert rule["annotations"]["description"], rule["alert"]


def test_dashboards_use_connections_of_brokers_where_there_are_any() -> None:
    for file in DASHBOARDS:
        assert not re.search(r"\bkafka_client_connections\b", file.read_text())


def test_panels_do_not_overlap() -> None:
    for file in DASHBOARDS:
        taken: set[tuple[int, int]] = set()
        for panel in json.loads(file.read_text())["panels"]:
            place = panel["gridPos"]
            cells = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            assert not cells & taken, panel["title"]
            taken |= cells


def test_monitors_scrape_a_port_that_exists(everything: dict[str, Any]) -> None:
    manifests = chart.render(everything)

    monitor = chart.of_kind(manifests, "ServiceMonitor")[0]
    selected = monitor["spec"]["selector"]["matchLabels"].items()
    services = [one for one in chart.of_kind(manifests, "Service") if selected <= one["metadata"]["labels"].items()]
    assert [port["name"] for one in services for port in one["spec"]["ports"]] == ["metrics"]
