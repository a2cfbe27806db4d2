"""Sidecars from their resources to what the injector is told and to their statuses, against a real API server."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from kwitness.contracts.injections import Injection, InjectionsFile, injection_hash
from kwitness.e2e.kafka.local_broker import Listener

from tests.eventually import eventually
from tests.operator.conftest import at_the_resync
from tests.operator.granted import USERS, granted
from tests.operator.surroundings import (
    apply,
    cluster,
    collector,
    get,
    may,
    ready,
    until_reason,
    writes_in_resyncs,
)

pytestmark = pytest.mark.broker
NONE = '{"schema":"kwitness.injections/1","injections":[]}'


def sidecar(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "ObserverDeployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "clusterRef": {"name": "main"},
            "sidecar": {"selector": {"matchLabels": {"app": "orders"}}, "env": {"bootstrapServers": ["KAFKA"]}},
            "observers": [{"type": "Traffic"}],
            **spec,
        },
    }


@pytest.fixture
def enabled(api, namespace, clean_broker, start_operator):
    """A sidecar in a namespace that lets its pods get observers, and an operator that may see them."""
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "orders", "namespace": namespace}}
    apply(
        api,
        *granted(namespace, injector={"enabled": True}),
        account,
        cluster("main", namespace, clean_broker.bootstrap),
        collector("main", namespace),
        sidecar("orders", namespace),
    )
    api.objects.label("namespace", namespace, None, {"kwitness.dev/injection": "enabled"})
    eventually(lambda: all(may(api, user, "list", "events", namespace) for user in USERS))

    def start(**settings: Any) -> Any:
        return start_operator(injector={"enabled": True}, **settings)

    return start


def injections_of(api, namespace: str) -> dict[str, Injection]:
    found = api.objects.find("configmap", "kwitness-injections", namespace)
    text = found["data"]["injections.json"] if found else NONE
    return {injection.name: injection for injection in InjectionsFile.model_validate_json(text).injections}


def run_the_injector(api, namespace: str) -> None:
    """Make its Deployment, and say that it runs, as the controller would that is not here."""
    labels = {"app": "injector"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "injector", "image": "injector"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": pod}
    metadata = {"name": "kwitness-injector", "namespace": namespace}
    apply(api, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    status = {"replicas": 1, "readyReplicas": 1, "updatedReplicas": 1, "availableReplicas": 1}
    api.objects.patch("deployment", "kwitness-injector", namespace, {"status": status}, subresource="status")


def run_pod(api, namespace: str, name: str, **annotations: str) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "orders", "uid": "u-1", "controller": True}
    metadata = {"name": name, "namespace": namespace, "labels": {"app": "orders"}, "ownerReferences": [owner]}
    marks = {f"kwitness.dev/{key.replace('_', '-')}": value for key, value in annotations.items()}
    spec = {
        "serviceAccountName": "orders",
        "automountServiceAccountToken": False,
        "containers": [{"name": "app", "image": "orders"}],
    }
    apply(api, {"apiVersion": "v1", "kind": "Pod", "metadata": {**metadata, "annotations": marks}, "spec": spec})


def condition(api, namespace: str, kind: str) -> dict[str, Any]:
    found = get(api, "kobs", "orders", namespace).get("status", {}).get("conditions", [])
    return next((one for one in found if one["type"] == kind), {"reason": None, "message": ""})


def refuse_a_pod(api, namespace: str, name: str) -> None:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": namespace},
        "involvedObject": {"kind": "ReplicaSet", "namespace": namespace, "name": "orders-5f7"},
        "reason": "FailedCreate",
        "type": "Warning",
        "message": 'pods "orders-5f7-x" is forbidden: failed quota: q: must specify limits.cpu for: kwitness-observer',
        "firstTimestamp": moment,
        "lastTimestamp": moment,
    }
    apply(api, event)


def test_the_injector_knows_all_sidecars_until_they_are_deleted(enabled, api, namespace, clean_broker):
    apply(api, sidecar("first", namespace, priority=1, sidecar={"basePort": 29092}))
    enabled()
    found = eventually(lambda: injections_of(api, namespace), lambda one: list(one) == ["first", "orders"])

    assert found["first"].settings.listener.bootstrap_port == 29092
    assert found["orders"].addresses == (clean_broker.bootstrap,)
    assert found["orders"].settings.cluster_id == clean_broker.cluster_id
    until_reason(api, "kobs", "orders", namespace, "InjectorMissing")
    run_the_injector(api, namespace)
    until_reason(api, "kobs", "orders", namespace, "Injecting")
    api.objects.delete("kobs", "first", "orders", namespace=namespace)
    eventually(lambda: injections_of(api, namespace) == {})


def test_an_operator_that_starts_anew_forgets_sidecars_that_went_meanwhile(enabled, api, namespace):
    operator = enabled()
    eventually(lambda: list(injections_of(api, namespace)) == ["orders"])
    operator.stop()
    api.objects.delete("kobs", "orders", namespace=namespace)

    enabled()

    eventually(lambda: injections_of(api, namespace) == {})


def test_without_an_injector_a_sidecar_is_refused(api, namespace, clean_broker, start_operator):
    apply(
        api,
        cluster("main", namespace, clean_broker.bootstrap),
        collector("main", namespace),
        sidecar("orders", namespace),
    )
    start_operator()
    assert "injector.enabled" in until_reason(api, "kobs", "orders", namespace, "InjectorMissing")
    assert injections_of(api, namespace) == {}


def test_an_observer_may_run_beside_brokers_whose_listener_is_for_clients_alone(enabled, api, namespace, clean_broker):
    shared = {"name": "PLAINTEXT", "bootstrapServers": [clean_broker.bootstrap], "security": "Plaintext"}
    address = clean_broker.bootstrap_of(Listener.SASL_PLAINTEXT_PLAIN)
    own = {"name": "SASL_PLAINTEXT_PLAIN", "bootstrapServers": [address], "security": "SaslPlaintext"}
    listeners = [shared, {**own, "mechanisms": ["PLAIN"]}]
    apply(
        api,
        cluster("main", namespace, clean_broker.bootstrap, listeners=listeners),
        beside_brokers("shared", namespace, "PLAINTEXT"),
        beside_brokers("own", namespace, own["name"]),
    )
    enabled()
    run_the_injector(api, namespace)

    assert "broker 1" in until_reason(api, "kobs", "shared", namespace, "ListenerShared")
    until_reason(api, "kobs", "own", namespace, "Injecting")
    assert sorted(injections_of(api, namespace)) == ["orders", "own"]
    reasons = {one["type"]: one["reason"] for one in get(api, "kobs", "own", namespace)["status"]["conditions"]}
    assert (reasons["Loopback"], reasons["ClientAddresses"]) == ("ListenerElsewhere", "SeenAsLoopback")


def beside_brokers(name: str, namespace: str, listener: str) -> dict[str, Any]:
    own = {"selector": {"matchLabels": {"app": "kafka"}}}
    body = sidecar(name, namespace, listenerRef={"name": listener}, broker=own)
    del body["spec"]["sidecar"]
    return body


def test_a_namespace_has_to_let_its_pods_get_observers(enabled, api, namespace):
    api.objects.label("namespace", namespace, None, {"kwitness.dev/injection": None})
    enabled()
    message = until_reason(api, "kobs", "orders", namespace, "NamespaceNotLabelled")
    assert f"kubectl label namespace {namespace} kwitness.dev/injection=enabled" in message


def test_the_status_tells_which_pods_have_an_observer_and_how_to_cover_the_others(enabled, api, namespace):
    operator = enabled()
    one = eventually(lambda: injections_of(api, namespace).get("orders"))
    operator.stop()
    run_pod(api, namespace, "covered", observer=f"{namespace}/orders", config_hash=injection_hash(one))
    run_pod(api, namespace, "older", observer=f"{namespace}/orders", config_hash="0" * 16)
    run_pod(api, namespace, "missed")
    run_pod(api, namespace, "left", observers_left_out=f"{namespace}/orders=HostNetwork")

    enabled()

    found = eventually(lambda: condition(api, namespace, "Covered"), lambda now: now["reason"] == "PodsMissed")
    pods = eventually(lambda: get(api, "kobs", "orders", namespace)["status"]["pods"], lambda now: now["selected"] == 4)
    assert (pods["observed"], pods["outdated"], pods["missed"]) == (2, 1, 1)
    assert pods["leftOut"] == [{"reason": "HostNetwork", "pods": 1, "example": f"{namespace}/left"}]
    line = f"kubectl rollout restart statefulset/orders --namespace {namespace}"
    assert pods["restart"] == [line]
    assert line in found["message"]


def test_a_refused_pod_stops_injection_until_the_resource_changes(enabled, api, namespace):
    operator = enabled()
    eventually(lambda: "refusalsSince" in get(api, "kobs", "orders", namespace).get("status", {}))
    refuse_a_pod(api, namespace, "refused")
    assert namespace in until_reason(api, "kobs", "orders", namespace, "AdmissionRefused")
    eventually(lambda: injections_of(api, namespace)["orders"].refused_in == (namespace,))

    # The event goes, the process ends: the status remembers.
    api.objects.delete("event", "refused", namespace=namespace)
    operator.stop()
    enabled()
    assert ready(api, "kobs", "orders", namespace)["reason"] == "AdmissionRefused"
    assert injections_of(api, namespace)["orders"].refused_in == (namespace,)

    apply(api, sidecar("orders", namespace, window="1m"))
    eventually(lambda: injections_of(api, namespace)["orders"].refused_in == ())


def test_suspending_changes_what_new_pods_start_with_and_no_hash(enabled, api, namespace):
    enabled()
    before = eventually(lambda: injections_of(api, namespace).get("orders"))
    apply(api, sidecar("orders", namespace, suspend=True))
    after = eventually(lambda: injections_of(api, namespace)["orders"], lambda one: one.settings.suspend)
    assert injection_hash(after) == injection_hash(before)


def test_the_collector_takes_reports_of_every_account_of_an_enabled_namespace(enabled, api, namespace):
    enabled()

    def senders() -> list[dict[str, Any]]:
        made = api.objects.find("configmap", "kwitness-collector-main", namespace)
        found = json.loads(made["data"]["config.json"])["ingest"]["senders"] if made else []
        return [one for one in found if one["source"] == "observer"]

    [sender] = eventually(senders)
    assert (sender["namespace"], sender["service_account"], sender["reported_by"]) == (namespace, "*", "pod")


@at_the_resync
def test_a_resync_of_sidecars_writes_nothing_and_repairs_what_others_changed(enabled, api, namespace):
    enabled()
    run_the_injector(api, namespace)
    until_reason(api, "kobs", "orders", namespace, "Injecting")

    eventually(lambda: writes_in_resyncs(api, namespace), lambda writes: writes == [])
    patch = {"data": {"injections.json": "nonsense"}}
    api.objects.patch("configmap", "kwitness-injections", namespace, patch)
    eventually(
        lambda: get(api, "configmap", "kwitness-injections", namespace)["data"]["injections.json"],
        lambda text: text != "nonsense",
    )
    assert list(injections_of(api, namespace)) == ["orders"]


def test_two_operators_agree(enabled, api, namespace):
    enabled()
    enabled(user="operator-b")
    run_the_injector(api, namespace)
    until_reason(api, "kobs", "orders", namespace, "Injecting")
    version = get(api, "configmap", "kwitness-injections", namespace)["metadata"]["resourceVersion"]
    apply(api, sidecar("orders", namespace, window="1m"))
    eventually(lambda: injections_of(api, namespace)["orders"].settings.window_ms == 60_000)
    assert get(api, "configmap", "kwitness-injections", namespace)["metadata"]["resourceVersion"] != version
