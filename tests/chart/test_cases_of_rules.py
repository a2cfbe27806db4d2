"""No rule without a case: promtool runs them on the node, and would not miss one that nobody wrote."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from kwitness.e2e import chart

RULES = sorted((chart.CHART / "rules").glob("*.yaml"))
FILES = sorted((Path(__file__).resolve().parents[1] / "e2e" / "rules").glob("*.yaml"))


def named(key: str) -> set[str]:
    """The names of alerts (`alert`) or recording rules (`record`) in the chart."""
    groups = [group for file in RULES for group in yaml.safe_load(file.read_text())["groups"]]
    return {rule[key] for group in groups for rule in group["rules"] if key in rule}


def cases(key: str) -> list[dict[str, Any]]:
    """All cases for alerts (`alert_rule_test`) or expressions (`promql_expr_test`)."""
    return [
        case for file in FILES for group in yaml.safe_load(file.read_text())["tests"] for case in group.get(key, ())
    ]


def test_each_alert_has_a_case_where_it_fires_and_one_where_it_does_not() -> None:
    fires = {case["alertname"] for case in cases("alert_rule_test") if case["exp_alerts"]}
    is_still = {case["alertname"] for case in cases("alert_rule_test") if not case["exp_alerts"]}

    assert fires == named("alert")
    assert is_still == named("alert")


def test_each_recording_rule_has_a_case_with_its_samples() -> None:
    recorded = {
        name
        for case in cases("promql_expr_test")
        for sample in case["exp_samples"]
        for name in (sample["labels"].partition("{")[0], *re.findall(r"kwitness:[a-z0-9_:]+", case["expr"]))
        if name
    }

    assert recorded == named("record")


def test_cases_are_of_the_rules_that_the_chart_has() -> None:
    asked = {
        (file.parent / name).resolve() for file in FILES for name in yaml.safe_load(file.read_text())["rule_files"]
    }

    assert asked == {file.resolve() for file in RULES}
