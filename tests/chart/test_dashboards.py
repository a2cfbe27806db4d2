"""Each panel says what it shows, and each row and line leads to its client, topic or group."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from kwitness.contracts import own_metrics

from tests.chart.test_monitoring import DASHBOARDS, METRIC, expressions

PAGES: dict[str, dict[str, Any]] = {file.stem: json.loads(file.read_text()) for file in DASHBOARDS}
BY_UID = {page["uid"]: page for page in PAGES.values()}
SUBJECTS = ("client_id", "topic", "group_id")
"""Labels whose values a row or a line leads to."""
KINDS = ("stat", "table", "text", "timeseries")
"""Types of panels that are no headings."""
AGGREGATED = re.compile(r"^(?:topk\(\d+, )?\w+ by \(([^)]*)\)")


def panels(*kinds: str) -> list[Any]:
    """Parameters of a test: panels of these types."""
    return [
        pytest.param(panel, id=f"{name}: {panel['title']}")
        for name, page in PAGES.items()
        for panel in page["panels"]
        if panel["type"] in kinds
    ]


def labels_of(expression: str) -> set[str]:
    """Labels that the rows of a table have, by the query."""
    if aggregated := AGGREGATED.match(expression):
        return set(aggregated[1].split(", "))
    if expression.startswith("ALERTS"):
        return set(SUBJECTS)
    metric = METRIC.search(expression)
    assert metric, expression
    return set(own_metrics.own_metric(metric[0]).labels)


def linked_columns(panel: dict[str, Any]) -> set[str]:
    """Columns whose cells are links."""
    return {
        override["matcher"]["options"]
        for override in panel["fieldConfig"]["overrides"]
        if any(entry["id"] == "links" and entry["value"] for entry in override["properties"])
    }


def links(value: Any) -> Iterator[str]:
    """Every address of another dashboard."""
    if isinstance(value, str) and value.startswith("/d/"):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from links(inner)


def test_there_are_no_other_types_of_panels() -> None:
    assert {panel["type"] for page in PAGES.values() for panel in page["panels"]} == {"row", *KINDS}


@pytest.mark.parametrize("panel", panels(*KINDS))
def test_a_panel_is_described(panel: dict[str, Any]) -> None:
    assert panel["description"].endswith(".")


@pytest.mark.parametrize("panel", panels("table"))
def test_a_row_leads_to_its_client_topic_and_group(panel: dict[str, Any]) -> None:
    renamed: dict[str, str] = {}
    for step in panel["transformations"]:
        renamed |= step["options"].get("renameByName", {})
    subjects = labels_of(panel["targets"][0]["expr"]) & set(SUBJECTS)

    assert linked_columns(panel) == {renamed.get(label, label) for label in subjects}


@pytest.mark.parametrize("panel", panels("timeseries"))
def test_a_line_leads_to_its_client_topic_and_group(panel: dict[str, Any]) -> None:
    named = [set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) for target in panel["targets"]]
    subjects = set.intersection(*named) & set(SUBJECTS)

    linked = {
        label
        for link in panel["fieldConfig"]["defaults"].get("links", ())
        for label in re.findall(r"__field\.labels\.(\w+)", link["url"])
    }
    assert linked == subjects


def test_links_lead_to_dashboards_and_variables_that_exist() -> None:
    found = [link for page in PAGES.values() for link in links(page)]

    assert found
    for link in found:
        uid, variable = re.findall(r"^/d/([\w-]+)\?var-(\w+)=", link)[0]
        assert variable in {entry["name"] for entry in BY_UID[uid]["templating"]["list"]}, link


def test_each_dashboard_leads_to_the_others() -> None:
    for page in PAGES.values():
        (link,) = page["links"]
        assert link["type"] == "dashboards"
        assert set(link["tags"]) <= set(page["tags"])


def test_panels_of_a_dashboard_have_numbers_of_their_own() -> None:
    for name, page in PAGES.items():
        numbers = [panel["id"] for panel in page["panels"]]
        assert len(set(numbers)) == len(numbers), name


def test_each_metric_of_interceptors_is_in_a_panel() -> None:
    names = {name for page in PAGES.values() for query in expressions(page) for name in METRIC.findall(query)}
    shown = {re.sub(r"_bucket$", "", name) for name in names}

    of_interceptors = re.compile(r"(kafka_client|kwitness)_interceptor_")
    counted = {metric.name for metric in own_metrics.OWN_METRICS if of_interceptors.match(metric.name)}
    assert len(counted) > 14
    assert counted - shown == set()
