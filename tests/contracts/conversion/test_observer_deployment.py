"""An ObserverDeployment of v1alpha1 means the same in the shape of v1beta1."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from kwitness.contracts.conversion.v1alpha1 import to_v1beta1

GATEWAY = """
{clusterRef: {name: main}, mode: Gateway, observers: [{type: Traffic}], replicas: 3, caSecretRef: {name: ca},
 gateway: {bootstrapPort: 9192, tls: {secretRef: {name: kwitness-tls}, clientCaSecretRef: {name: clients}}}}
"""
SIDECAR = """
{clusterRef: {name: main}, mode: Sidecar, observers: [{type: Traffic}], selector: {matchLabels: {app: orders}},
 namespaceSelector: {matchLabels: {team: shop}}, containers: [app], env: {bootstrapServers: [KAFKA]}, basePort: 29092}
"""
BROKER = """
{clusterRef: {name: main}, listenerRef: {name: CLIENTS}, mode: Broker, observers: [{type: Traffic}],
 selector: {matchLabels: {app: kafka}}, broker: {port: 9094, redirect: {}}}
"""
CASES = {
    GATEWAY: {
        "clusterRef": {"name": "main"},
        "gateway": {
            "replicas": 3,
            "bootstrapPort": 9192,
            "tls": {"secretRef": {"name": "kwitness-tls"}, "clientCaSecretRef": {"name": "clients"}},
            "caSecretRef": {"name": "ca"},
        },
        "observers": [{"type": "Traffic"}],
    },
    SIDECAR: {
        "clusterRef": {"name": "main"},
        "sidecar": {
            "selector": {"matchLabels": {"app": "orders"}},
            "namespaceSelector": {"matchLabels": {"team": "shop"}},
            "containers": ["app"],
            "env": {"bootstrapServers": ["KAFKA"]},
            "basePort": 29092,
        },
        "observers": [{"type": "Traffic"}],
    },
    BROKER: {
        "clusterRef": {"name": "main"},
        "listenerRef": {"name": "CLIENTS"},
        "broker": {"selector": {"matchLabels": {"app": "kafka"}}, "port": 9094, "redirect": {}},
        "observers": [{"type": "Traffic"}],
    },
}


def converted(**spec: Any) -> dict[str, Any]:
    """The new spec of one with a gateway, but for the fields that all have."""
    old = {"clusterRef": {"name": "main"}, "mode": "Gateway", "observers": [{"type": "Traffic"}], **spec}
    new = to_v1beta1({"kind": "ObserverDeployment", "metadata": {"name": "orders"}, "spec": old})["spec"]
    return {field: value for field, value in new.items() if field not in {"clusterRef", "observers"}}


@pytest.mark.parametrize("old", CASES, ids=["gateway", "sidecar", "broker"])
def test_what_went_with_a_mode_is_in_its_block(old: str) -> None:
    resource = {
        "apiVersion": "kwitness.dev/v1alpha1",
        "kind": "ObserverDeployment",
        "metadata": {"name": "orders", "labels": {"team": "shop"}},
        "spec": yaml.safe_load(old),
        "status": {"configHash": "1"},
    }

    assert to_v1beta1(resource) == {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "ObserverDeployment",
        "metadata": {"name": "orders", "labels": {"team": "shop"}},
        "spec": CASES[old],
    }


@pytest.mark.parametrize(
    ("gateway", "expected"),
    [
        (None, {}),
        ({}, {}),
        ({"insecurePlaintext": False}, {}),
        ({"insecurePlaintext": True}, {"tls": {"mode": "Disabled"}}),
        ({"tls": None, "insecurePlaintext": True}, {"tls": {"mode": "Disabled"}}),
    ],
)
def test_a_gateway_without_certificate_stays_without(gateway: dict[str, Any] | None, expected: dict[str, Any]) -> None:
    assert converted(gateway=gateway) == {"gateway": expected}


def test_an_identity_is_listed_where_it_is_not_kept() -> None:
    identity = {"principal": "Drop", "clientInstanceId": "Keep", "groupMemberId": "Drop"}

    assert converted(identity=identity)["identity"] == [
        {"key": "principal", "treatment": "Drop"},
        {"key": "group_member_id", "treatment": "Drop"},
    ]


@pytest.mark.parametrize(("before", "after"), [(1 << 20, 1 << 20), (1 << 34, 1 << 34), (1 << 40, 1 << 34)])
def test_a_queue_fits_the_memory_of_a_process(before: int, after: int) -> None:
    limits = {"queueBytes": before, "maxSeries": 500}

    assert converted(limits=limits)["limits"] == {"queueBytes": after, "maxSeries": 500}


def test_what_is_given_is_left_alone() -> None:
    spec = {"mode": "Gateway", "gateway": {"tls": None}, "replicas": 2}
    resource = {"kind": "ObserverDeployment", "metadata": {"name": "orders"}, "spec": spec}
    before = yaml.safe_dump(resource)

    to_v1beta1(resource)

    assert yaml.safe_dump(resource) == before
