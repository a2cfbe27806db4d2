"""Checks questions about clients: every filter, field and order, over pages, and bad ones refused with their remedy."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator

import pytest

from kwitness.collector.sharding import owner_of
from kwitness.contracts.envelopes import ClientItem, ClientPage
from kwitness.contracts.nouns import CLIENTS

from tests.collector.collector_process import GATEWAY, OTLP, PLUGIN, READER, REPLICA, CollectorProcess
from tests.collector.collector_samples import CLUSTER, batch, counter_push, java_push, labelled, librdkafka_push, push
from tests.collector.noun_answers import ask, check_filter, pages, text_of
from tests.collector.otlp_requests import post, request
from tests.collector.replica_pair import CLIENTS as INSTANCES

Start = Callable[..., CollectorProcess]
PATH = "/v1/clients"
PRINTABLE = [f"n{character}" for character in (*string.printable, "ü", "漢", "😀", "*")]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    """A collector that has heard of clients that differ in all that filters select by."""
    process = CollectorProcess(tmp_path_factory.mktemp("known"))
    process.own(
        [
            {"team": "shop", "contact": "#shop", "match": {"clientId": "orders*"}},
            {"team": "alice", "match": {"principal": "User:alice"}},
        ]
    )
    process.subscribe([{"id": "all", "metrics": ["org.apache.kafka."], "interval_ms": 60_000}])
    process.start()
    other = {"client_software_name": "librdkafka", "client_software_version": "2.10.1", "client_address": "10.1.0.9"}
    pushes = [
        push(1, labelled(java_push(), group_id="g"), client="a", client_id="orders-1"),
        push(2, java_push(), client="b", client_id="orders-2", principal="User:bob"),
        push(3, librdkafka_push(), client="c", client_id="billing", principal="User:bob", **other),
        push(4, b"\xff", client="d", client_id="alices"),
        push(5, java_push(), client="e", client_id=None, principal=None),
        push(6, java_push(), client="f", client_id="orders-1", terminating=True),
    ]
    process.push(batch(pushes))
    pod = {"k8s.namespace.name": "shop", "k8s.deployment.name": "checkout", "k8s.pod.name": "checkout-1"}
    assert post(process, request("app.orders", 1, CLUSTER, **pod).SerializeToString()).status == 200
    yield process
    process.kill()


@pytest.mark.parametrize("name", CLIENTS.filters)
def test_each_filter_finds_the_items_with_its_value_or_beginning_and_counts_them(
    known: CollectorProcess, name: str
) -> None:
    check_filter(known, CLIENTS, name)


def test_several_filters_must_all_fit(known: CollectorProcess) -> None:
    assert [item["key"] for item in pages(known, CLIENTS, 9, owner="shop", principal="User:b*")] == [f"{CLUSTER}/b"]


def test_a_client_that_two_entries_match_is_found_by_the_first_alone(known: CollectorProcess) -> None:
    shop, alice = (ask(known, CLIENTS, owner=team)["items"] for team in ("shop", "alice"))

    assert [item["client_instance_id"] for item in shop] == ["a", "b", "f"]
    assert [item["client_instance_id"] for item in alice] == ["d"]
    assert shop[0]["owner"] == {"team": "shop", "source": "ConfigMap", "contact": "#shop"}
    assert alice[0]["owner"] == {"team": "alice", "source": "ConfigMap"}


@pytest.mark.parametrize("name", CLIENTS.fields)
def test_items_have_the_fields_that_are_requested_alone(known: CollectorProcess, name: str) -> None:
    whole = ask(known, CLIENTS)["items"]

    assert ask(known, CLIENTS, fields=name)["items"] == [
        {field: item[field] for field in item if field == name} for item in whole
    ]


def test_every_item_is_as_the_contract_describes_it(known: CollectorProcess) -> None:
    body = ask(known, CLIENTS)

    page = ClientPage.model_validate(body)
    assert len(page.items) == page.matched == 7
    for item in body["items"]:
        assert item.keys() <= set(CLIENTS.fields)
        written = ClientItem.model_validate(item).model_dump(mode="json", exclude_none=True)
        assert written == item


@pytest.mark.parametrize("direction", ["", "-"])
@pytest.mark.parametrize("name", CLIENTS.orders)
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
def test_pages_follow_each_order_and_items_without_a_value_come_last(
    known: CollectorProcess, name: str, direction: str, limit: int
) -> None:
    items = ask(known, CLIENTS)["items"]  # by key, which decides between equal values
    valued = [item for item in items if text_of(item, name) is not None]
    valued.sort(key=lambda item: text_of(item, name) or "", reverse=direction == "-")
    without = [item for item in items if text_of(item, name) is None]

    assert pages(known, CLIENTS, limit, order=f"{direction}{name}") == [*valued, *without]


def test_names_have_every_character(start: Start) -> None:
    collector = start()
    collector.push(
        batch([push(seq, counter_push(2), client=name, client_id=name) for seq, name in enumerate(PRINTABLE)])
    )
    names = {*PRINTABLE}

    for name in sorted(names):
        found = [item["client_id"] for item in ask(collector, CLIENTS, client_id=name, limit="1000")["items"]]
        assert found == (sorted(names) if name == "n*" else [name])
        assert ask(collector, CLIENTS, client_instance_id=name)["matched"] == (len(names) if name == "n*" else 1)
    assert [item["client_id"] for item in pages(collector, CLIENTS, 7, order="client_id")] == sorted(names)
    assert [item["client_id"] for item in pages(collector, CLIENTS, 7, order="-client_id")] == sorted(
        names, reverse=True
    )
    assert [item["client_id"] for item in pages(collector, CLIENTS, 7)] == sorted(names)


def test_any_replica_filters_orders_and_counts_those_of_both(pair: list[CollectorProcess]) -> None:
    pushes = [
        push(seq, client=client, client_id=f"c{seq % 7}", principal=f"User:{client}" if seq % 5 else None)
        for seq, client in enumerate(INSTANCES)
    ]
    pair[0].push(batch(pushes))

    for replica in pair:
        by_principal = [item.get("principal") for item in pages(replica, CLIENTS, 7, order="-principal")]
        expected = sorted((str(sent["principal"]) for sent in pushes if sent["principal"]), reverse=True)
        assert by_principal == [*expected, *[None] * 8]
        assert ask(replica, CLIENTS, limit="1")["matched"] == len(INSTANCES)
        assert (
            ask(replica, CLIENTS, limit="1", client_id="c3")["matched"]
            == len(pages(replica, CLIENTS, 2, client_id="c3"))
            == 6
        )
    pair[1].kill()
    away = ask(pair[0], CLIENTS, limit="1", order="client_id")
    assert (away["missing"], away["matched"]) == ([1], sum(owner_of(client, 2) == 0 for client in INSTANCES))


def test_long_values_that_begin_alike_are_ordered_by_key(start: Start) -> None:
    collector = start()
    long = "漢" * 30_000
    pushes = [push(seq, client=f"i{seq}", client_id=f"{long}{9 - seq}") for seq in range(4)]
    collector.push(batch(pushes))

    found = pages(collector, CLIENTS, 1, order="client_id")

    assert [item["client_instance_id"] for item in found] == ["i0", "i1", "i2", "i3"]


def test_pages_go_on_behind_the_last_item_while_clients_come(start: Start) -> None:
    collector = start()
    collector.push(batch([push(seq, client=name) for seq, name in enumerate("bdf")]))
    first = ask(collector, CLIENTS, limit="2")
    collector.push(batch([push(10 + seq, client=name) for seq, name in enumerate("aceg")]))

    rest = pages(collector, CLIENTS, 2, order="")
    second = ask(collector, CLIENTS, limit="9", continue_=first["continue"])

    assert [item["client_instance_id"] for item in first["items"]] == ["b", "d"]
    assert [item["client_instance_id"] for item in second["items"]] == ["e", "f", "g"]
    assert [item["client_instance_id"] for item in rest] == [*"abcdefg"]


@pytest.mark.parametrize(
    ("query", "reason", "remedy"),
    [
        ("clientid=a", "BadParameter", "is none of client_id"),
        ("client_id=a&client_id=b", "BadParameter", "give each of them once"),
        ("fields=passwords", "BadFields", "is none of"),
        ("order=metrics", "BadOrder", "is none of"),
        ("limit=1001", "BadLimit", "from 1 to 1000"),
        ("order=client_id&continue=x", "BadContinue", "begin without it"),
        ('order=client_id&continue=["-client_id","a","k"]', "BadContinue", "begin without it"),
        ('order=client_id&continue=["client_id",5,"k"]', "BadContinue", "begin without it"),
        ("since=x", "BadSince", "begin with an empty since"),
        ("since=&order=client_id", "BadSince", "leave out order and continue"),
        ("since=&continue=x", "BadSince", "leave out order and continue"),
    ],
)
def test_a_bad_parameter_is_refused_with_reason_and_remedy(
    known: CollectorProcess, query: str, reason: str, remedy: str
) -> None:
    refused = known.get(f"{PATH}?{query}")

    assert (refused.status, refused.body["error"]["reason"]) == (400, reason)
    assert remedy in refused.body["error"]["message"]


@pytest.mark.parametrize(
    ("token", "status"), [(None, 401), ("unknown", 401), (PLUGIN, 403), (OTLP, 403), (GATEWAY, 403), (REPLICA, 403)]
)
@pytest.mark.parametrize("query", ["", "?since=", "?order=client_id"])
def test_a_token_without_rights_reads_nothing(
    known: CollectorProcess, token: str | None, status: int, query: str
) -> None:
    refused = known.get(f"{PATH}{query}", token=token)

    assert (refused.status, "items" in refused.body) == (status, False)


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip", "gzip"), ("identity", None), ("gzip;q=0", None), ("br, gzip", "gzip"), ("", None)],
)
def test_an_answer_is_compressed_where_the_caller_accepts_it(
    known: CollectorProcess, accepted: str, encoding: str | None
) -> None:
    answer = known.get(PATH, token=READER, headers={"Accept-Encoding": accepted})

    assert answer.headers.get("Content-Encoding") == encoding
    assert answer.body == ask(known, CLIENTS)
