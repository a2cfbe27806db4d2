"""Open connections one by one: asked for, listed by observers with their heartbeats, and forgotten when nobody asks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from kwitness.collector.inventory.connection_registry import WANTED_FOR_MS, ConnectionRegistry
from kwitness.collector.inventory.connection_report import ConnectionItems, ConnectionsHead, connections_part
from kwitness.collector.inventory.observers import SILENT_AFTER_MS, Observers
from kwitness.collector.inventory.parts import Part
from kwitness.collector.sharding import owner_of
from kwitness.contracts.envelopes import EventsHead
from kwitness.contracts.questions import Question

from tests.collector.collector_process import (
    GATEWAY_SOURCE,
    OPERATOR,
    PLUGIN,
    REPLICA,
    SIDECAR,
    SIDECAR_SOURCE,
    CollectorProcess,
)
from tests.collector.collector_samples import CLUSTER
from tests.collector.event_samples import connection, head, listed, of_sidecar, request
from tests.collector.owner_samples import NO_OWNERS
from tests.collector.replica_pair import port_pair

Start = Callable[..., CollectorProcess]
PATH = "/v1/connections"
GATEWAY_OBSERVER = {"observer": "shop/front", "observer_pod": GATEWAY_SOURCE}


def ids(page: Any) -> list[str]:
    return [item["connection_id"].partition("-")[2] for item in page["items"]]


def test_a_sidecars_connections_carry_what_its_token_says_and_nothing_else(shared: CollectorProcess) -> None:
    shared.get(PATH)
    forged = {"cluster_id": "elsewhere", "k8s_namespace": "kwitness", "k8s_pod": "operator", "application_id": "a"}

    shared.observe(request(open_connections=listed(connection(1, **forged)), **of_sidecar()), token=SIDECAR)

    items = shared.get(PATH).body["items"]
    [item] = [one for one in items if one["observer_pod"] == SIDECAR_SOURCE]
    origin = {key: item.get(key) for key in ("cluster_id", "k8s_namespace", "k8s_workload", "k8s_pod")}
    assert origin == {
        "cluster_id": CLUSTER,
        "k8s_namespace": "stranger",
        "k8s_workload": "app",
        "k8s_pod": SIDECAR_SOURCE.partition("/")[2],
    }
    assert "application_id" not in item


def test_connections_are_found_by_who_the_client_is_page_by_page(shared: CollectorProcess) -> None:
    shared.get(PATH)
    shared.observe(request(open_connections=listed(), **of_sidecar()), token=SIDECAR)
    unnamed = connection(1)
    del unnamed["client_software_name"], unnamed["client_software_version"]
    others = [connection(2, principal="User:bob"), connection(3, client_id="c & d"), connection(4)]
    shared.observe(request(open_connections=listed(unnamed, *others)))

    def found(query: str) -> list[str]:
        return ids(shared.get(f"{PATH}?{query}").body)

    assert found("principal=User:bob") == ["2"]
    assert found("client_id=c%20%26%20d") == ["3"]
    assert found("client_software_name=unknown&client_software_version=unknown") == ["1"]
    assert found("client_software_name=apache-kafka-java&client_id=orders") == ["2", "4"]
    assert found("client_software_version=4.3") == []
    seen, token = [], ""
    while token is not None:
        page = shared.get(f"{PATH}?limit=3", params={"continue": token}).body
        seen.append(ids(page))
        token = page.get("continue")
    assert seen == [["1", "2", "3"], ["4"]]


def test_a_list_with_values_longer_than_observers_keep_is_refused(shared: CollectorProcess) -> None:
    long = listed(connection(1, client_id="x" * 257))

    refused = shared.observe(request(open_connections=long))

    assert (refused.status, refused.body["error"]["reason"]) == (422, "MalformedHead")
    assert "at most 256" in refused.body["error"]["message"]


@pytest.mark.parametrize(
    ("query", "reason"), [("software=x", "BadParameter"), ("limit=0", "BadLimit"), ("limit=1001", "BadLimit")]
)
def test_a_parameter_that_is_none_is_refused_with_its_name(shared: CollectorProcess, query: str, reason: str) -> None:
    refused = shared.get(f"{PATH}?{query}")

    assert (refused.status, refused.body["error"]["reason"]) == (400, reason)


@pytest.mark.parametrize(
    ("token", "status"), [(None, 401), ("unknown", 401), (PLUGIN, 403), (SIDECAR, 403), (REPLICA, 403), (OPERATOR, 200)]
)
def test_who_may_read_the_inventory_may_read_connections(
    shared: CollectorProcess, token: str | None, status: int
) -> None:
    assert shared.get(PATH, token=token).status == status


def test_who_asks_any_replica_is_told_what_is_awaited_then_what_is_open_and_which_replicas_are_away(
    start: Start,
) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    pair = [start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)]
    owner = pair[owner_of(GATEWAY_SOURCE, 2)]
    other = pair[1 - pair.index(owner)]
    assert owner.observe(request()).body["wants_connections"] is False

    first = other.get(PATH).body

    assert (first["items"], first["missing"]) == ([], [])
    assert first["observers"] == [{**GATEWAY_OBSERVER, "answer": "awaited", "left_out": {}}]
    assert owner.observe(request()).body["wants_connections"] is True
    owner.observe(request(open_connections=listed(connection(2), connection(1), too_many=7)))
    page = other.get(f"{PATH}?client_id=orders").body
    [observer] = page["observers"]
    assert (observer["answer"], observer["left_out"]) == ("listed", {"too_many": 7})
    assert ids(page) == ids(owner.get(PATH).body) == ["1", "2"]
    assert ids(other.get(f"{PATH}?client_id=nobody").body) == []
    item = page["items"][0]
    assert item.pop("listed_at_ms") == observer["listed_at_ms"]
    assert item == {**connection(1), "cluster_id": CLUSTER, "observer_mode": "gateway", **GATEWAY_OBSERVER}

    owner.kill()
    page = other.get(PATH).body
    assert (page["items"], page["missing"]) == ([], [pair.index(owner)])


def heard(*heads: EventsHead, at: int = 0) -> Observers:
    observers = Observers()
    for one in heads:
        observers.record(one, at)
    return observers


def heads(sources: Iterable[str], *connections: dict[str, Any]) -> list[EventsHead]:
    return [EventsHead.model_validate(head(source=one, open_connections=listed(*connections))) for one in sources]


def part(registry: ConnectionRegistry, observers: Observers, now_ms: int = 0) -> Part[ConnectionsHead]:
    items = ConnectionItems(NO_OWNERS, Question())
    return asyncio.run(connections_part(registry, observers, items, Question(), now_ms))


def test_nothing_is_kept_that_nobody_asks_for() -> None:
    registry = ConnectionRegistry()
    [listing] = heads(["shop/a"], connection(1))
    observers = heard(listing)

    registry.record(listing, 0)
    assert part(registry, observers).rows == []

    registry.ask(1_000)
    registry.record(listing, 1_000)
    assert registry.is_wanted(1_000 + WANTED_FOR_MS)
    registry.expire(1_000 + WANTED_FOR_MS)
    assert len(part(registry, observers).rows) == 1
    assert not registry.is_wanted(1_001 + WANTED_FOR_MS)
    registry.expire(1_001 + WANTED_FOR_MS)
    assert part(registry, observers).rows == []


def test_the_list_of_an_observer_that_is_silent_is_forgotten_and_the_observer_named() -> None:
    registry = ConnectionRegistry()
    [listing] = heads(["shop/a"], connection(1))
    registry.ask(0)
    registry.record(listing, 0)
    later = SILENT_AFTER_MS + 1
    registry.ask(later)
    registry.expire(later)

    found = part(registry, heard(listing), later)

    assert found.rows == []
    assert [observer.answer for observer in found.head.observers] == ["silent"]


def test_what_all_observers_list_together_is_bounded_and_what_has_no_room_is_counted() -> None:
    registry = ConnectionRegistry(most=3)
    first, second = heads(["shop/a", "shop/b"], connection(1), connection(2))
    registry.ask(0)
    for _ in range(2):  # a new list takes the place of the one before
        registry.record(first, 0)
        registry.record(second, 0)

    found = part(registry, heard(first, second))

    assert len(found.rows) == 2
    assert [dict(observer.left_out) for observer in found.head.observers] == [{}, {"no_room": 2}]
