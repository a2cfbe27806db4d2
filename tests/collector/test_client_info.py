"""Who is behind a metric: one series for each client instance, bounded, with whose it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.core import Applied
from kwitness.collector.events import Event
from kwitness.collector.inventory.client_info import NAME, ClientInfo
from kwitness.collector.inventory.clients import Clients
from kwitness.contracts.collector_config import PrometheusConfig
from kwitness.contracts.owners import OwnerList

from tests.collector.collector_process import OTLP, CollectorProcess, parse
from tests.collector.collector_samples import CLUSTER, batch, gauge_push, java_push, labelled, push
from tests.collector.owner_samples import NO_OWNERS, owned
from tests.contracts.owner_values import KNOWN, OWNERS, TIMES, first_fit
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
READ = Applied(0, (), {}, None)


def heard(clients: Clients, instance: str | None, **identity: str) -> None:
    """Take in a push of an instance."""
    who = {"cluster_id": CLUSTER, **({"client_instance_id": instance} if instance else {}), **identity}
    event = Event("c/1", 1, 1, 1, who, b"")
    clients.learn(event.client, who)
    clients.record(event, READ, 1)


def lines(info: ClientInfo, clients: Clients) -> list[dict[str, str]]:
    text = b"".join(info.render(clients, openmetrics=False)).decode()
    return [dict(labels) for labels in parse(text).get(NAME, {})]


@given(OWNERS, st.lists(KNOWN, max_size=5), TIMES)
def test_an_owner_is_found_as_the_contract_defines(
    owners: OwnerList, clients: list[dict[str, str | None]], at_ms: int
) -> None:
    finder = ClientOwners(owners, CLUSTER, at_ms)
    keys = {"principal": "principal", "client_id": "client_id", "namespace": "k8s_namespace", "group": "group_id"}

    for values in clients:
        identity = {key: text for name, key in keys.items() if (text := values[name]) is not None}

        expected = first_fit(owners, {**values, "topic": None}, at_ms)
        assert finder.owner_of(identity) == expected
        assert finder.owner_of({**identity, "cluster_id": CLUSTER}) == expected
        assert finder.owner_of({**identity, "cluster_id": "another"}) is None
        topic = {name: text if name == "topic" else None for name, text in values.items()}
        assert finder.owner_of({} if topic["topic"] is None else {"topic": topic["topic"]}) == first_fit(
            owners, topic, at_ms
        )


@given(OWNERS, KNOWN, st.lists(TIMES, max_size=4).map(sorted))
def test_owners_that_go_on_in_time_are_those_of_that_time(
    owners: OwnerList, values: dict[str, str | None], times: list[int]
) -> None:
    known = ClientOwners(owners, CLUSTER, 0)
    identity = {"client_id": values["client_id"]} if values["client_id"] is not None else {}

    for at_ms in times:
        later, new = known.at(at_ms), ClientOwners(owners, CLUSTER, at_ms)
        assert later.owner_of(identity) == new.owner_of(identity)
        assert later.equals(new)
        assert (later is known) == known.equals(new)
        known = later


def test_each_instance_has_one_series_for_as_long_as_it_is_known_and_at_most_so_many() -> None:
    clients, info = Clients(), ClientInfo(PrometheusConfig(max_client_info=2), lambda: NO_OWNERS)
    for number in range(4):
        heard(clients, f"i{number}", client_id="orders")
    first = lines(info, clients)

    heard(clients, "i0", client_id="orders")  # the newest now, as it was the oldest
    again = lines(info, clients)
    clients.forget([f"{CLUSTER}/i0"])
    later = lines(info, clients)

    assert [one["client_instance_id"] for one in first] == ["i0", "i1"]
    assert sorted(one["client_instance_id"] for one in again) == ["i0", "i1"]
    assert len(later) == 2
    assert {one["client_instance_id"] for one in later} < {"i1", "i2", "i3"}
    assert info.overflowed == 2


def test_a_series_follows_who_its_client_is_and_whose_it_is() -> None:
    owners = NO_OWNERS
    clients, info = Clients(), ClientInfo(PrometheusConfig(max_client_info=10), lambda: owners)
    heard(clients, "i", client_id="orders", principal="User:a")
    bare = lines(info, clients)

    heard(clients, "i", client_id="orders", principal="User:b", group_id="g")
    owners = owned(("shop", {"principal": "User:b", "client_id": "ord*"}))
    known = lines(info, clients)
    owners = owned(("store", {"client_id": "orders"}))
    moved = lines(info, clients)

    base = {"cluster_id": CLUSTER, "client_instance_id": "i", "client_id": "orders"}
    assert bare == [{**base, "principal": "User:a"}]
    assert known == [{**base, "principal": "User:b", "group_id": "g", "owner": "shop"}]
    assert moved == [{**base, "principal": "User:b", "group_id": "g", "owner": "store"}]


def test_addresses_are_labels_on_request_alone_and_known_series_follow() -> None:
    clients, info = Clients(), ClientInfo(PrometheusConfig(), lambda: NO_OWNERS)
    heard(clients, "i", principal="User:a", client_address="10.0.0.7")

    default = lines(info, clients)
    info.configure(PrometheusConfig(client_addresses=True))
    requested = lines(info, clients)
    info.configure(PrometheusConfig())

    base = {"cluster_id": CLUSTER, "client_instance_id": "i", "principal": "User:a"}
    assert default == lines(info, clients) == [base]
    assert requested == [{**base, "client_address": "10.0.0.7"}]


def test_a_running_collector_follows_the_request_for_addresses(start: Start) -> None:
    collector = start()
    collector.push(batch([push(1, java_push())]))

    def addresses() -> set[str | None]:
        return {dict(key).get("client_address") for key in collector.scrape()[NAME]}

    assert addresses() == {None}
    collector.write_config(prometheus={"client_addresses": True})
    eventually(addresses, lambda found: found == {"10.0.0.7"})


def test_clients_without_an_instance_id_do_not_become_one_series() -> None:
    clients, info = Clients(), ClientInfo(PrometheusConfig(max_client_info=10), lambda: NO_OWNERS)
    heard(clients, None, client_id="a", transactional_id="x")
    heard(clients, None, client_id="a", transactional_id="y")

    found = lines(info, clients)

    assert len({one["client_instance_id"] for one in found}) == 2
    assert all(one["client_instance_id"].startswith("derived-") for one in found)


@pytest.mark.parametrize(
    ("hostile", "kept"),
    [('"} 2\nkwitness_client_info{x="', False), ("x" * 30_000, False), ("\x00\u2028", False), ("\\", True)],
)
def test_whatever_a_client_calls_itself_the_exposition_stays_readable(hostile: str, kept: bool) -> None:
    clients, info = Clients(), ClientInfo(PrometheusConfig(max_client_info=10), lambda: NO_OWNERS)
    heard(clients, "i", client_id=hostile, group_id=hostile)

    [found] = lines(info, clients)

    assert len(found["client_id"]) <= 128
    assert (found["client_id"] == hostile) is kept


def test_thousands_of_lines_come_in_pieces() -> None:
    clients, info = Clients(), ClientInfo(PrometheusConfig(max_client_info=10_000), lambda: NO_OWNERS)
    for number in range(5_000):
        heard(clients, f"i{number}", client_id="orders")

    pieces = list(info.render(clients, openmetrics=True))

    assert len(pieces) == 3
    assert len(parse(b"".join(pieces).decode())[NAME]) == 5_000


def test_zero_turns_it_off_and_counts_nothing() -> None:
    clients, info = Clients(), ClientInfo(PrometheusConfig(max_client_info=0), lambda: NO_OWNERS)
    heard(clients, "i")

    assert list(info.render(clients, openmetrics=False)) == []
    assert info.overflowed == 0


def test_the_collector_says_who_is_behind_a_metric_and_what_found_no_room(start: Start) -> None:
    collector = start(config={"prometheus": {"max_client_info": 2}})
    collector.own([{"team": "shop", "contact": "#shop", "match": {"clientId": "orders*"}}])
    collector.push(batch([push(1, labelled(java_push(), group_id="g"), client="i1")]))
    data = labelled(gauge_push("app.thing", 1.0), **{"service.name": "checkout", "k8s.pod.name": "checkout-0"})
    headers = {"Content-Type": "application/x-protobuf"}
    collector.post("/v1/metrics", data, token=OTLP, headers=headers, port=collector.otlp_http_port)
    collector.push(batch([push(2, java_push(), client="i2")]))

    found = eventually(lambda: {dict(key)["client_id"]: dict(key) for key in collector.scrape()[NAME]}, len)

    assert found["orders"] == {
        "cluster_id": CLUSTER,
        "client_id": "orders",
        "client_instance_id": "i1",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "principal": "User:alice",
        "group_id": "g",
        "owner": "shop",
        "contact": "#shop",
    }
    assert found["checkout"]["k8s_pod"] == "checkout-0"
    assert collector.value("kwitness_series_overflow_total", reason="client_info") == 1
    [item] = collector.get("/v1/clients?client_instance_id=i1").body["items"]
    assert item["owner"] == {"team": "shop", "source": "ConfigMap", "contact": "#shop"}


def test_owners_that_cannot_be_read_leave_what_was_known(start: Start) -> None:
    collector = start()
    collector.own([{"team": "shop", "match": {"clientId": "orders"}}])
    collector.push(batch([push(1, java_push())]))

    def teams() -> set[str | None]:
        return {dict(key).get("owner") for key in collector.scrape()[NAME]}

    eventually(teams, lambda found: found == {"shop"})

    (collector.folder / "owners.json").write_text('{"owners": [{"team": 7}]}')

    # They are read with a scrape.
    assert eventually(lambda: teams() == {"shop"} and "owners.json: " in collector.log.read_text())
    collector.own([])
    assert eventually(teams, lambda found: found == {None}) == {None}
