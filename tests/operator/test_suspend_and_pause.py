"""`spec.suspend` takes a resource's effect away and a pause keeps it, the same way on every kind."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kwitness.contracts.resources import KINDS

from tests.eventually import eventually
from tests.operator.surroundings import (
    analytics_job,
    apply,
    broker_configs,
    cluster,
    collector,
    get,
    ready,
    subscription,
    until_configs,
    until_reason,
    writes_of,
)

pytestmark = pytest.mark.broker
PAUSE = "kwitness.dev/pause"
SHORT = {"KafkaCluster": "kfc", "ClientMetricsSubscription": "kcms", "TelemetryCollector": "ktc", "AnalyticsJob": "kaj"}


def _resources(namespace: str, bootstrap: str, **changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        cluster("main", namespace, bootstrap, **changes.get("kfc", {})),
        subscription("main", namespace, **changes.get("kcms", {})),
        collector("main", namespace, **changes.get("ktc", {})),
        analytics_job("main", namespace, **changes.get("kaj", {})),
    ]


@pytest.fixture
def standing(api, namespace, clean_broker, start_operator):
    """One resource of each kind that acts, all of them carried out."""
    apply(api, *_resources(namespace, clean_broker.bootstrap))
    start_operator()
    until_reason(api, "kcms", "main", namespace, "Applied")
    for name in ("kwitness-collector-main", "kwitness-job-main"):
        eventually(lambda name=name: _replicas(api, namespace, name) == 1)


def _replicas(api, namespace: str, name: str) -> int | None:
    found = api.objects.find("statefulset", name, namespace)
    return found["spec"]["replicas"] if found else None


def test_every_kind_can_be_suspended():
    assert {
        info.kind for info in KINDS if "suspend" not in info.model.model_fields["spec"].annotation.model_fields
    } == set()


def test_a_suspended_cluster_takes_its_subscriptions_off_the_brokers_and_gives_them_back(
    standing, api, namespace, clean_broker
):
    apply(api, cluster("main", namespace, clean_broker.bootstrap, suspend=True))
    until_configs(clean_broker, lambda found: found == {})
    assert "spec.suspend of KafkaCluster main" in until_reason(api, "kcms", "main", namespace, "Suspended")
    until_reason(api, "kfc", "main", namespace, "Suspended")
    assert get(api, "kfc", "main", namespace)["status"]["clusterId"] == clean_broker.cluster_id
    apply(api, cluster("main", namespace, clean_broker.bootstrap))
    until_configs(clean_broker, lambda found: len(found) == 1)
    until_reason(api, "kcms", "main", namespace, "Applied")


def test_a_suspended_collector_has_no_replica_and_comes_back(standing, api, namespace):
    apply(api, collector("main", namespace, suspend=True))
    eventually(lambda: _replicas(api, namespace, "kwitness-collector-main") == 0)
    until_reason(api, "ktc", "main", namespace, "Suspended")

    def inventory() -> str:
        conditions = get(api, "kcms", "main", namespace)["status"]["conditions"]
        return next(one["message"] for one in conditions if one["type"] == "InventoryAvailable")

    eventually(inventory, lambda message: "is suspended" in message)
    apply(api, collector("main", namespace))
    eventually(lambda: _replicas(api, namespace, "kwitness-collector-main") == 1)
    until_reason(api, "ktc", "main", namespace, "Progressing")


def test_a_paused_resource_gets_its_status_and_no_other_write(standing, api, namespace, clean_broker):
    for kind in SHORT.values():
        api.objects.annotate(kind, "main", namespace, {PAUSE: "true"})
        until_reason(api, kind, "main", namespace, "Paused")
    since, before = api.audit_end(), broker_configs(clean_broker)
    changes = {"kcms": {"interval": "7s"}, "ktc": {"replicas": 2}, "kaj": {"suspend": True}}
    apply(api, *_resources(namespace, clean_broker.bootstrap, **changes))
    for kind in changes:
        eventually(lambda kind=kind: get(api, kind, "main", namespace)["status"]["observedGeneration"] == 2)
        assert ready(api, kind, "main", namespace)["reason"] == "Paused"
    written = writes_of(api, "operator", since)
    assert [one for one in written if not re.search(r"/status\?|/events", one)] == []
    assert broker_configs(clean_broker) == before
    for kind in SHORT.values():
        api.objects.annotate(kind, "main", namespace, {PAUSE: None})
    until_configs(clean_broker, lambda found: [one["interval.ms"] for one in found.values()] == ["7000"])
    eventually(lambda: _replicas(api, namespace, "kwitness-collector-main") == 2)
    eventually(lambda: _replicas(api, namespace, "kwitness-job-main") == 0)


def test_a_paused_subscription_of_a_cluster_that_goes_on_stays_as_it_is(standing, api, namespace, clean_broker):
    api.objects.annotate("kcms", "main", namespace, {PAUSE: "true"})
    until_reason(api, "kcms", "main", namespace, "Paused")
    apply(api, subscription("main", namespace, interval="7s"), subscription("second", namespace, interval="9s"))
    until_reason(api, "kcms", "second", namespace, "Applied")
    assert sorted(one["interval.ms"] for one in broker_configs(clean_broker).values()) == ["5000", "9000"]
    api.objects.annotate("kcms", "main", namespace, {PAUSE: None})
    until_reason(api, "kcms", "main", namespace, "Applied")
    until_configs(clean_broker, lambda found: sorted(one["interval.ms"] for one in found.values()) == ["7000", "9000"])
