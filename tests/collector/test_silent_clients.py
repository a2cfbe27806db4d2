"""Clients that stop without a last word: who they were, for an hour."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kwitness.collector.core import Applied
from kwitness.collector.events import Event
from kwitness.collector.inventory.client_info import SILENT, ClientInfo
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.silent import MAX_SILENT, REMEMBERED_MS
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.state.collector_state import CollectorState
from kwitness.contracts.collector_config import PrometheusConfig

from tests.collector.collector_process import parse
from tests.collector.collector_samples import CLUSTER
from tests.collector.owner_samples import owned

READ = Applied(0, (), {}, None)
SHOP = owned(("shop", {"client_id": "orders"}))
GONE_MS = 35_000
"""When a client that pushed at 0, each 10 s, is taken for gone."""


def pushed(
    clients: Clients, at_ms: int = 0, instance: str = "i", *, terminating: bool = False, **identity: str
) -> None:
    who = {"cluster_id": CLUSTER, "client_instance_id": instance, "broker_id": "1", **identity}
    event = Event("c/1", 1, 1, at_ms, who, b"", 10_000, terminating)
    clients.learn(event.client, who)
    clients.record(event, READ, at_ms)


def silent(clients: Clients) -> list[str]:
    return [record.identity["client_instance_id"] for _, record in clients.silent.items()]


def test_who_stops_pushing_is_silent_once_its_time_is_over_and_until_it_pushes_again() -> None:
    clients = Clients()
    pushed(clients)

    clients.expire(GONE_MS - 1, 3)
    before = silent(clients)
    clients.expire(GONE_MS, 3)
    after = silent(clients)
    pushed(clients, 60_000)

    assert (before, after, silent(clients)) == ([], ["i"], [])


def test_who_says_a_last_word_is_not_silent() -> None:
    clients = Clients()
    pushed(clients, terminating=True)

    clients.expire(10**7, 3)

    assert len(clients) == 0
    assert silent(clients) == []


def test_a_sender_of_plain_otlp_ends_without_a_word_as_a_rule() -> None:
    clients = Clients()
    event = Event("otlp", 1, 1, 0, {"cluster_id": CLUSTER, "client_id": "orders"}, b"")
    clients.record(event, READ, 0)

    clients.expire(10**7, 3)

    assert len(clients) == 0
    assert silent(clients) == []


def test_the_silent_are_named_for_an_hour_and_the_latest_of_many() -> None:
    clients = Clients()
    for number in range(MAX_SILENT + 5):
        pushed(clients, instance=f"i{number}")
    clients.expire(GONE_MS, 3)
    many = silent(clients)

    clients.expire(GONE_MS + REMEMBERED_MS - 1, 3)
    kept = len(clients.silent)
    clients.expire(GONE_MS + REMEMBERED_MS, 3)

    assert many == [f"i{number}" for number in range(5, MAX_SILENT + 5)]
    assert (kept, len(clients.silent)) == (MAX_SILENT, 0)


@pytest.mark.parametrize("addresses", [False, True])
def test_the_metric_has_the_clients_identity_and_owner_and_the_time_of_its_last_push(*, addresses: bool) -> None:
    clients, info = Clients(), ClientInfo(PrometheusConfig(client_addresses=addresses), lambda: SHOP)
    pushed(clients, 5_000, client_id="orders", principal="User:o", client_address="10.0.0.7")
    clients.expire(GONE_MS + 5_000, 3)

    text = b"".join(info.render(clients, openmetrics=False)).decode()

    assert {tuple(sorted(labels)): value for labels, value in parse(text)[SILENT].items()} == {
        (
            *([("client_address", "10.0.0.7")] if addresses else []),
            ("client_id", "orders"),
            ("client_instance_id", "i"),
            ("cluster_id", CLUSTER),
            ("owner", "shop"),
            ("principal", "User:o"),
        ): 5
    }


@pytest.mark.parametrize("most", [0, 1])
def test_no_more_are_named_than_clients_may_be(most: int) -> None:
    clients, info = Clients(), ClientInfo(PrometheusConfig(max_client_info=most), lambda: SHOP)
    pushed(clients, instance="one")
    pushed(clients, instance="two")
    clients.expire(GONE_MS, 3)

    text = b"".join(info.render(clients, openmetrics=False)).decode()

    assert len(parse(text).get(SILENT, {})) == most


def test_what_fell_silent_while_the_collector_was_away_is_not_known_to_be(tmp_path: Path) -> None:
    def begun() -> CollectorState:
        state = CollectorState(tmp_path, lambda: PythonCore(("client_id",), 100), 3)
        state.load()
        return state

    def now_ms() -> int:
        return int(time.time() * 1000)

    before = begun()
    pushed(before.clients, now_ms() - GONE_MS, "long ago")
    pushed(before.clients, now_ms(), "lately")
    before.save()
    after = begun()
    after.expire(now_ms() + 1_000)
    known = len(after.clients)
    after.expire(now_ms() + GONE_MS + 1_000)

    assert known == 1
    assert len(after.clients) == 0
    assert silent(after.clients) == ["lately"]
