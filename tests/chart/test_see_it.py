"""The guide's queries ask for metrics and labels that exist, and its values switch on what they say."""

from __future__ import annotations

import json
import re

import yaml

from kwitness.contracts import client_metrics, own_metrics
from kwitness.contracts.endpoints import PROBE_PORT
from kwitness.contracts.identity import DEFAULT_LABELS
from kwitness.contracts.resources.sidecar import DEFAULT_BASE_PORT
from kwitness.e2e import chart
from kwitness.images.image_parts import REPOSITORY

from tests.chart.test_monitoring import DASHBOARDS, METRIC, all_rules, known

PAGE = (REPOSITORY / "docs/guides/see-it.md").read_text()
QUERIES = re.findall(r"^```promql\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SILENT_AND_LOST = [
    {
        "series": 'kafka_client_connections{cluster_id="c", listener="l", source="broker", '
        'client_software_name="kafka-python", client_software_version="3.0.12"}',
        "values": "2x300",
    },
    {
        "series": 'kwitness_ledger_events_total{namespace="kwitness", instance="i", component="collector", '
        'hop="topic", outcome="dropped", reason="malformed"}',
        "values": "0+10x300",
    },
]
"""Series for questions whose answer is nothing where all is well."""
BLOCKS = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)]
VALUES = BLOCKS[0]


def test_there_are_ten_questions_each_with_its_query() -> None:
    assert len(QUERIES) == 10
    assert re.findall(r"^\*\*(\d+)\. ", PAGE, re.MULTILINE) == [str(number) for number in range(1, 11)]


def test_they_ask_for_metrics_that_exist() -> None:
    for query in QUERIES:
        asked = set(METRIC.findall(query))
        assert asked, query
        assert asked - known() == set(), query


def test_they_group_by_labels_that_exist() -> None:
    labels = {label for metric in own_metrics.OWN_METRICS for label in metric.labels} | set(DEFAULT_LABELS)

    grouped = {
        label
        for query in QUERIES
        for names in re.findall(r"(?:by|on) \(([\w, ]+)\)", query)
        for label in names.split(", ")
    }

    assert "client_id" in grouped
    assert grouped - labels == set()


def test_a_sum_by_labels_is_of_metrics_that_have_them() -> None:
    labels = {metric.name: set(metric.labels) for metric in own_metrics.OWN_METRICS}
    labels |= {metric.prometheus_name: set(DEFAULT_LABELS) for metric in client_metrics.CLIENT_METRICS}

    for query in QUERIES:
        for names, metric in re.findall(r"by \(([\w, ]+)\) \((?:rate\()?([a-z_]+)\b(?!:)", query):
            assert set(names.split(", ")) <= labels[metric], query


def test_its_values_make_monitors_rules_and_dashboards_with_the_labels_that_are_selected_by() -> None:
    manifests = chart.render(VALUES)

    for kind, number in (("ServiceMonitor", 1), ("PrometheusRule", 2)):
        found = chart.of_kind(manifests, kind)
        assert len(found) == number
        assert {one["metadata"]["labels"]["release"] for one in found} == {"kube-prometheus-stack"}
    dashboards = [one for one in chart.of_kind(manifests, "ConfigMap") if "dashboard" in one["metadata"]["name"]]
    assert len(dashboards) == len(DASHBOARDS)


def test_of_what_collectors_and_observers_expose_a_scrape_of_both_keeps_one() -> None:
    (monitor,) = [block for block in BLOCKS if block.get("kind") == "PodMonitor"]
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    (relabeling,) = endpoint["metricRelabelings"]

    names = {metric.name for metric in own_metrics.OBSERVER_METRICS}
    dropped = {name for name in names if re.fullmatch(relabeling["regex"], name)}
    assert dropped == names & {metric.name for metric in own_metrics.OWN_METRICS}


def test_a_gateways_pods_have_the_labels_and_the_port_that_are_scraped() -> None:
    golden = REPOSITORY / "tests/operator/goldens/gateway-made-for-the-first-time/output.yaml"
    (deployment,) = [child for child in yaml.safe_load(golden.read_text())["children"] if child["kind"] == "Deployment"]
    (monitor,) = [block for block in BLOCKS if block.get("kind") == "PodMonitor"]
    pod = deployment["spec"]["template"]

    assert monitor["spec"]["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    (container,) = pod["spec"]["containers"]
    assert {"name": "metrics", "containerPort": PROBE_PORT, "protocol": "TCP"} in container["ports"]
    assert f"port {PROBE_PORT}, named `metrics`" in PAGE
    assert f"port {DEFAULT_BASE_PORT - 1} of its pod" in PAGE


def test_every_dashboard_and_every_severity_is_named() -> None:
    for file in DASHBOARDS:
        assert f"| {json.loads(file.read_text())['title']} |" in PAGE
    for severity in {rule["labels"]["severity"] for rule in all_rules() if "alert" in rule}:
        assert f"`{severity}`" in PAGE
