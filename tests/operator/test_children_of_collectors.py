"""Collectors and their children, against a real API server and a real broker."""

from __future__ import annotations

import json

import pytest

from tests.eventually import eventually, remains
from tests.operator.conftest import at_the_resync
from tests.operator.surroundings import (
    apply,
    collector,
    config_name,
    get,
    ready,
    until_reason,
)

pytestmark = pytest.mark.broker


@at_the_resync
def test_a_collectors_children_are_made_repaired_and_narrowed(applied, api, namespace):
    apply(api, collector("main", namespace, replicas=2))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    child = "kwitness-collector-main"
    for kind in ("sts", "svc", "cm", "pdb", "netpol"):
        assert get(api, kind, child, namespace)["metadata"]["ownerReferences"][0]["name"] == "main"
    data = get(api, "cm", child, namespace)["data"]
    assert json.loads(data["subscriptions.json"])["subscriptions"][0]["id"] == config_name(namespace)
    renamed = {"spec": {"ports": [{"port": 8443, "name": "wrong"}]}}
    api.objects.patch("svc", child, namespace, renamed, how="strategic")
    api.objects.label("svc", child, namespace, {"theirs": "kept"})
    eventually(lambda: get(api, "svc", child, namespace)["spec"]["ports"][0]["name"] == "api")
    assert get(api, "svc", child, namespace)["metadata"]["labels"]["theirs"] == "kept"
    apply(api, collector("main", namespace, replicas=1))
    eventually(lambda: not api.objects.names("pdb", namespace))
    assert get(api, "sts", child, namespace)["spec"]["replicas"] == 1


def test_a_stateful_set_of_somebody_else_is_left_alone(shared, api, namespace):
    apply(
        api,
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": "kwitness-collector-main", "namespace": namespace},
            "spec": {
                "serviceName": "theirs",
                "selector": {"matchLabels": {"app": "theirs"}},
                "template": {
                    "metadata": {"labels": {"app": "theirs"}},
                    "spec": {"containers": [{"name": "theirs", "image": "theirs"}]},
                },
            },
        },
        collector("main", namespace),
    )
    message = until_reason(api, "ktc", "main", namespace, "Conflict")
    assert message.startswith("StatefulSet kwitness-collector-main is there already")
    assert "ownerReferences" not in get(api, "sts", "kwitness-collector-main", namespace)["metadata"]
    api.objects.delete("sts", "kwitness-collector-main", namespace=namespace)
    until_reason(api, "ktc", "main", namespace, "Progressing")


def test_another_default_of_the_installation_leaves_the_storage_of_a_collector_alone(
    applied, api, namespace, start_operator
):
    apply(api, collector("main", namespace))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    applied.stop()
    start_operator(collector={"storageClass": "fast"})
    apply(api, collector("main", namespace, replicas=2))
    eventually(lambda: get(api, "sts", "kwitness-collector-main", namespace)["spec"]["replicas"] == 2)
    assert "volumeClaimTemplates" not in get(api, "sts", "kwitness-collector-main", namespace)["spec"]
    apply(api, collector("main", namespace, replicas=2, storage={"storageClassName": "fast"}))
    eventually(lambda: _storage_reason(api, namespace), lambda reason: reason == "StorageChanged")


def test_a_size_of_storage_may_be_written_in_any_unit(shared, api, namespace):
    for size in ("1024Mi", "1Gi"):
        apply(api, collector("main", namespace, storage={"storageClassName": "fast", "size": size}))
        until_reason(api, "ktc", "main", namespace, "Progressing")
        remains(lambda: ready(api, "ktc", "main", namespace)["reason"], lambda now: now == "Progressing", seconds=4)
        assert _storage_reason(api, namespace) == "StorageAsRequested"


def _storage_reason(api, namespace: str) -> str | None:
    conditions = get(api, "ktc", "main", namespace)["status"]["conditions"]
    return next((one["reason"] for one in conditions if one["type"] == "StorageAsRequested"), None)


def test_a_second_collector_of_a_cluster_is_in_conflict(shared, api, namespace):
    apply(api, collector("first", namespace))
    until_reason(api, "ktc", "first", namespace, "Progressing")
    apply(api, collector("second", namespace))
    assert "first" in until_reason(api, "ktc", "second", namespace, "Conflict")
    api.objects.delete("ktc", "first", namespace=namespace)
    until_reason(api, "ktc", "second", namespace, "Progressing")


def test_the_collector_that_serves_a_cluster_is_told_by_priority_and_name_never_by_age(shared, api, namespace):
    apply(api, collector("second", namespace))
    until_reason(api, "ktc", "second", namespace, "Progressing")
    apply(api, collector("first", namespace))
    assert f"{namespace}/first comes before" in until_reason(api, "ktc", "second", namespace, "Conflict")
    until_reason(api, "ktc", "first", namespace, "Progressing")
    # Its senders may still push to it.
    assert get(api, "sts", "kwitness-collector-second", namespace)["spec"]["replicas"] == 1
    apply(api, collector("second", namespace, priority=1))
    assert f"{namespace}/second comes before" in until_reason(api, "ktc", "first", namespace, "Conflict")
    until_reason(api, "ktc", "second", namespace, "Progressing")
