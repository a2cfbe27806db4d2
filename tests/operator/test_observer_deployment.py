"""A gateway from its resource to its children and its status, against a real API server and a real broker."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from kwitness.contracts.observer_settings import ObserverSettings, settings_hash
from kwitness.operator.model.cluster_description import BrokerDescription

from tests.eventually import eventually, eventually_beside
from tests.operator.conftest import at_the_resync
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import (
    apply,
    cluster,
    collector,
    gateway,
    get,
    ready,
    until_reason,
    writes_in_resyncs,
)

pytestmark = pytest.mark.broker
NAME = "kwitness-gateway-orders"
PAUSE = "kwitness.dev/pause"


@pytest.fixture
def existing(api, namespace, clean_broker, start_operator):
    """A gateway whose children are made, and whose pods nobody runs."""
    apply(
        api,
        cluster("main", namespace, clean_broker.bootstrap),
        collector("main", namespace),
        gateway("orders", namespace),
    )
    operator = start_operator()
    until_reason(api, "kobs", "orders", namespace, "Progressing")
    return operator


def settings_text(api, namespace: str, name: str = NAME) -> str:
    return str(get(api, "configmap", name, namespace)["data"]["observer.json"])


def settings(api, namespace: str, name: str = NAME) -> ObserverSettings:
    return ObserverSettings.model_validate_json(settings_text(api, namespace, name))


def run_its_pods(api, namespace: str) -> None:
    """Say that the pods run, as the controller would that is not here."""
    generation = get(api, "deployment", NAME, namespace)["metadata"]["generation"]
    status = {"replicas": 2, "readyReplicas": 2, "updatedReplicas": 2, "observedGeneration": generation}
    body = {"status": {**status, "availableReplicas": 2}}
    api.objects.patch("deployment", NAME, namespace, body, subresource="status")


def test_a_gateway_gets_its_children_and_is_ready_when_its_pods_are(existing, api, namespace, clean_broker):
    run_its_pods(api, namespace)
    until_reason(api, "kobs", "orders", namespace, "Available")

    status = get(api, "kobs", "orders", namespace)["status"]
    made = settings(api, namespace)
    ports = get(api, "service", NAME, namespace)["spec"]["ports"]
    assert status["bootstrapServers"] == f"{NAME}.{namespace}.svc:9092"
    assert status["readyReplicas"] == 2
    assert status["configHash"] == settings_hash(settings_text(api, namespace))
    assert made.cluster_id == clean_broker.cluster_id
    assert made.upstream.bootstrap_servers == (clean_broker.bootstrap,)
    assert made.listener.brokers == {"1": 9093}
    assert {port["name"]: port["port"] for port in ports} == {"bootstrap": 9092, "broker-1": 9093}
    for kind in ("serviceaccount", "poddisruptionbudget"):
        assert get(api, kind, NAME, namespace)["metadata"]["ownerReferences"][0]["kind"] == "ObserverDeployment"


def test_the_collector_believes_a_gateway_from_the_moment_that_it_is_there(existing, api, namespace):
    def senders() -> list[dict[str, Any]]:
        # The gateway does not wait for the collector's children.
        if (found := api.objects.find("configmap", "kwitness-collector-main", namespace)) is None:
            return []
        ingest = json.loads(found["data"]["config.json"])["ingest"]
        return [one for one in ingest["senders"] if one["source"] == "observer"]

    def pods() -> dict[str, Any]:
        return get(api, "statefulset", "kwitness-collector-main", namespace)["spec"]["template"]

    [sender] = eventually(senders)
    # The operator writes the ConfigMap before the StatefulSet.
    eventually(lambda: api.objects.find("statefulset", "kwitness-collector-main", namespace))
    with_gateway = pods()
    assert sender["service_account"] == NAME
    assert sender["reported_by"] == "gateway"
    api.objects.delete("kobs", "orders", namespace=namespace)
    eventually(senders, lambda found: found == [])
    assert pods() == with_gateway, "the collector reads again who may send, and is not replaced"


def test_the_pods_are_admitted_as_restricted(existing, api, namespace):
    pod = get(api, "deployment", NAME, namespace)["spec"]["template"]
    api.objects.label("namespace", namespace, None, {"pod-security.kubernetes.io/enforce": "restricted"})
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "tried", **pod["metadata"]}, "spec": pod["spec"]}

    answer = api.request("POST", f"/api/v1/namespaces/{namespace}/pods", params={"dryRun": "All"}, json=body)

    assert answer.status_code == 201, answer.json()["message"]


@at_the_resync
def test_a_resync_of_a_gateway_writes_nothing(existing, api, namespace):
    run_its_pods(api, namespace)
    until_reason(api, "kobs", "orders", namespace, "Available")

    eventually(lambda: writes_in_resyncs(api, namespace), lambda writes: writes == [])


@at_the_resync
def test_a_child_that_someone_changed_is_put_right(existing, api, namespace):
    api.objects.patch("deployment", NAME, namespace, {"spec": {"replicas": 7}}, subresource="scale")
    eventually(lambda: get(api, "deployment", NAME, namespace)["spec"]["replicas"] == 2)


@at_the_resync
def test_pods_and_service_have_what_the_gateway_sets_as_long_as_it_does(existing, api, namespace):
    internal = {"networking.gke.io/load-balancer-type": "Internal"}
    tolerations = [{"key": "dedicated", "value": "kafka"}, {"operator": "Exists", "effect": "NoExecute"}]
    block = {
        "service": {"annotations": internal},
        "pod": {"labels": {"team": "orders"}, "nodeSelector": {"disk": "ssd"}, "tolerations": tolerations},
        "resources": {"requests": {"cpu": 1}, "limits": {"cpu": "1.5", "memory": "1024Mi"}},
    }

    def annotations() -> dict[str, str]:
        return get(api, "service", NAME, namespace)["metadata"].get("annotations", {})

    apply(api, gateway("orders", namespace, gateway=block))
    eventually(lambda: internal.items() <= annotations().items())
    template = eventually(
        lambda: get(api, "deployment", NAME, namespace)["spec"]["template"],
        lambda found: found["metadata"]["labels"].get("team") == "orders",
    )
    assert template["spec"]["nodeSelector"] == {"disk": "ssd"}
    assert [toleration["operator"] for toleration in template["spec"]["tolerations"]] == ["Equal", "Exists"]
    assert template["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "1500m", "memory": "1Gi"}
    eventually(lambda: writes_in_resyncs(api, namespace), lambda writes: writes == [])

    apply(api, gateway("orders", namespace))
    eventually(lambda: internal.keys().isdisjoint(annotations()))
    template = eventually(
        lambda: get(api, "deployment", NAME, namespace)["spec"]["template"],
        lambda found: "team" not in found["metadata"]["labels"],
    )
    assert template["spec"].keys().isdisjoint({"nodeSelector", "tolerations"})


def test_settings_change_without_a_new_pod(existing, api, namespace):
    before = get(api, "deployment", NAME, namespace)["metadata"]["generation"]
    apply(api, gateway("orders", namespace, window="1m", identity=[{"key": "principal", "treatment": "Drop"}]))
    eventually(lambda: settings(api, namespace).window_ms == 60_000)
    assert settings(api, namespace).identity.drop == ("principal",)
    assert get(api, "deployment", NAME, namespace)["metadata"]["generation"] == before


def test_a_budget_that_is_not_wanted_any_more_goes(existing, api, namespace):
    apply(api, gateway("orders", namespace, gateway={"replicas": 1}))
    eventually(lambda: get(api, "deployment", NAME, namespace)["spec"]["replicas"] == 1)
    eventually(lambda: api.objects.find("poddisruptionbudget", NAME, namespace) is None)


def test_a_suspended_gateway_relays_and_reads_nothing(existing, api, namespace):
    apply(api, gateway("orders", namespace, suspend=True))
    until_reason(api, "kobs", "orders", namespace, "Suspended")
    assert settings(api, namespace).suspend
    assert get(api, "deployment", NAME, namespace)["spec"]["replicas"] == 2


def test_a_paused_gateway_is_left_as_it_is(existing, api, namespace):
    api.objects.annotate("kobs", "orders", namespace, {PAUSE: "true"})
    until_reason(api, "kobs", "orders", namespace, "Paused")
    apply(api, gateway("orders", namespace, window="1m"))
    eventually(lambda: get(api, "kobs", "orders", namespace)["status"]["observedGeneration"] == 2)
    assert settings(api, namespace).window_ms == 10_000


def test_of_two_gateways_of_one_listener_the_first_reads(existing, api, namespace):
    apply(api, gateway("urgent", namespace, priority=1))
    until_reason(api, "kobs", "urgent", namespace, "Progressing")
    message = until_reason(api, "kobs", "orders", namespace, "Conflict")
    assert f"{namespace}/urgent" in message
    # Its clients have no other way to the brokers.
    eventually(lambda: settings(api, namespace).suspend)
    assert not settings(api, namespace, "kwitness-gateway-urgent").suspend

    apply(api, gateway("third", namespace))
    until_reason(api, "kobs", "third", namespace, "Conflict")
    assert api.objects.find("deployment", "kwitness-gateway-third", namespace) is None

    api.objects.delete("kobs", "urgent", namespace=namespace)
    until_reason(api, "kobs", "orders", namespace, "Progressing")
    assert not settings(api, namespace).suspend


def test_a_gateway_waits_for_its_cluster_and_its_collector(api, namespace, clean_broker, start_operator):
    apply(api, gateway("orders", namespace))
    start_operator()
    until_reason(api, "kobs", "orders", namespace, "ClusterNotReady")
    apply(api, cluster("main", namespace, clean_broker.bootstrap))
    until_reason(api, "kobs", "orders", namespace, "CollectorNotReady")
    apply(api, collector("main", namespace))
    until_reason(api, "kobs", "orders", namespace, "Progressing")


def test_what_runs_stays_while_the_resource_is_wrong(existing, api, namespace):
    before = settings_text(api, namespace)
    apply(api, gateway("orders", namespace, listenerRef={"name": "NONE"}))
    message = until_reason(api, "kobs", "orders", namespace, "ListenerNotFound")
    assert "spec.listeners" in message
    assert settings_text(api, namespace) == before
    assert get(api, "kobs", "orders", namespace)["status"]["bootstrapServers"] == f"{NAME}.{namespace}.svc:9092"


def test_a_name_that_is_taken_is_told_and_left_alone(api, namespace, clean_broker, start_operator):
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": NAME, "namespace": namespace}}
    apply(api, {**service, "spec": {"ports": [{"port": 1}]}})
    apply(
        api,
        cluster("main", namespace, clean_broker.bootstrap),
        collector("main", namespace),
        gateway("orders", namespace),
    )
    start_operator()
    assert f"Service {NAME}" in until_reason(api, "kobs", "orders", namespace, "Conflict")
    assert [port["port"] for port in get(api, "service", NAME, namespace)["spec"]["ports"]] == [1]


async def test_a_broker_that_comes_and_goes_keeps_its_port(api, namespace, clean_broker, tmp_path):
    nodes = [1, 5]
    apply(
        api,
        cluster("main", namespace, clean_broker.bootstrap),
        collector("main", namespace),
        gateway("orders", namespace),
    )

    def more_brokers(context) -> None:
        look = context.kafka.observe

        async def observe(*arguments: Any, **more: Any) -> Any:
            seen = await look(*arguments, **more)
            one = seen.brokers[0]
            brokers = tuple(BrokerDescription(node, one.host, one.port, None, one.telemetry) for node in nodes)
            return dataclasses.replace(seen, brokers=brokers)

        context.kafka.observe = observe

    async def until_ports(expected: dict[str, int]) -> None:
        def ports() -> dict[str, int]:
            found = api.objects.find("configmap", NAME, namespace)
            text = found["data"]["observer.json"] if found else None
            return dict(ObserverSettings.model_validate_json(text).listener.brokers) if text else {}

        await eventually_beside(ports, lambda found: found == expected)

    async with operating(api, settings_of(namespace, tmp_path), more_brokers):
        await until_ports({"1": 9093, "5": 9094})
        nodes[:] = [1, 3]
        await until_ports({"1": 9093, "3": 9095, "5": 9094})
    # Another process remembers what this one knew.
    nodes[:] = [5, 7]
    async with operating(api, settings_of(namespace, tmp_path), more_brokers):
        await until_ports({"1": 9093, "3": 9095, "5": 9094, "7": 9096})


async def test_an_error_that_nobody_foresaw_is_in_the_status(api, namespace, clean_broker, tmp_path, monkeypatch):
    apply(api, cluster("main", namespace, clean_broker.bootstrap), gateway("orders", namespace))

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret words")

    monkeypatch.setattr("kwitness.operator.kinds.observer_deployment.decide.permitted_cluster", fail)
    async with operating(api, settings_of(namespace, tmp_path), lambda _context: None):
        found = await eventually_beside(
            lambda: ready(api, "kobs", "orders", namespace), lambda now: now["reason"] == "InternalError"
        )
    assert found["status"] == "Unknown"
    assert "ZeroDivisionError" in found["message"]
    assert "secret words" not in found["message"]
