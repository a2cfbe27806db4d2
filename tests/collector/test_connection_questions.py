"""Checks questions about open connections: every filter, field and order, owners, over pages and replicas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from kwitness.collector.sharding import owner_of
from kwitness.contracts.envelopes import ConnectionItem, ConnectionPage
from kwitness.contracts.nouns import CONNECTIONS
from kwitness.contracts.software import UNANNOUNCED

from tests.collector.collector_process import GATEWAY_SOURCE, SIDECAR, CollectorProcess
from tests.collector.event_samples import EPOCH, connection, listed, of_sidecar, request
from tests.collector.noun_answers import ask, check_filter, pages, text_of

Start = Callable[..., CollectorProcess]
PATH = "/v1/connections"
OWNERS = [
    {"team": "strange", "match": {"namespace": "stranger", "clientId": "orders*"}},
    {"team": "shop", "contact": "#shop", "match": {"clientId": "orders*"}},
    {"team": "bob", "match": {"principal": "User:bob"}},
]


def observe(collector: CollectorProcess) -> None:
    """Have a gateway and a sidecar list what they have open."""
    collector.get(PATH)
    unnamed = connection(3, client_id="nameless", client_address="10.0.0.10")
    del unnamed["client_software_name"], unnamed["client_software_version"], unnamed["principal"]
    del unnamed["broker_id"]
    gateway = [
        connection(1, client_id="orders-1", principal="User:bob"),
        connection(2, client_id="billing", principal="User:bob", client_software_version="4.2.0", group_id="g"),
        unnamed,
        connection(4, client_id="orders-1", broker_id="2", opened_at_ms=EPOCH),
    ]
    collector.observe(request(open_connections=listed(*gateway)))
    collector.observe(request(open_connections=listed(connection(5)), **of_sidecar()), token=SIDECAR)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    process = CollectorProcess(tmp_path_factory.mktemp("open"))
    process.own(OWNERS)
    process.start()
    observe(process)
    yield process
    process.kill()


def compared(item: Mapping[str, Any], name: str) -> str | None:
    return item.get(name, UNANNOUNCED) if name.startswith("client_software_") else text_of(item, name)


@pytest.mark.parametrize("name", CONNECTIONS.filters)
def test_each_filter_finds_the_items_with_its_value_or_beginning_and_counts_them(
    known: CollectorProcess, name: str
) -> None:
    check_filter(known, CONNECTIONS, name, compared)


def test_owners_are_found_by_who_the_client_is_and_in_which_pod(known: CollectorProcess) -> None:
    owners = {item["connection_id"].partition("-")[2]: item.get("owner") for item in ask(known, CONNECTIONS)["items"]}

    shop, bob, strange = (
        {"team": "shop", "source": "ConfigMap", "contact": "#shop"},
        {"team": "bob", "source": "ConfigMap"},
        {"team": "strange", "source": "ConfigMap"},
    )
    assert owners == {"1": shop, "2": bob, "3": None, "4": shop, "5": strange}


@pytest.mark.parametrize("name", CONNECTIONS.fields)
def test_items_have_the_fields_that_are_requested_alone(known: CollectorProcess, name: str) -> None:
    whole = ask(known, CONNECTIONS)["items"]

    assert ask(known, CONNECTIONS, fields=name)["items"] == [
        {field: item[field] for field in item if field == name} for item in whole
    ]


def test_every_item_is_as_the_contract_describes_it(known: CollectorProcess) -> None:
    body = ask(known, CONNECTIONS)

    assert ConnectionPage.model_validate(body).matched == len(body["items"]) == 5
    for item in body["items"]:
        assert item.keys() <= set(CONNECTIONS.fields)
        assert ConnectionItem.model_validate(item).model_dump(mode="json", exclude_none=True) == item


@pytest.mark.parametrize("direction", ["", "-"])
@pytest.mark.parametrize("name", CONNECTIONS.orders)
@pytest.mark.parametrize("limit", [1, 2, 5])
def test_pages_follow_each_order_and_items_without_a_value_come_last(
    known: CollectorProcess, name: str, direction: str, limit: int
) -> None:
    items = ask(known, CONNECTIONS)["items"]
    valued = [item for item in items if text_of(item, name) is not None]
    valued.sort(key=lambda item: text_of(item, name) or "", reverse=direction == "-")
    without = [item for item in items if text_of(item, name) is None]

    assert pages(known, CONNECTIONS, limit, order=f"{direction}{name}") == [*valued, *without]


def test_any_replica_orders_and_counts_those_of_all(pair: list[CollectorProcess]) -> None:
    for replica in pair:
        replica.get(PATH)
    observe(pair[0])

    for replica in pair:
        found = pages(replica, CONNECTIONS, 2, order="-opened_at_ms")
        assert [item["connection_id"].partition("-")[2] for item in found] == ["5", "3", "2", "1", "4"]
        assert ask(replica, CONNECTIONS, client_id="orders*")["matched"] == 3
    owner = owner_of(GATEWAY_SOURCE, 2)
    pair[owner].kill()
    away = ask(pair[1 - owner], CONNECTIONS, order="-opened_at_ms")
    assert (away["missing"], away["matched"], away["items"]) == ([owner], 0, [])


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("since=", "BadParameter"),
        ("fields=password", "BadFields"),
        ("order=state", "BadOrder"),
        ("order=client_id&continue=x", "BadContinue"),
    ],
)
def test_a_bad_parameter_is_refused(known: CollectorProcess, query: str, reason: str) -> None:
    refused = known.get(f"{PATH}?{query}")

    assert (refused.status, refused.body["error"]["reason"]) == (400, reason)
