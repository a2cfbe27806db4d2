"""Each connection is counted once: which ObserverDeployments read, and which give way to which."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.operator.kinds.observer_deployment.kind import OBSERVER_DEPLOYMENT
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.work import Unit

from tests.operator.golden_view import with_its_needs
from tests.operator.surroundings import cluster, collector, gateway

BROKERS = "kafka-0.kafka.kafka.svc:9092"
PLATFORM = "kwitness-gateway-orders.platform.svc:9092"
OTHERWISE = {"ClusterNotReady", "ListenerShared", "NamespaceNotLabelled", "Progressing", "Suspended"}


PLACES: dict[str, dict[str, Any]] = {
    "gateway": {},
    "sidecar": {},
    "broker": {"selector": {"matchLabels": {"app": "kafka"}}, "redirect": {}},
}


def observers(where: str, place: str = "gateway", **spec: Any) -> dict[str, Any]:
    namespace, name = where.split("/")
    body = gateway(name, namespace, clusterRef={"name": "main", "namespace": "platform"})
    body["metadata"] |= {"uid": where, "generation": 1}
    del body["spec"]["gateway"]
    body["spec"] |= {place: PLACES[place], **spec}
    return body


def at(listener: str) -> dict[str, Any]:
    return {"listenerRef": {"name": listener}}


LISTENER = {"node_id": 1, "name": "CLIENTS", "host": "kafka-0", "port": 9092, "advertised_port": 9092}


def gives_way(
    *resources: dict[str, Any], at_brokers: dict[str, Any] | None = LISTENER, **listeners: str
) -> dict[str, str]:
    """By <namespace>/<name>, the message of those that do."""
    named = [
        {"name": name, "bootstrapServers": [address], "security": "Plaintext"}
        for name, address in {"CLIENTS": BROKERS, "GATEWAY": PLATFORM, **listeners}.items()
    ]
    main = cluster("main", "platform", "kafka:9091", listeners=named, allowedNamespaces={"from": "All"})
    known = {"cluster_id": "cluster-id", "node_ids": [1], "trouble": None}
    case = {
        "settings": {"injector": {"enabled": True}},
        "kafka": known if at_brokers is None else {**known, "listeners": [at_brokers]},
        "objects": [main, collector("main", "platform"), *resources],
    }
    found = {}
    for body in resources:
        key = Key(body["metadata"]["namespace"], body["metadata"]["name"])
        unit = Unit(OBSERVER_DEPLOYMENT.kind, key)
        _, view = with_its_needs(OBSERVER_DEPLOYMENT, unit, case)
        ready = OBSERVER_DEPLOYMENT.decide(unit, view).outcomes[key].verdicts[0]
        assert ready.reason in {"Conflict", *OTHERWISE}, ready
        if ready.reason == "Conflict":
            found[str(key)] = ready.message
    return found


@pytest.mark.parametrize("priority", [-1000, 0, 1000])
@pytest.mark.parametrize("namespace", ["aaa", "team", "platform"])
@pytest.mark.parametrize("place", ["gateway", "sidecar"])
def test_side_by_side_those_of_different_namespaces_read(place: str, namespace: str, priority: int) -> None:
    both = (
        observers("platform/orders", **at("CLIENTS")),
        observers(f"{namespace}/mine", place, priority=priority, **at("CLIENTS")),
    )

    assert bool(gives_way(*both)) == (namespace == "platform")


@pytest.mark.parametrize(("priority", "second"), [(1, "team/a"), (0, "team/b"), (-1, "team/b")])
def test_side_by_side_in_one_namespace_the_first_by_priority_then_name_reads(priority: int, second: str) -> None:
    found = gives_way(observers("team/a", **at("CLIENTS")), observers("team/b", priority=priority, **at("CLIENTS")))

    assert set(found) == {second}
    assert "comes before this one" in found[second]


@pytest.mark.parametrize("priority", [-1000, 1000])
@pytest.mark.parametrize("namespace", ["team", "platform"])
@pytest.mark.parametrize("place", ["gateway", "sidecar"])
def test_in_front_of_a_gateway_none_reads(place: str, namespace: str, priority: int) -> None:
    front = observers(f"{namespace}/front", place, priority=priority, **at("GATEWAY"))

    found = gives_way(observers("platform/orders", **at("CLIENTS")), front)

    assert set(found) == {f"{namespace}/front"}
    assert "platform/orders is between this one and the brokers" in found[f"{namespace}/front"]


@pytest.mark.parametrize(
    "address", ["kwitness-gateway-orders.team:9092", "Kwitness-Gateway-Orders.team.svc.cluster.local:9092"]
)
def test_a_gateway_of_any_namespace_is_known_by_its_service(address: str) -> None:
    both = observers("team/orders", **at("CLIENTS")), observers("audit/front", **at("GATEWAY"))

    assert set(gives_way(*both, GATEWAY=address)) == {"audit/front"}


@pytest.mark.parametrize(
    ("behind", "front", "gave_way"),
    [
        ("platform/orders", "team/front", {"team/front"}),
        ("team/orders", "team/front", {"team/front"}),
        ("team/orders", "audit/front", set()),
        ("team/orders", "platform/front", set()),
    ],
)
def test_an_advertised_host_counts_in_the_cluster_s_namespace_and_in_its_own(
    behind: str, front: str, gave_way: set[str]
) -> None:
    addresses = {"service": {"type": "LoadBalancer"}, "advertisedHost": "kafka.example.org"}
    both = observers(behind, gateway=addresses, **at("CLIENTS")), observers(front, **at("GATEWAY"))

    assert set(gives_way(*both, GATEWAY="kafka.example.org:9092")) == gave_way


@pytest.mark.parametrize("priority", [-1000, 1000])
@pytest.mark.parametrize("place", ["gateway", "sidecar"])
@pytest.mark.parametrize(
    ("beside", "front", "is_counted"),
    [
        ("kafka/brokers", "team/front", True),
        ("platform/brokers", "team/front", True),
        ("team/brokers", "team/front", True),
        ("team/brokers", "audit/front", False),
        ("team/brokers", "platform/front", False),
    ],
)
def test_in_front_of_brokers_with_observers_of_their_own_none_reads(
    beside: str, front: str, is_counted: bool, place: str, priority: int
) -> None:
    found = gives_way(
        observers(beside, "broker", **at("CLIENTS")), observers(front, place, priority=priority, **at("CLIENTS"))
    )

    assert set(found) == ({front} if is_counted else set())


@pytest.mark.parametrize("at_brokers", [None, {**LISTENER, "shared_with": "brokers"}])
def test_observers_beside_brokers_make_others_give_way_unless_their_listener_is_refused(
    at_brokers: dict[str, Any] | None,
) -> None:
    both = observers("kafka/brokers", "broker", **at("CLIENTS")), observers("team/front", **at("CLIENTS"))

    assert set(gives_way(*both, at_brokers=at_brokers)) == ({"team/front"} if at_brokers is None else set())


def test_a_gateway_that_advertises_the_brokers_address_is_not_in_front_of_itself() -> None:
    addresses = {"service": {"type": "LoadBalancer"}, "advertisedHost": "kafka-0.kafka.kafka.svc"}
    both = [observers(f"platform/{name}", gateway=addresses, **at("CLIENTS")) for name in ("a", "b")]

    assert set(gives_way(*both)) == {"platform/b"}
    assert not gives_way(both[0], observers("team/mine", **at("CLIENTS")))


@pytest.mark.parametrize("state", [{"suspend": True}, {"observers": [{"type": "Connections"}]}])
def test_what_reads_nothing_makes_none_give_way(state: dict[str, Any]) -> None:
    assert not gives_way(observers("platform/orders", **state, **at("CLIENTS")), observers("team/a", **at("GATEWAY")))
    assert not gives_way(observers("team/a", **state, **at("CLIENTS")), observers("team/b", **at("CLIENTS")))


def test_what_reports_connections_alone_gives_way_to_none() -> None:
    front = observers("team/a", observers=[{"type": "Connections"}], **at("GATEWAY"))

    assert not gives_way(observers("platform/orders", **at("CLIENTS")), front)


def test_of_a_chain_of_three_the_last_reads() -> None:
    found = gives_way(
        observers("platform/orders", **at("CLIENTS")),
        observers("team/middle", **at("GATEWAY")),
        observers("audit/front", **at("OUTER")),
        OUTER="kwitness-gateway-middle.team.svc:9092",
    )

    assert set(found) == {"team/middle", "audit/front"}
