"""A collector gets the addresses of pods, on a real API server, where a listener of its KafkaCluster asks for that."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.endpoints import CLIENT_PODS_PATH
from kwitness.contracts.envelopes import MAX_CLIENT_PODS, ClusterState, PodPlace
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.e2e.api_server import ApiServer
from kwitness.operator.engine.reading import Reading
from kwitness.operator.environment.client_pods import FoundPods, client_pods
from kwitness.operator.model.errors import TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import Answer, Fact, PodAddresses, Referring

from tests.eventually import eventually_beside
from tests.operator.golden_view import SETTINGS
from tests.operator.in_process import operating, settings_of
from tests.operator.served_collector import ServedCollector
from tests.operator.surroundings import apply, cluster, collector, condition

SPEC = {"containers": [{"name": "app", "image": "app"}], "automountServiceAccountToken": False}
PODS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "orders-7c9f5d-x2x4z": ("10.1.0.1", {}, {}),
    "stock": ("10.1.0.2", {}, {}),
    "on-the-node": ("192.168.0.1", {"hostNetwork": True}, {}),
    "has-ended": ("10.1.0.3", {}, {"phase": "Succeeded"}),
    "is-pending": ("", {}, {"phase": "Pending"}),
}
"""Addresses, fields of specs and of statuses by name."""
MADE_BY = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "name": "orders-7c9f5d",
    "uid": "u-1",
    "controller": True,
}


def run_pods(api: ApiServer, namespace: str) -> None:
    """Make pods, and describe them as kubelets would that are not here."""
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": namespace}}
    apply(api, account)
    for name, (address, spec, status) in PODS.items():
        metadata: dict[str, Any] = {"name": name, "namespace": namespace}
        if name.startswith("orders"):
            metadata |= {"ownerReferences": [MADE_BY], "labels": {"pod-template-hash": "7c9f5d"}}
        apply(api, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**SPEC, **spec}})
        known = {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}], **status}
        if not address:
            known = status
        api.objects.patch("pod", name, namespace, {"status": known}, subresource="status")


def listener(bootstrap: str) -> dict[str, Any]:
    return {"name": "EXTERNAL", "bootstrapServers": [bootstrap], "security": "Plaintext", "clientPods": True}


def sent(collected: ServedCollector) -> Any:
    """Return the newest list that the collector was sent; None if there is none."""
    tables = [body for path, body in collected.directives if path == CLIENT_PODS_PATH]
    return tables[-1] if tables else None


@pytest.mark.broker
async def test_a_collector_gets_running_pods_with_addresses_of_their_own(
    served, api, namespace, clean_broker, tmp_path
):
    collected, answer_here = served
    run_pods(api, namespace)
    apply(api, cluster("main", namespace, clean_broker.bootstrap, listeners=[listener(clean_broker.bootstrap)]))

    async with operating(api, settings_of(namespace, tmp_path, collector={"client_pods": [namespace]}), answer_here):
        table = await eventually_beside(lambda: sent(collected))
        known = await eventually_beside(
            lambda: condition(api, "ktc", "main", namespace, "PodsKnown"), lambda found: found["reason"] == "PodsKnown"
        )

    assert table["listeners"] == ["EXTERNAL"]
    assert table["pods"] == [
        ["10.1.0.1", namespace, "orders-7c9f5d-x2x4z", "orders"],
        ["10.1.0.2", namespace, "stock", ""],
    ]
    assert "of 2 pods" in known["message"]


def decided(
    answers: dict[PodAddresses, Answer[Any]],
    *,
    listed_at_ms: int = 0,
    allowed: tuple[str, ...] = ("kwitness",),
    listeners: tuple[dict[str, Any], ...] = (listener("kafka:9092"),),
    operator: str = "kwitness",
) -> FoundPods:
    """Return the decision for the collector of a cluster, whose last report has a list of that time."""
    spec = {"bootstrapServers": ["kafka:9092"], "listeners": list(listeners)}
    known = parse_resource(KafkaCluster, {**cluster("main", "kwitness"), "spec": spec})
    body = collector("main", "kwitness")
    at = Key("kwitness", "main")
    facts: dict[Fact[Any], Answer[Any]] = {Referring("TelemetryCollector", at): Answer((body,), 1), **answers}
    settings = OperatorSettings.model_validate(
        {**SETTINGS, "namespace": operator, "collector": {"clientPods": allowed}}
    )
    view = Reading(facts.get, frozenset(facts), now_ms=1, settings=settings)
    state = ClusterState(cluster_id="c", clients_in_pods=7, pods_listed_at_ms=listed_at_ms)
    return client_pods(parse_resource(TelemetryCollector, body), known, state, view)


def test_without_a_listener_that_asks_for_it_no_pod_is_listed() -> None:
    assert decided({}, listeners=()) == FoundPods()


def test_a_list_is_sent_once() -> None:
    place = PodPlace("10.1.0.1", "kwitness", "orders-0", "orders")
    answers = {PodAddresses("kwitness"): Answer((place,), 1_000)}

    first, again = decided(answers), decided(answers, listed_at_ms=1_000)

    [action] = first.sends
    assert (action.pods.listed_at_ms, action.pods.pods) == (1_000, (place,))
    assert again.sends == ()
    assert [shown.reason for shown in again.conditions] == ["PodsKnown"]
    assert again.conditions[0].message.startswith("7 client instances")


def test_pods_that_may_not_be_listed_are_a_condition_with_the_value_to_set() -> None:
    refused = TransientError("KubernetesForbidden", "the operator may not list pods")

    found = decided({PodAddresses("kwitness"): Answer(None, 1_000, refused)})

    assert found.sends == ()
    [shown] = found.conditions
    assert (shown.status, shown.reason) == ("False", "PodsNotListed")
    assert "may not list pods; name their namespaces in the Helm value" in shown.message


def test_more_pods_than_a_list_may_have_are_a_condition() -> None:
    pods = (PodPlace("10.1.0.1", "kwitness", "orders-0", ""),) * (MAX_CLIENT_PODS + 1)

    found = decided({PodAddresses("kwitness"): Answer(pods, 1_000)})

    assert found.sends == ()
    assert [shown.reason for shown in found.conditions] == ["TooManyPods"]


def test_without_namespaces_in_the_values_a_condition_names_the_value() -> None:
    found = decided({}, allowed=())

    assert found.sends == ()
    assert [shown.reason for shown in found.conditions] == ["PodsNotListed"]
    assert "Helm value collector.clientPods" in found.conditions[0].message


@pytest.mark.parametrize(
    ("operator", "listed"),
    [("kwitness", [PodAddresses("kwitness"), PodAddresses("shop")]), ("elsewhere", [PodAddresses("kwitness")])],
)
def test_a_cluster_outside_the_operators_namespace_has_pods_of_its_own_alone(
    operator: str, listed: list[PodAddresses]
) -> None:
    places = {
        namespace: PodPlace(f"10.1.0.{len(namespace)}", namespace, "a-0", "a") for namespace in ("kwitness", "shop")
    }
    answers = {PodAddresses(namespace): Answer((place,), 1_000) for namespace, place in places.items()}

    [action] = decided(answers, allowed=("kwitness", "shop"), operator=operator).sends

    assert [PodAddresses(place.namespace) for place in action.pods.pods] == listed
