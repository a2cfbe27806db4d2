"""Words that other components use are in the registries: a new one must be added there first."""

from __future__ import annotations

import re
from pathlib import Path

from kwitness.contracts.client_metrics import CLIENT_METRICS
from kwitness.contracts.own_metrics import OWN_METRICS
from kwitness.contracts.reasons import KUBERNETES_EVENTS, REASONS, WARNINGS

ROOT = Path(__file__).resolve().parents[2]
OPERATOR = ROOT / "operator/src/kwitness/operator"
PLUGIN = ROOT / "services/broker-plugin/src/main/java/dev/kwitness/broker"
DELIBERATELY_NOT_METRICS = {"kafka_client_files", "kwitness_otlp"}  # a module of the operator, a library of the jobs


def words(folder: Path, ending: str, pattern: str) -> set[str]:
    return {word for path in folder.rglob(f"*.{ending}") for word in re.findall(pattern, path.read_text())}


def test_metrics() -> None:
    known = {metric.name for metric in OWN_METRICS}
    used = set().union(
        *(
            words(ROOT / folder, "py", r'"((?:kwitness|kafka_client)_[a-z_]+)"')
            for folder in (
                "operator/src",
                "services/runtime/src",
                "services/subscriptions/src",
                "services/collector/src",
                "services/injector/src",
                "services/observer-host/src",
                "spark-jobs/src",
            )
        )
    )

    assert used - known - DELIBERATELY_NOT_METRICS == set()


def test_warnings_of_the_operator() -> None:
    used = words(OPERATOR, "py", r'found\["([A-Z][A-Za-z]+)"\]')

    assert used == {warning.type for warning in WARNINGS if warning.source == "operator"}


def test_warnings_of_the_plugin() -> None:
    used = set(re.findall(r'[A-Z_]+\("([A-Z][A-Za-z]+)"', (PLUGIN / "Warning.java").read_text()))

    assert used == {warning.type for warning in WARNINGS if warning.source == "plugin"}


def test_kubernetes_events() -> None:
    used = words(OPERATOR, "py", r'(?:emit|Note)\((?:[^()]|\([^()]*\))*?reason="([A-Z][A-Za-z]+)"')

    assert used == {event.reason for event in KUBERNETES_EVENTS}


def test_reasons_of_conditions() -> None:
    used = words(OPERATOR, "py", r'reason(?:: str)? ?= ?"([A-Z][A-Za-z]+)"')
    known = {entry.reason for entry in REASONS} | {event.reason for event in KUBERNETES_EVENTS}

    assert used - known == set()


def test_metrics_of_rules_and_dashboards() -> None:
    known = {metric.name for metric in OWN_METRICS} | {metric.prometheus_name for metric in CLIENT_METRICS}
    histograms = {f"{metric.name}_{part}" for metric in OWN_METRICS for part in ("bucket", "count", "sum")}
    used = set().union(
        *(
            words(ROOT / "charts/kwitness" / folder, ending, r"(?<![:\w])((?:kwitness|kafka_client)_[a-z_]+)")
            for folder, ending in (("rules", "yaml"), ("dashboards", "json"))
        )
    )

    assert used
    assert used - known - histograms == set()


def test_ports_and_paths_are_spelled_in_contracts_alone() -> None:
    paths, ports = (
        r'"/(?:v1/[a-z]+|status|healthz|readyz|metrics)[^" ]*"',
        r"(?<![\w.])(?:8443|8090|4317|4318)(?![\w.])",
    )
    for folder in ("operator/src", "services", "spark-jobs/src"):
        assert words(ROOT / folder, "py", f"{paths}|{ports}") == set()
