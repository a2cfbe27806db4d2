"""A change of a register reaches what pods with a profile are given, against a real API server and a real broker."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.header_rules import HeaderRules
from kwitness.contracts.interceptor_injections import InterceptorInjectionsFile

from tests.eventually import eventually
from tests.operator.surroundings import apply, get, until_reason
from tests.operator.test_header_registries import FIRST, register
from tests.operator.test_sidecars import enabled

__all__ = ["enabled"]

pytestmark = pytest.mark.broker


def profile(namespace: str, *registers: str) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "InterceptorProfile",
        "metadata": {"name": "orders", "namespace": namespace},
        "spec": {
            "clusterRef": {"name": "main"},
            "selector": {"matchLabels": {"app": "orders"}},
            "runtimes": ["Python"],
            "interceptors": [{"name": "headers", "type": "Headers"}],
            "headerRegistries": [{"name": one} for one in registers],
        },
    }


def rules(api, namespace: str) -> HeaderRules | None:
    found = api.objects.find("configmap", "kwitness-interceptors", namespace)
    if found is None:
        return None
    told = InterceptorInjectionsFile.model_validate_json(found["data"]["injections.json"])
    return told.injections[0].settings.headers if told.injections else None


def numbers(api, namespace: str) -> dict[str, int | None] | None:
    found = rules(api, namespace)
    return None if found is None else {one.name: one.id for one in found.keys}


def resolved(api, namespace: str) -> str | None:
    conditions = get(api, "kip", "orders", namespace).get("status", {}).get("conditions", [])
    return next((one["reason"] for one in conditions if one["type"] == "HeaderRegistriesResolved"), None)


def test_what_registers_say_is_what_pods_are_given(enabled, api, namespace):
    images = {"collector": "kwitness/collector:1", "interceptors": "kwitness/interceptors:1"}
    enabled(images={**images, "observer": "kwitness/observer:1", "spark": "kwitness/spark:1"})
    apply(api, register("shop", namespace, "order.id"), profile(namespace, "shop", "bank"))
    until_reason(api, "kfc", "main", namespace, "Connected")
    eventually(lambda: numbers(api, namespace), lambda found: found == {"order.id": FIRST})
    eventually(lambda: resolved(api, namespace), lambda reason: reason == "RegistryMissing")
    before = get(api, "kip", "orders", namespace)["status"]["configHash"]

    apply(api, register("bank", namespace, "order.id", "account", policy="Deny"))
    eventually(lambda: numbers(api, namespace), lambda found: found == {"order.id": FIRST, "account": FIRST + 1})
    eventually(lambda: resolved(api, namespace), lambda reason: reason == "RegistriesResolved")
    assert rules(api, namespace).unregistered == "Report"
    eventually(lambda: get(api, "kip", "orders", namespace)["status"]["configHash"], lambda one: one != before)

    apply(api, register("shop", namespace, "order.id", suspend=True))
    eventually(lambda: numbers(api, namespace), lambda found: found == {"account": FIRST + 1})
    assert rules(api, namespace).unregistered == "Deny"
    eventually(lambda: resolved(api, namespace), lambda reason: reason == "RegistryMissing")

    api.objects.delete("khr", "shop", "bank", namespace=namespace)
    eventually(lambda: numbers(api, namespace), lambda found: found == {})
