"""Each component's pods have the values `pods`, and its own `pod` over them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kwitness.e2e import chart
from kwitness.operator.pod_values import PodValues

from tests.chart.manifests import named

SHARED: dict[str, Any] = {
    "labels": {"team": "platform", "cost": "7"},
    "annotations": {"note": "shared", "other": "shared"},
    "env": [{"name": "TZ", "value": "UTC"}, {"name": "LANG", "value": "C"}],
    "securityContext": {"supplementalGroups": [7]},
    "nodeSelector": {"disk": "slow"},
    "tolerations": [{"key": "spot", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}},
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
    "priorityClassName": "low",
    "dnsPolicy": "Default",
    "dnsConfig": {"options": [{"name": "ndots", "value": "1"}]},
}
OWN: dict[str, Any] = {
    "labels": {"team": "data"},
    "annotations": {"note": "own"},
    "env": [{"name": "TZ", "valueFrom": {"secretKeyRef": {"name": "zone", "key": "tz"}}}],
    "securityContext": {"fsGroupChangePolicy": "Always"},
    "nodeSelector": {"gpu": "no"},
    "tolerations": [{"key": "own", "operator": "Exists"}],
    "affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}},
    "topologySpreadConstraints": [
        {
            "maxSkew": 2,
            "topologyKey": "rack",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": "kafka"}},
        }
    ],
    "priorityClassName": "high",
    "dnsPolicy": "None",
    "dnsConfig": {"nameservers": ["10.0.0.10"]},
}
BOTH = {
    **OWN,
    "labels": {"team": "data", "cost": "7"},
    "annotations": {"note": "own", "other": "shared"},
    "env": [SHARED["env"][1], *OWN["env"]],
    "securityContext": {**SHARED["securityContext"], **OWN["securityContext"]},
}
OF_CHILDREN = ("collector", "observer", "observerHost", "analytics.driver", "analytics.executor")


def below(path: str, value: dict[str, Any]) -> dict[str, Any]:
    """Values in which ``value`` is at the end of a path."""
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


def operator_pod(path: str, values: dict[str, Any]) -> dict[str, Any]:
    """The block of pods that the operator is given."""
    config = named(chart.render(values), "ConfigMap", "kwitness-operator")
    found = json.loads(config["data"]["settings.json"])
    for key in path.split("."):
        found = found[key]
    pod: dict[str, Any] = found["pod"]
    PodValues.model_validate(pod)
    return pod


@pytest.mark.parametrize("path", OF_CHILDREN)
@pytest.mark.parametrize(
    ("shared", "own", "both"), [({}, {}, {}), (SHARED, {}, SHARED), ({}, OWN, OWN), (SHARED, OWN, BOTH)]
)
def test_the_operator_gets_shared_values_with_a_components_own_over_them(
    path: str, shared: dict[str, Any], own: dict[str, Any], both: dict[str, Any]
) -> None:
    values = {"pods": shared, **below(path, {"pod": own})}

    assert operator_pod(path, values) == both


@pytest.mark.parametrize("component", ["operator", "injector"])
def test_the_charts_own_pods_have_shared_values_with_their_own_over_them(component: str) -> None:
    values: dict[str, Any] = {"pods": SHARED, "injector": {"enabled": True}}
    values[component] = {**values.get(component, {}), "pod": OWN}

    template = named(chart.render(values), "Deployment", f"kwitness-{component}")["spec"]["template"]

    spec, metadata = template["spec"], template["metadata"]
    assert BOTH["labels"].items() <= metadata["labels"].items()
    assert BOTH["annotations"].items() <= metadata["annotations"].items()
    assert [variable for variable in spec["containers"][0]["env"] if variable in BOTH["env"]] == BOTH["env"]
    assert BOTH["securityContext"].items() <= spec["securityContext"].items()
    assert BOTH["tolerations"][0] in spec["tolerations"]
    placement = ("nodeSelector", "affinity", "topologySpreadConstraints", "priorityClassName", "dnsPolicy", "dnsConfig")
    assert {key: spec[key] for key in placement} == {key: BOTH[key] for key in placement}


@pytest.mark.parametrize("component", ["operator", "injector"])
def test_a_spread_without_selector_counts_the_pods_of_the_component(component: str) -> None:
    manifests = chart.render({"pods": SHARED, "injector": {"enabled": True}})

    deployment = named(manifests, "Deployment", f"kwitness-{component}")["spec"]
    (spread,) = deployment["template"]["spec"]["topologySpreadConstraints"]
    assert spread == {**SHARED["topologySpreadConstraints"][0], "labelSelector": deployment["selector"]}


def test_the_pod_of_helm_test_is_placed_as_the_operator() -> None:
    pod = named(chart.render({"pods": SHARED, "operator": {"pod": OWN}}), "Pod", "kwitness-test-operator-ready")

    assert pod["spec"]["nodeSelector"] == OWN["nodeSelector"]
    assert pod["spec"]["dnsConfig"] == OWN["dnsConfig"]
