"""Alerts and dashboards lead to pages of the console where its address is known, and nowhere where it is not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

from kwitness.console.pages.all_pages import PAGES
from kwitness.console.rows.completeness import CompletenessView
from kwitness.console.rows.costs import CostView
from kwitness.console.rows.findings import FindingsView
from kwitness.console.rows.fleet import FleetView
from kwitness.console.rows.upgrades import UpgradesView
from kwitness.e2e import chart

URL = "https://console.example.org"
MONITORING = {"prometheusRule": {"enabled": True}, "dashboards": {"enabled": True}}
ENCODED = re.compile(r'\{\{ reReplaceAll "\[\+\]" "%20" \(urlquery (?:\.|\$labels\.\w+)\) \}\}')


def rendered(url: str) -> list[chart.Manifest]:
    return chart.render({"monitoring": MONITORING, "console": {"url": url}})


def alerts(manifests: list[chart.Manifest]) -> dict[str, dict[str, str]]:
    """Annotations of each alert."""
    return {
        rule["alert"]: rule["annotations"]
        for manifest in chart.of_kind(manifests, "PrometheusRule")
        for group in manifest["spec"]["groups"]
        for rule in group["rules"]
        if "alert" in rule
    }


def dashboards(manifests: list[chart.Manifest]) -> dict[str, Any]:
    return {
        name: json.loads(text)
        for manifest in chart.of_kind(manifests, "ConfigMap")
        if manifest["metadata"]["name"].startswith("kwitness-dashboard-")
        for name, text in manifest["data"].items()
    }


def lists_of_links(value: Any) -> Iterator[list[str]]:
    """Addresses of each cell, line or value that leads somewhere."""
    if isinstance(value, list):
        if found := [entry["url"] for entry in value if isinstance(entry, dict) and "url" in entry]:
            yield found
        for inner in value:
            yield from lists_of_links(inner)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from lists_of_links(inner)


def test_each_alert_with_a_command_leads_to_a_page_of_the_console() -> None:
    client = "{{ with $labels.client_id }}clients/NAME{{ end }}"
    software = (
        "?software={{ urlquery $labels.client_software_name }}&version={{ urlquery $labels.client_software_version }}"
    )

    found = {name: notes for name, notes in alerts(rendered(URL)).items() if "command" in notes}

    assert len(found) > 10
    assert {ENCODED.sub("NAME", notes["console_url"]) for notes in found.values()} == {
        f"{URL}/",
        f"{URL}/topics/NAME",
        f"{URL}/{client}",
        f"{URL}/{client.replace('{{ end }}', '{{ else }}' + software + '{{ end }}')}",
    }


def test_each_address_of_an_alert_is_that_of_a_page_with_its_filters() -> None:
    views = {
        "/": FleetView,
        "/completeness": CompletenessView,
        "/cost": CostView,
        "/findings": FindingsView,
        "/upgrades": UpgradesView,
    }
    named = tuple(f"{page.path}/" for page in PAGES if page.is_named)
    plain = {page.path for page in PAGES if not page.is_named}
    found = {notes.get("console_url", f"{URL}/").removeprefix(URL) for notes in alerts(rendered(URL)).values()}
    # Those with a choice of two pages are compared above.
    addresses = {re.sub(r"\{\{.*?\}\}", "NAME", address) for address in found if "{{ with" not in address}

    assert {"/doctor", *views} <= {address.partition("?")[0] for address in addresses}
    for address in addresses:
        path, _, query = address.partition("?")
        assert path in plain or path.startswith(named), address
        assert {name for name, _ in parse_qsl(query)} <= (views[path].__dataclass_fields__.keys() if query else set())


def test_a_cell_or_line_of_a_client_or_topic_leads_to_its_page_of_the_console_first() -> None:
    before, after = dashboards(rendered("")), dashboards(rendered(URL))

    assert before.keys() == after.keys()
    for name, page in after.items():
        pairs = list(zip(lists_of_links(before[name]), lists_of_links(page), strict=True))
        assert pairs, name
        for own, links in pairs:
            assert [link for link in links if not link.startswith(URL)] == own
            subjects = [re.match(r"/d/[\w-]+\?var-(\w+)=(\$\{[^}]+\})", link) for link in own]
            expected = {
                f"{URL}/{ {'client_id': 'clients', 'topic': 'topics'}[match[1]] }/{match[2]}"
                for match in subjects
                if match and match[1] != "group_id"
            }
            assert {link for link in links if link.startswith(URL)} == expected
            assert all(link.endswith(":percentencode}") for link in expected)


def test_without_an_address_nothing_leads_to_the_console() -> None:
    for values in ({"monitoring": MONITORING}, {"monitoring": MONITORING, "console": {"url": ""}}):
        manifests = chart.render(values)

        assert all("console_url" not in notes for notes in alerts(manifests).values())
        assert "in the console" not in json.dumps(dashboards(manifests))
