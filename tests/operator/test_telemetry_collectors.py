"""What is asked for and cannot be had holds up nothing else of a collector."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kwitness.e2e.api_server import ApiServer

from tests.eventually import eventually, remains
from tests.operator.granted import granted
from tests.operator.surroundings import apply, cluster, collector, get, may, ready, until_reason

pytestmark = pytest.mark.broker
CHILD = "kwitness-collector-main"
CLAIM = f"state-{CHILD}-0"
MONITORED = {"prometheus": {"serviceMonitor": {}}}


@pytest.fixture
def connected(api, namespace, broker, start_operator):
    """Start an operator with a cluster that is connected."""

    def start(**settings: Any) -> None:
        apply(api, cluster("main", namespace, broker.bootstrap))
        start_operator(**settings)
        until_reason(api, "kfc", "main", namespace, "Connected")

    return start


@pytest.fixture(scope="module")
def classes(api) -> tuple[str, str]:
    """StorageClasses, one whose claims may grow and one whose may not."""
    kind = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "kwitness.dev/none"}
    names = ("growing", "fixed")
    for name in names:
        apply(api, {**kind, "metadata": {"name": name}, "allowVolumeExpansion": name == "growing"})
    return names


def stateful_set(api: ApiServer, namespace: str) -> dict[str, Any]:
    return get(api, "sts", CHILD, namespace)["spec"]


def replicas(api: ApiServer, namespace: str) -> int:
    return stateful_set(api, namespace)["replicas"]


def condition(api: ApiServer, namespace: str, type_: str) -> tuple[str, str] | None:
    conditions = get(api, "ktc", "main", namespace).get("status", {}).get("conditions", [])
    return next(((one["status"], one["reason"]) for one in conditions if one["type"] == type_), None)


def until_condition(api: ApiServer, namespace: str, type_: str, status: str, reason: str) -> str:
    eventually(lambda: condition(api, namespace, type_), lambda found: found == (status, reason))
    conditions = get(api, "ktc", "main", namespace)["status"]["conditions"]
    return next(one["message"] for one in conditions if one["type"] == type_)


def claim(api: ApiServer, namespace: str, storage_class: str, **more: Any) -> None:
    """A claim of the first replica with 1Gi, as the controllers that do not run here would make and bind it."""
    labels = {"app.kubernetes.io/name": "kwitness-collector", "app.kubernetes.io/instance": "main"}
    apply(
        api,
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": CLAIM, "namespace": namespace, "labels": labels, **more},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": storage_class,
                "volumeName": f"volume-of-{namespace}",
                "resources": {"requests": {"storage": "1Gi"}},
            },
        },
    )
    becomes(api, namespace, "1Gi")


def becomes(api: ApiServer, namespace: str, size: str) -> None:
    said = {"status": {"phase": "Bound", "capacity": {"storage": size}}}
    api.objects.patch("pvc", CLAIM, namespace, said, subresource="status")


def asked(api: ApiServer, namespace: str) -> str:
    return get(api, "pvc", CLAIM, namespace)["spec"]["resources"]["requests"]["storage"]


def stored(storage_class: str, size: str) -> dict[str, Any]:
    return {"storage": {"storageClassName": storage_class, "size": size}}


def test_claims_that_stand_grow_with_the_resource(connected, api, namespace, classes):
    growing, _ = classes
    connected()
    apply(api, collector("main", namespace, **stored(growing, "1Gi")))
    until_condition(api, namespace, "StorageAsRequested", "True", "StorageAsRequested")
    claim(api, namespace, growing)
    apply(api, collector("main", namespace, **stored(growing, "2Gi")))
    eventually(lambda: asked(api, namespace), lambda size: size == "2Gi")
    assert CLAIM in until_condition(api, namespace, "StorageAsRequested", "False", "Growing")
    becomes(api, namespace, "2Gi")
    until_condition(api, namespace, "StorageAsRequested", "True", "StorageAsRequested")
    # What a StatefulSet makes claims with cannot be changed; those of later replicas grow likewise.
    template = stateful_set(api, namespace)["volumeClaimTemplates"][0]["spec"]
    assert template["resources"]["requests"]["storage"] == "1Gi"
    assert ready(api, "ktc", "main", namespace)["reason"] == "Progressing"


def test_a_claim_that_the_operator_may_not_change_stays_and_the_status_names_the_value(
    connected, api, namespace, classes
):
    growing, _ = classes
    connected()
    apply(api, collector("main", namespace, **stored(growing, "1Gi")))
    until_condition(api, namespace, "StorageAsRequested", "True", "StorageAsRequested")
    claim(api, namespace, growing)
    apply(api, *granted(namespace))
    apply(api, collector("main", namespace, **stored(growing, "2Gi")))

    assert "rbac.growAnyClaim" in until_condition(api, namespace, "StorageAsRequested", "False", "NotExpandable")
    assert asked(api, namespace) == "1Gi"


def test_a_class_that_does_not_let_claims_grow_is_said_and_holds_up_nothing(connected, api, namespace, classes):
    _, fixed = classes
    connected()
    apply(api, collector("main", namespace, **stored(fixed, "1Gi")))
    eventually(lambda: condition(api, namespace, "StorageAsRequested"))
    claim(api, namespace, fixed)
    apply(api, collector("main", namespace, replicas=2, **stored(fixed, "2Gi")))
    message = until_condition(api, namespace, "StorageAsRequested", "False", "NotExpandable")
    assert CLAIM in message
    assert "allowVolumeExpansion" in message
    eventually(lambda: replicas(api, namespace), lambda count: count == 2)
    assert asked(api, namespace) == "1Gi"
    assert ready(api, "ktc", "main", namespace)["reason"] == "Progressing"
    apply(api, collector("main", namespace, replicas=2, **stored(fixed, "1Gi")))
    until_condition(api, namespace, "StorageAsRequested", "True", "StorageAsRequested")


@pytest.mark.parametrize("other", [("growing", "512Mi"), ("fixed", "1Gi")], ids=["smaller", "another class"])
def test_storage_that_cannot_be_had_holds_up_nothing_else(connected, api, namespace, classes, other):
    connected()
    apply(api, collector("main", namespace, **stored("growing", "1Gi")))
    eventually(lambda: condition(api, namespace, "StorageAsRequested"))
    claim(api, namespace, "growing")
    apply(api, collector("main", namespace, replicas=2, **stored(*other)))
    message = until_condition(api, namespace, "StorageAsRequested", "False", "StorageChanged")
    assert f"delete the resource and its claims (state-{CHILD}-0" in message
    eventually(lambda: replicas(api, namespace), lambda count: count == 2)
    template = stateful_set(api, namespace)["volumeClaimTemplates"][0]["spec"]
    assert (template["storageClassName"], template["resources"]["requests"]["storage"]) == ("growing", "1Gi")
    assert asked(api, namespace) == "1Gi"
    assert ready(api, "ktc", "main", namespace)["reason"] == "Progressing"


def test_a_claim_of_that_name_that_is_somebody_elses_does_not_grow(connected, api, namespace, classes):
    growing, _ = classes
    connected()
    apply(api, collector("main", namespace, **stored(growing, "1Gi")))
    eventually(lambda: condition(api, namespace, "StorageAsRequested"))
    claim(api, namespace, growing, labels={"app": "theirs"})
    apply(api, collector("main", namespace, replicas=2, **stored(growing, "2Gi")))
    eventually(lambda: replicas(api, namespace), lambda count: count == 2)
    remains(lambda: asked(api, namespace), lambda size: size == "1Gi", seconds=6)


def test_more_replicas_than_are_allowed_hold_up_nothing_else(connected, api, namespace):
    connected(limits={"minInterval": "1s", "maxCollectorReplicas": 2})
    apply(api, collector("main", namespace))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    apply(api, collector("main", namespace, replicas=3, resources={"requests": {"memory": "200Mi"}}))
    assert "2 run" in until_reason(api, "ktc", "main", namespace, "LimitExceeded")
    container = eventually(
        lambda: stateful_set(api, namespace)["template"]["spec"]["containers"][0],
        lambda found: found["resources"]["requests"]["memory"] == "200Mi",
    )
    assert container["name"] == "collector"
    assert replicas(api, namespace) == 2
    config = json.loads(get(api, "cm", CHILD, namespace)["data"]["config.json"])
    assert config["replicas"] == 2


def test_what_is_asked_for_moves_the_default_on_the_other_side(connected, api, namespace):
    def amounts() -> Any:
        return stateful_set(api, namespace)["template"]["spec"]["containers"][0]["resources"]

    connected()
    apply(api, collector("main", namespace, resources={"requests": {"memory": "1Gi"}}))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    assert amounts() == {"requests": {"cpu": "100m", "memory": "1Gi"}, "limits": {"memory": "1Gi"}}
    apply(api, collector("main", namespace, resources={"limits": {"memory": "64Mi", "cpu": "50m"}}))
    expected = {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"cpu": "50m", "memory": "64Mi"}}
    eventually(amounts, lambda found: found == expected)
    assert ready(api, "ktc", "main", namespace)["reason"] == "Progressing"


def questions_about_monitors(api: ApiServer, namespace: str, since: int) -> list[int]:
    return [
        event["responseStatus"]["code"]
        for event in api.audit(since)
        if f"/namespaces/{namespace}/servicemonitors" in event["requestURI"]
    ]


@pytest.mark.parametrize("allowed", [False, True])
def test_a_monitor_that_may_not_be_made_is_said_and_holds_up_nothing(connected, api, namespace, allowed):
    since = api.audit_end()
    connected(collector={"serviceMonitors": allowed})
    apply(api, collector("main", namespace, replicas=2, **MONITORED))
    message = until_condition(api, namespace, "Monitored", "False", "MonitorForbidden")
    assert "monitoring.allowServiceMonitors" in message
    assert replicas(api, namespace) == 2
    assert ready(api, "ktc", "main", namespace)["reason"] == "Progressing"
    assert bool(questions_about_monitors(api, namespace, since)) == allowed


def test_a_cluster_without_the_kind_of_monitors_is_told_from_one_that_forbids_them(connected, api, namespace):
    apply(api, *granted(namespace, monitoring={"allowServiceMonitors": True}))
    eventually(lambda: may(api, "operator", "patch", "servicemonitors.monitoring.coreos.com", namespace))
    connected(collector={"serviceMonitors": True})
    apply(api, collector("main", namespace, **MONITORED))
    until_condition(api, namespace, "Monitored", "False", "MonitorKindMissing")
    assert replicas(api, namespace) == 1
    apply(api, collector("main", namespace, replicas=2))
    eventually(lambda: replicas(api, namespace), lambda count: count == 2)
    eventually(lambda: condition(api, namespace, "Monitored"), lambda found: found is None)


def test_nobody_asks_about_monitors_that_nobody_asked_for(connected, api, namespace):
    since = api.audit_end()
    connected()
    apply(api, collector("main", namespace))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    apply(api, collector("main", namespace, replicas=2))
    eventually(lambda: replicas(api, namespace), lambda count: count == 2)
    assert questions_about_monitors(api, namespace, since) == []


def test_a_namespace_without_service_account_is_named(connected, api, namespace):
    connected(collector={"namespaces": ["elsewhere"]})
    apply(api, collector("main", namespace))
    message = until_reason(api, "ktc", "main", namespace, "NamespaceNotEnabled")
    assert "collector.namespaces" in message
    assert "elsewhere" in message
    assert CHILD not in api.objects.names("sts,cm", namespace)


def test_a_collector_is_scaled_as_kubernetes_scales(connected, api, namespace):
    connected()
    apply(api, collector("main", namespace))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    api.objects.patch("ktc", "main", namespace, {"spec": {"replicas": 3}}, subresource="scale")
    eventually(lambda: replicas(api, namespace), lambda count: count == 3)
    scaled = {"status": {"replicas": 3, "readyReplicas": 1}}
    api.objects.patch("sts", CHILD, namespace, scaled, subresource="status")
    path = f"/apis/kwitness.dev/v1beta1/namespaces/{namespace}/telemetrycollectors/main/scale"

    def scale() -> Any:
        return api.request("GET", path).json()

    found = eventually(scale, lambda one: one["status"]["replicas"] == 3)
    assert found["spec"]["replicas"] == 3
    chosen = stateful_set(api, namespace)["selector"]["matchLabels"]
    assert dict(one.split("=") for one in found["status"]["selector"].split(",")) == chosen
    assert get(api, "ktc", "main", namespace)["spec"]["replicas"] == 3


def test_pods_that_read_their_configuration_again_are_not_replaced_for_it(connected, api, namespace):
    connected()
    apply(api, collector("main", namespace))
    until_reason(api, "ktc", "main", namespace, "Progressing")
    before = stateful_set(api, namespace)["template"]

    changes = {
        "replicas": 2,
        "kafkaTopic": {"mode": "Write"},
        "prometheus": {"maxSeries": 5000, "labels": ["client_id"], "expireAfterMissedPushes": 7},
        "forward": [{"name": "backend", "endpoint": "https://backend.example/v1/metrics"}],
    }
    apply(api, collector("main", namespace, **changes))

    def configured() -> dict[str, Any]:
        return dict(json.loads(get(api, "cm", CHILD, namespace)["data"]["config.json"]))

    eventually(configured, lambda config: len(config["forward"]) == 1)
    assert configured()["prometheus"]["max_series"] == 5000
    eventually(lambda: replicas(api, namespace), lambda count: count == 2)
    assert stateful_set(api, namespace)["template"] == before
