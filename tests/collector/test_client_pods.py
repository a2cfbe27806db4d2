"""Clients are attributed to pods once two lists in a row prove it, and to no other pod after that."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from kwitness.collector.core import Applied
from kwitness.collector.events import Event
from kwitness.collector.inventory.client_pods import PodsOfClients
from kwitness.collector.inventory.clients import Clients
from kwitness.contracts.endpoints import CLIENT_PODS_PATH
from kwitness.contracts.envelopes import MAX_CLIENT_PODS, ClientPods, PodPlace

from tests.collector.collector_process import PLUGIN, READER, REPLICA, CollectorProcess
from tests.collector.collector_samples import CLUSTER, batch, push
from tests.collector.otlp_requests import post, request
from tests.collector.replica_pair import port_pair
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
SECOND = 1_000
BEGIN_MS = 1_790_000_000_000
ADDRESS = "10.1.2.3"
KEY = f"{CLUSTER}/one"
ORDERS = PodPlace(ADDRESS, "shop", "orders-7c9f-x2", "orders")
STOCK = PodPlace(ADDRESS, "shop", "stock-0", "stock")
PLACE = {"k8s_namespace": "shop", "k8s_pod": "orders-7c9f-x2", "k8s_workload": "orders"}
PROVEN = {**PLACE, "k8s_namespace_proven": True}


class Seen:
    """Clients, and lists of pods as they come; times are in seconds since `BEGIN_MS`."""

    def __init__(self) -> None:
        self.clients = Clients()
        self.pods = PodsOfClients()
        self._numbers = iter(range(1, 1_000))

    def push(self, at_s: float, **identity: str) -> None:
        known = {
            "cluster_id": CLUSTER,
            "client_instance_id": "one",
            "listener": "EXTERNAL",
            "client_address": ADDRESS,
            **identity,
        }
        at_ms = BEGIN_MS + round(at_s * SECOND)
        event = Event(f"{CLUSTER}/1", 1, next(self._numbers), at_ms, known, b"")
        self.clients.record(event, Applied(0, (), {}, None), at_ms)

    async def listed(self, at_s: int, *places: PodPlace, listeners: tuple[str, ...] = ("EXTERNAL",)) -> None:
        self.pods.follow(ClientPods(listed_at_ms=BEGIN_MS + at_s * SECOND, listeners=listeners, pods=places))
        await self.pods.bind(self.clients)

    @property
    def place(self) -> dict[str, str]:
        return dict(self.pods.place_of(KEY))


async def test_a_push_between_two_lists_that_have_its_address_proves_the_pod() -> None:
    seen = Seen()
    await seen.listed(100, ORDERS)
    seen.push(110)
    assert seen.place == {}, "the pod may have ended since the list"

    await seen.listed(120, ORDERS)

    assert seen.place == PLACE


async def test_a_pod_that_has_started_since_the_last_list_is_proven_if_its_address_was_free() -> None:
    seen = Seen()
    await seen.listed(100)
    seen.push(110)
    await seen.listed(120, ORDERS)

    assert seen.place == PLACE


@pytest.mark.parametrize("interval_s", [0.5, 1, 5, 7])
async def test_a_client_that_pushes_in_step_with_the_lists_is_proven_too(interval_s: float) -> None:
    seen = Seen()
    for begin in (100, 120):
        for number in range(round(20 / interval_s)):
            seen.push(begin + number * interval_s - 0.2)
        seen.push(begin + 19.8)
        await seen.listed(begin + 20, ORDERS)

    assert seen.place == PLACE


async def test_an_address_that_changes_hands_proves_nothing_until_the_client_pushes_again() -> None:
    seen = Seen()
    await seen.listed(100, STOCK)
    seen.push(110)
    await seen.listed(120, ORDERS)
    assert seen.place == {}

    seen.push(130)
    await seen.listed(140, ORDERS)

    assert seen.place == PLACE


async def test_an_instance_keeps_its_pod_when_the_address_goes_to_another_one() -> None:
    seen = Seen()
    await seen.listed(100, ORDERS)
    seen.push(110)
    await seen.listed(120, ORDERS)
    await seen.listed(140, STOCK)
    seen.push(150)
    await seen.listed(160, STOCK)

    assert seen.place == PLACE


@pytest.mark.parametrize(
    ("identity", "lists"),
    [
        ({"client_address": "192.168.0.1"}, [(100, [ORDERS]), (120, [ORDERS])]),
        ({"listener": "INTERNAL"}, [(100, [ORDERS]), (120, [ORDERS])]),
        ({}, [(100, [ORDERS, STOCK]), (120, [ORDERS, STOCK])]),
        ({}, [(100, [ORDERS]), (281, [ORDERS])]),
        ({}, [(109, [ORDERS]), (120, [ORDERS])]),
        ({}, [(100, [ORDERS]), (111, [ORDERS])]),
        ({}, [(100, [ORDERS]), (90, [ORDERS])]),
        ({}, [(120, [ORDERS])]),
        ({}, [(100, [ORDERS]), (120, [])]),
    ],
    ids=[
        "address of no pod",
        "listener without pods",
        "address of two pods",
        "lists too far apart",
        "too near to the earlier list",
        "too near to the later list",
        "older list",
        "one list",
        "pod has ended",
    ],
)
async def test_without_a_proof_no_pod_is_named(
    identity: dict[str, str], lists: list[tuple[int, list[PodPlace]]]
) -> None:
    seen = Seen()
    seen.push(110, **identity)
    for at_s, places in lists:
        await seen.listed(at_s, *places)

    assert seen.place == {}


async def test_clients_that_are_gone_and_listeners_that_are_closed_are_forgotten() -> None:
    seen = Seen()
    await seen.listed(100, ORDERS)
    seen.push(110)
    await seen.listed(120, ORDERS)
    assert len(seen.pods) == 1

    await seen.listed(140, ORDERS, listeners=("INTERNAL",))
    assert len(seen.pods) == 0

    seen.push(150)
    await seen.listed(160, ORDERS)
    seen.clients.forget([KEY])
    await seen.listed(180, ORDERS)
    assert len(seen.pods) == 0


def table(at_ms: int, *places: PodPlace) -> dict[str, Any]:
    return {"listed_at_ms": at_ms, "listeners": ["EXTERNAL"], "pods": [list(place) for place in places]}


def pushed(collector: CollectorProcess, seq: int, at_ms: int) -> None:
    identity = {"listener": "EXTERNAL", "client_address": ADDRESS, "client_id": "orders"}
    assert collector.push(batch([push(seq, received_at_ms=at_ms, **identity)])).status == 200


def clients_of(collector: CollectorProcess, client_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = collector.get(f"/v1/clients?client_id={client_id}", token=READER).body["items"]
    return found


def places_of(clients: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [{name: text for name, text in client.items() if name.startswith("k8s_")} for client in clients]


def test_a_running_collector_names_the_pod_with_the_next_push_and_reports_its_list(start: Start) -> None:
    collector = start()
    now = round(time.time() * SECOND)
    assert collector.direct(CLIENT_PODS_PATH, table(now - 40_000, ORDERS)).status == 200
    pushed(collector, 1, now - 20_000)
    assert collector.direct(CLIENT_PODS_PATH, table(now, ORDERS)).status == 200
    state = eventually(
        lambda: collector.get(f"/v1/clusters/{CLUSTER}", token=READER).body, lambda body: body.get("clients_in_pods")
    )
    assert state["pods_listed_at_ms"] == now

    pushed(collector, 2, now)

    assert places_of(clients_of(collector, "orders")) == [PROVEN]


def test_a_sender_that_claims_an_address_is_in_no_pod_by_it(start: Start) -> None:
    collector = start()
    now = round(time.time() * SECOND)
    claimed = {"client_address": ADDRESS, "listener": "EXTERNAL", "client_id": "claims"}
    body = request("app.metric", 1, CLUSTER, **claimed).SerializeToString()
    collector.direct(CLIENT_PODS_PATH, table(now - 10_000, ORDERS))
    assert post(collector, body).status == 200
    pushed(collector, 1, now)
    collector.direct(CLIENT_PODS_PATH, table(now + 20_000, ORDERS))
    eventually(
        lambda: collector.get(f"/v1/clusters/{CLUSTER}", token=READER).body, lambda known: known["clients_in_pods"] == 1
    )

    assert post(collector, body).status == 200
    pushed(collector, 2, now)

    [sender] = clients_of(collector, "claims")
    assert places_of([sender]) == [{}]
    assert places_of(clients_of(collector, "orders")) == [PROVEN]


def test_a_reader_of_the_namespace_sees_the_client_once_its_pod_is_proven_and_after_a_restart(start: Start) -> None:
    collector = start()
    collector.tokens.write_text(f"{collector.tokens.read_text()}team reader {CLUSTER} namespace=shop\n")

    def seen() -> int:
        answer = eventually(lambda: collector.get("/v1/clients", token="team"), lambda found: found.status == 200)
        return len(answer.body["items"])

    now = round(time.time() * SECOND)
    collector.direct(CLIENT_PODS_PATH, table(now - 40_000, ORDERS))
    pushed(collector, 1, now - 20_000)
    before = seen()
    collector.direct(CLIENT_PODS_PATH, table(now, ORDERS))
    eventually(
        lambda: collector.get(f"/v1/clusters/{CLUSTER}", token=READER).body, lambda body: body.get("clients_in_pods")
    )
    pushed(collector, 2, now)
    proven = seen()
    collector.stop()
    collector.start()
    restarted = seen()
    pushed(collector, 3, now + 1)

    assert (before, proven, restarted, seen()) == (0, 1, 1, 1)


def test_all_replicas_follow_the_list(start: Start) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    first, second = (
        start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)
    )
    assert first.direct(CLIENT_PODS_PATH, table(1_000, ORDERS)).status == 200

    for collector in (first, second):
        state = collector.get(f"/v1/clusters/{CLUSTER}", token=READER).body
        assert state["pods_listed_at_ms"] == 1_000


@pytest.mark.parametrize("token", [None, READER, PLUGIN, REPLICA])
def test_none_but_the_operator_hands_over_pods(start: Start, token: str | None) -> None:
    assert start().direct(CLIENT_PODS_PATH, table(1, ORDERS), token=token).status in {401, 403}


def test_a_list_beyond_the_bound_is_refused_with_the_field(start: Start) -> None:
    places = [PodPlace("", "", "", "")] * (MAX_CLIENT_PODS + 1)

    refused = start().direct(CLIENT_PODS_PATH, table(1, *places))

    assert (refused.status, refused.body["error"]["reason"]) == (400, "MalformedBody")
    assert "pods" in refused.body["error"]["message"]
