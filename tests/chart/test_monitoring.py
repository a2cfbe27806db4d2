"""Rules and dashboards ask for metrics that exist."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from kwitness.contracts import client_metrics, own_metrics
from kwitness.e2e import chart

RULES = [yaml.safe_load(file.read_text()) for file in sorted((chart.CHART / "rules").glob("*.yaml"))]
CLIENTS = yaml.safe_load((chart.CHART / "rules" / "clients.yaml").read_text())["groups"]
ROOT = chart.CHART.parents[1]
DASHBOARDS = sorted((chart.CHART / "dashboards").glob("*.json"))
METRIC = re.compile(r"\b(?:kwitness_|kwitness:|kafka_client_)[a-z0-9_:]+")


def all_rules() -> list[dict[str, Any]]:
    return [rule for file in RULES for group in file["groups"] for rule in group["rules"]]


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
        assert len(asked) > 5
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


def test_namespaces_in_metrics_are_those_of_resources_whoever_scrapes(everything: dict[str, Any]) -> None:
    endpoints = [
        endpoint
        for monitor in chart.of_kind(chart.render(everything), "ServiceMonitor")
        for endpoint in monitor["spec"]["endpoints"]
    ]
    demo = chart.of_kind(chart.render(chart=chart.DEMO_CHART), "ConfigMap")
    (config,) = [one["data"]["prometheus.yml"] for one in demo if "prometheus.yml" in one["data"]]
    jobs = [job for job in yaml.safe_load(config)["scrape_configs"] if job["job_name"] != "prometheus"]

    assert len(endpoints) == 3
    assert all(endpoint["honorLabels"] is True for endpoint in endpoints)
    assert len(jobs) == 2
    assert all(job["honor_labels"] is True for job in jobs)


def client_rules(values: dict[str, Any]) -> list[dict[str, Any]]:
    """The rules about clients as the chart renders them."""
    wanted = {"monitoring": {"prometheusRule": {"enabled": True}}, "rules": {"clients": values}}
    rendered = {one["metadata"]["name"]: one for one in chart.of_kind(chart.render(wanted), "PrometheusRule")}
    groups = rendered["kwitness-clients"]["spec"]["groups"] if "kwitness-clients" in rendered else []
    return [rule for group in groups for rule in group["rules"]]


def named(rules: list[dict[str, Any]], alert: str) -> list[dict[str, Any]]:
    return [rule for rule in rules if rule.get("alert") == alert]


def test_rules_about_clients_are_rendered_as_their_file_says_by_default() -> None:
    in_file = [rule for group in CLIENTS for rule in group["rules"]]
    in_file = [{**rule, "for": rule.get("for", "0s")} if "alert" in rule else rule for rule in in_file]
    for rule in in_file:  # where the console is, no value says
        rule.get("annotations", {}).pop("console_url", None)

    assert client_rules({}) == in_file


def test_thresholds_and_times_of_alerts_about_clients_are_those_of_the_values() -> None:
    rules = client_rules({"throttled": {"seconds": 2.5, "for": "1m"}, "silent": {"seconds": 60}})

    thresholds = {
        (rule["labels"]["alert"], rule["labels"]["threshold"]): rule["expr"]
        for rule in rules
        if rule.get("record") == "kwitness:client_threshold"
    }
    assert thresholds["throttled", "seconds"] == "2.5"
    assert thresholds["silent", "seconds"] == "60"
    assert thresholds["recordRetries", "share"] == "0.05"
    assert [rule["for"] for rule in named(rules, "KwitnessClientThrottled")] == ["1m"]


def test_an_alert_about_clients_can_be_switched_off_alone_and_all_can() -> None:
    rules = client_rules({"pollNeverIdle": {"enabled": False}})

    assert named(rules, "KwitnessClientPollNeverIdle") == []
    assert named(rules, "KwitnessClientThrottled")
    assert client_rules({"enabled": False}) == []


def test_each_threshold_is_recorded_and_used_by_its_alert() -> None:
    rules = [rule for group in CLIENTS for rule in group["rules"]]
    recorded = {
        (rule["labels"]["alert"], rule["labels"]["threshold"])
        for rule in rules
        if rule.get("record") == "kwitness:client_threshold"
    }
    used = {
        (alert, threshold)
        for rule in rules
        if "alert" in rule
        for alert, threshold in re.findall(
            r'kwitness:client_threshold\{alert="(\w+)", threshold="(\w+)"\}', rule["expr"]
        )
        if f"KwitnessClient{alert[0].upper()}{alert[1:]}" == rule["alert"]
    }
    values = yaml.safe_load((chart.CHART / "values.yaml").read_text())["rules"]["clients"]
    wanted = {(alert, key) for alert, one in values.items() if alert != "enabled" for key in one}

    assert recorded == used == {pair for pair in wanted if pair[1] not in ("enabled", "for")}
    assert {alert for alert, _ in wanted} == {alert for alert, _ in recorded}


def test_each_alert_about_a_client_leads_to_it_and_to_a_command() -> None:
    for rule in (rule for group in CLIENTS for rule in group["rules"] if "alert" in rule):
        told = rule["annotations"]
        # A silent client is itself in the alert; of a fallen coverage the software that is not seen.
        alone = rule["alert"] in {"KwitnessClientSilent", "KwitnessClientCoverageFell"}
        assert "kwitness_client_info" in told["clients"] or alone, rule["alert"]
        assert told["command"].startswith("kwitness "), rule["alert"]


def sections(page: Path) -> dict[str, str]:
    """Heading and text of each section of a page, by the anchor that leads to it."""
    parts = re.split(r"^## ", page.read_text(), flags=re.MULTILINE)[1:]
    return {re.sub(r"[^a-z0-9 -]", "", part.partition("\n")[0].lower()).replace(" ", "-"): part for part in parts}


def test_each_alert_leads_to_a_section_that_is_about_it() -> None:
    for rule in (rule for rule in all_rules() if "alert" in rule):
        file, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        section = sections(ROOT / file).get(anchor)
        assert section is not None, f"{rule['alert']}: {file}#{anchor} is not there"
        assert rule["alert"] in section, rule["alert"]
        assert re.search(r"^(1\. |\| `)", section, re.MULTILINE), f"{rule['alert']}: what to do?"


def test_the_page_on_alerts_lists_each_with_its_severity_and_leads_where_the_alert_does() -> None:
    page = (ROOT / "docs/operations/alerts.md").read_text()
    rows = {
        (name, target if "#" in target[1:] else f"alerts.md{target}", severity)
        for name, target, severity in re.findall(r"^\| \[`(\w+)`\]\(([^)]+)\) \| (\w+) \|", page, re.MULTILINE)
    }

    assert rows == {
        (rule["alert"], rule["annotations"]["runbook_url"].removeprefix("docs/operations/"), rule["labels"]["severity"])
        for rule in all_rules()
        if "alert" in rule
    }


def test_what_is_put_in_front_of_runbooks_is_there_in_every_alert_that_is_rendered() -> None:
    base = "https://docs.example.org/kwitness/"
    values = {"monitoring": {"prometheusRule": {"enabled": True, "runbookBase": base}}}
    rendered = [
        rule
        for one in chart.of_kind(chart.render(values), "PrometheusRule")
        for group in one["spec"]["groups"]
        for rule in group["rules"]
        if "alert" in rule
    ]

    assert len(rendered) == len([rule for rule in all_rules() if "alert" in rule])
    assert all(rule["annotations"]["runbook_url"].startswith(f"{base}docs/operations/") for rule in rendered)
