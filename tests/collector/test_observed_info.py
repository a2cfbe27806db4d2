"""Clients that observers know have a series with their owner, in the room that clients that push leave."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.inventory.client_info import NAME, ClientInfo
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.observed_info import ObservedInfo, without_pod
from kwitness.collector.inventory.recent_windows import RecentWindows
from kwitness.collector.inventory.window_tables import CLIENT_KEY, TRAFFIC_TABLE, client_of
from kwitness.collector.prometheus.budget import Key
from kwitness.contracts.collector_config import PrometheusConfig

from tests.collector.collector_process import CollectorProcess, parse
from tests.collector.collector_samples import CLUSTER, batch, gauge_push, push
from tests.collector.event_samples import request
from tests.collector.owner_samples import NO_OWNERS, owned
from tests.collector.test_client_info import heard
from tests.collector.window_samples import NOW, add, end_before_now, produced, requested, window
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
SHOP = owned(("shop", {"client_id": "orders*"}), contact="#shop")


def client(name: str, pod: str = "", principal: str = "User:a", software: tuple[str, str] = ("", "")) -> Key:
    place = ("shop", "app", pod) if pod else ("", "", "")
    return (CLUSTER, principal, name, *software, *place)


def lines(info: ClientInfo, clients: Clients) -> list[dict[str, str]]:
    text = b"".join(info.render(clients, openmetrics=False)).decode()
    return [dict(labels) for labels in parse(text).get(NAME, {})]


def test_an_observed_client_has_its_place_and_owner_unless_it_pushes_from_there() -> None:
    observed = [client("orders", "app-1"), client("orders"), client("other", "app-1")]
    clients, info = Clients(), ClientInfo(PrometheusConfig(max_client_info=10), lambda: SHOP, lambda: observed)
    heard(clients, "i", client_id="orders", principal="User:a")

    found = lines(info, clients)

    named = {"cluster_id": CLUSTER, "principal": "User:a"}
    place = {"k8s_namespace": "shop", "k8s_workload": "app", "k8s_pod": "app-1"}
    owner = {"owner": "shop", "contact": "#shop"}
    assert found == [
        {**named, "client_id": "orders", "client_instance_id": "i", **owner},
        {**named, "client_id": "orders", **place, **owner},
        {**named, "client_id": "other", **place},
    ]


def test_clients_that_push_come_first_and_others_are_counted_once() -> None:
    observed = [client(f"o{number}") for number in range(4)]
    clients, info = Clients(), ClientInfo(PrometheusConfig(max_client_info=3), lambda: NO_OWNERS, lambda: observed)

    def named() -> list[str]:
        return [line["client_id"] for line in lines(info, clients)]

    assert named() == named() == ["o0", "o1", "o2"]
    assert info.overflowed == 1
    heard(clients, "i", client_id="pushes")
    assert named() == ["pushes", "o0", "o1"]
    assert info.overflowed == 2
    del observed[0]
    assert named() == ["pushes", "o1", "o2"]


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from("abcdef"), unique=True),
            st.sets(st.sampled_from("abc")),
            st.integers(0, 4),
            st.sampled_from([SHOP, NO_OWNERS]),
        ),
        max_size=6,
    )
)
def test_who_has_a_line_keeps_it_while_there_is_room(
    steps: list[tuple[list[str], set[str], int, ClientOwners]],
) -> None:
    info, before = ObservedInfo(), list[str]()
    for observed, pushing, room, owners in steps:
        found = info.lines(
            [client(name) for name in observed], {without_pod(client(name)) for name in pushing}, room, owners
        )

        names = [line.partition('client_id="')[2][0] for line in found]
        shown = [name for name in observed if name not in pushing]
        kept = [name for name in before if name in shown][:room]
        assert names[: len(kept)] == kept
        assert sorted(names) == sorted({*names} & {*shown})
        assert len(names) == min(room, len(shown))
        before = names


def test_windows_count_the_clients_of_their_traffic_until_it_is_released() -> None:
    windows = RecentWindows()
    traffic = [produced("orders", client_id=name) for name in "ab"]
    apis = [requested(client_id=name) for name in "bc"]

    add(windows, window(1, NOW, traffic=traffic, apis=apis))
    known = [dict(zip(CLIENT_KEY, key, strict=True)) for key in windows.clients]
    assert {client["client_id"] for client in known} == {"a", "b", "c"}
    assert set(windows.clients) == {client_of(item.key) for item in windows.items(TRAFFIC_TABLE)}
    windows.expire(NOW + 10**9)
    assert not windows.clients


def test_a_collector_shows_clients_that_only_observers_know(start: Start) -> None:
    collector = start()
    collector.own([{"team": "shop", "contact": "#shop", "match": {"clientId": "orders*"}}])
    collector.push(batch([push(1, gauge_push("app.thing", 1.0), client="i1", client_id="pushes")]))
    apis = [requested(client_id="orders-1"), requested(client_id="pushes")]
    assert collector.observe(request(totals=[window(1, end_before_now(), apis=apis)])).status == 200

    found = eventually(
        lambda: {dict(key)["client_id"]: dict(key) for key in collector.scrape().get(NAME, {})},
        lambda known: known.get("orders-1", {}).get("owner") == "shop",
    )

    assert "client_instance_id" not in found["orders-1"]
    assert found["orders-1"]["contact"] == "#shop"
