"""NetworkPolicies allow the connections that the page lists for each component, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.contracts.endpoints import COLLECTOR_PORT, DRIVER_PORT, INJECTOR_PORT, PROBE_PORT
from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer
from kwitness.images.commands import CommandFailedError
from kwitness.operator.desired.pods import labels
from kwitness.operator.kinds.analytics_job.pods import DRIVER_PORTS

from tests.chart.conftest import BOTH_WAYS, EGRESS
from tests.chart.manifests import named

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "operations" / "network-policies.md"
GOLDEN = ROOT / "tests" / "operator" / "goldens" / "job-scheduled" / "output.yaml"
NAME = "app.kubernetes.io/name"
OUTSIDE = {
    name: {"to": [{"ipBlock": {"cidr": f"192.0.2.{number}/32"}}], "ports": [{"port": number, "protocol": "TCP"}]}
    for number, name in enumerate(("dns", "apiServer", "kafka", "objectStore"), 1)
}
"""A rule for each destination that a value names, each to be told from the others."""
CHILDREN = {
    "kwitness-collectors": "collector",
    "kwitness-gateways": "gateway",
    "kwitness-observer-hosts": "observer-host",
    "kwitness-drivers": "job",
    "kwitness-executors": "executor",
}
"""Components of pods that the operator or Spark makes, by the policy that selects them."""
POLICIES = {"kwitness-operator", "kwitness-injector", "kwitness-console", "kwitness-test", *CHILDREN}


@pytest.fixture(scope="module")
def policies(everything: dict[str, Any]) -> list[chart.Manifest]:
    destinations = {"namespaces": ["team-a"], **{name: [rule] for name, rule in OUTSIDE.items()}}
    analytics = {**everything["analytics"], "tableRoot": "s3a://tables/kwitness"}
    values = {**everything, "networkPolicy": destinations, "analytics": analytics}
    return chart.of_kind(chart.render(values), "NetworkPolicy")


def test_the_page_has_the_rules_of_each_policy(policies: list[chart.Manifest]) -> None:
    table = PAGE.read_text().partition("| NetworkPolicy |")[2].partition("\n\n")[0]
    rows = {cells[0]: cells[1:] for cells in map(cells_of, table.splitlines()[2:])}

    allowed = {policy["metadata"]["name"]: policy["spec"] for policy in policies}
    assert rows.keys() == allowed.keys() == POLICIES
    for name, spec in allowed.items():
        made, outward = rows[name]
        if "Ingress" in spec["policyTypes"]:
            assert made == directions(spec["ingress"], "from")
        else:
            assert made.startswith(("made by the operator: ", "none"))
        assert outward == directions(spec["egress"], "to")


def test_the_page_has_the_rules_of_the_policy_of_a_driver() -> None:
    documents = yaml.safe_load(GOLDEN.read_text())
    (policy,) = [found for found in objects_in(documents) if found.get("kind") == "NetworkPolicy"]
    for port in (port for rule in policy["spec"]["ingress"] for port in rule["ports"]):
        port["port"] = DRIVER_PORTS[port["port"]]

    text = directions(policy["spec"]["ingress"], "from")

    assert f"| `kwitness-drivers` | made by the operator: {text} |" in PAGE.read_text()


@pytest.mark.parametrize(("policy", "component"), CHILDREN.items())
def test_pods_that_the_operator_makes_carry_what_a_policy_selects(
    policy: str, component: str, policies: list[chart.Manifest]
) -> None:
    selected = named(policies, "NetworkPolicy", policy)["spec"]["podSelector"]["matchLabels"]

    assert selected
    assert selected.items() <= labels(component, "any").items()


def test_ports_are_those_that_programs_listen_at(policies: list[chart.Manifest]) -> None:
    ports = {
        name: {
            port["port"]
            for policy in policies
            for rule in policy["spec"].get("egress", ())
            if any(peer.get("podSelector", {}).get("matchLabels", {}).get(NAME) == name for peer in rule["to"])
            for port in rule["ports"]
        }
        for name in ("kwitness-collector", "kwitness-job", "kwitness-executor", "kwitness")
    }

    assert ports["kwitness-collector"] == {COLLECTOR_PORT}
    assert ports["kwitness-job"] == {DRIVER_PORT, DRIVER_PORTS["driver"], DRIVER_PORTS["blocks"]}
    assert ports["kwitness-executor"] == {DRIVER_PORTS["blocks"]}
    assert ports["kwitness"] == {PROBE_PORT}
    (injector,) = named(policies, "NetworkPolicy", "kwitness-injector")["spec"]["ingress"]
    assert [port["port"] for port in injector["ports"]] == [INJECTOR_PORT, PROBE_PORT]


def test_the_api_server_accepts_each_policy(everything: dict[str, Any], api_server: ApiServer) -> None:
    for values in (everything, {**everything, "watchNamespaces": ["*"]}):
        for policy in chart.of_kind(chart.render(values), "NetworkPolicy"):
            body = {**policy, "metadata": {**policy["metadata"], "namespace": "default"}}
            url = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies?dryRun=All&fieldValidation=Strict"
            answer = api_server.request("POST", url, json=body)

            assert answer.status_code == 201, answer.text
            assert answer.json()["spec"] == policy["spec"]


def test_nothing_is_limited_on_its_way_out_by_default() -> None:
    (policy,) = chart.of_kind(chart.render(), "NetworkPolicy")

    assert policy["metadata"]["name"] == "kwitness-operator"
    assert policy["spec"]["policyTypes"] == ["Ingress"]


@pytest.mark.parametrize(
    ("values", "made"),
    [
        ({"operator": EGRESS}, {"kwitness-operator", "kwitness-test"}),
        ({"collector": EGRESS}, {"kwitness-collectors"}),
        ({"observer": BOTH_WAYS}, {"kwitness-gateways"}),
        ({"observerHost": EGRESS}, {"kwitness-observer-hosts"}),
        ({"analytics": EGRESS}, {"kwitness-drivers", "kwitness-executors"}),
        ({"analytics": {"networkPolicy": {"enabled": True}}}, {"kwitness-executors"}),
        ({"injector": EGRESS}, set()),
    ],
)
def test_each_component_has_a_switch_of_its_own(values: dict[str, Any], made: set[str]) -> None:
    before = chart.of_kind(chart.render(), "NetworkPolicy")
    after = chart.of_kind(chart.render(values), "NetworkPolicy")

    assert {policy["metadata"]["name"] for policy in after if policy not in before} == made


def test_more_rules_are_added_to_those_of_a_component() -> None:
    proxy = {"to": [{"ipBlock": {"cidr": "192.0.2.9/32"}}], "ports": [{"port": 3128, "protocol": "TCP"}]}
    manifests = chart.render({"collector": {"networkPolicy": {"egress": {"enabled": True, "extra": [proxy]}}}})

    assert named(manifests, "NetworkPolicy", "kwitness-collectors")["spec"]["egress"][-1] == proxy


def test_pods_of_gateways_get_policies_in_every_namespace_that_is_named() -> None:
    values = {"watchNamespaces": ["team-a", "team-b"], "observer": EGRESS}

    assert places(chart.render(values)) == {"team-a", "team-b"}
    everywhere = {"watchNamespaces": ["*"], "observer": EGRESS}
    assert places(chart.render({**everywhere, "networkPolicy": {"namespaces": ["team-c"]}})) == {"team-c"}
    with pytest.raises(CommandFailedError, match=r"need networkPolicy\.namespaces where watchNamespaces is"):
        chart.render(everywhere)


def places(manifests: list[chart.Manifest]) -> set[str]:
    """Namespaces with a policy for gateways."""
    found = chart.of_kind(manifests, "NetworkPolicy")
    return {policy["metadata"]["namespace"] for policy in found if policy["metadata"]["name"] == "kwitness-gateways"}


def cells_of(line: str) -> tuple[str, ...]:
    first, *others = (cell.strip() for cell in line.strip("|").split(" | "))
    return (re.findall(r"`([^`]+)`", first)[0], *others)


def directions(rules: Iterable[dict[str, Any]], side: str) -> str:
    """Write rules as the page does."""
    return ", ".join(_written(rule, side) for rule in rules) or "none"


def _written(rule: dict[str, Any], side: str) -> str:
    for name, known in OUTSIDE.items():
        if rule == known:
            return f"`{name}`"
    peers = ["`" + peer["podSelector"]["matchLabels"][NAME] + "`" for peer in rule.get(side, ())] or ["all"]
    ports = [str(port["port"]) for port in rule.get("ports", ())]
    return ", ".join(peers) + (f" at {', '.join(ports)}" if ports else "")


def objects_in(node: Any) -> Iterable[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from objects_in(part)
