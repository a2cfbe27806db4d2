"""Checks the bounds of the memory of clients: their number, their identities, and sets of metric names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kwitness.collector.events import Event
from kwitness.collector.inventory import clients as clients_module
from kwitness.collector.inventory.clients import MAX_METRIC_SETS, Clients

from tests.collector.inventory_samples import NOTHING, applied, event


def admitted(clients: Clients, one: Event, now_ms: int = 0) -> bool:
    """Whether there was room; its push is noted then, as the state does."""
    there_is = clients.admits(one)
    if there_is:
        clients.learn(one.client, one.identity)
        clients.record(one, NOTHING, now_ms)
    return there_is


def of(holder: str, one: Event) -> Event:
    return replace(one, identity={**one.identity, "principal": holder})


def test_a_million_clients_do_not_fit_and_those_that_live_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 100)
    clients = Clients()

    found_room = [admitted(clients, of(f"User:{number}", event(f"client-{number}")), number) for number in range(1_000)]

    assert found_room == [True] * 100 + [False] * 900
    assert [key for key, _ in clients.items()] == [f"c/client-{number}" for number in range(100)]
    assert clients.left_out == {"clients": 900}
    assert admitted(clients, of("User:0", event("client-0")))


def test_a_newcomer_that_comes_again_and_again_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 1)
    clients = Clients()
    admitted(clients, event("first"))

    for _ in range(5):
        assert not admitted(clients, event("second"))

    assert clients.left_out == {"clients": 1}


def test_who_rotates_ids_takes_half_of_the_room_and_others_have_their_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 100)
    clients = Clients()
    for number in range(5):
        admitted(clients, of("User:honest", event(f"early-{number}")))

    taken = sum(admitted(clients, of("User:greedy", event(f"made-up-{number}"))) for number in range(1_000))
    late = sum(admitted(clients, of("User:late", event(f"late-{number}"))) for number in range(50))

    assert (taken, late) == (45, 10)
    assert all(clients.get(f"c/early-{number}") is not None for number in range(5))


def test_what_leaves_gives_its_place_back_to_whose_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 100)
    clients = Clients()
    for number in range(50):
        admitted(clients, of("User:greedy", event(f"a-{number}")))
    for number in range(10):
        admitted(clients, of("User:late", event(f"b-{number}")))
    assert not admitted(clients, of("User:late", event("c")))

    clients.forget(["c/b-0"])

    assert admitted(clients, of("User:late", event("c")))
    assert not admitted(clients, of("User:late", event("d")))


def test_after_a_restart_clients_count_for_nobody_until_they_push(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 100)
    before, after = Clients(), Clients()
    for number in range(50):
        admitted(before, of("User:greedy", event(f"a-{number}")))
    after.load(before.dump())

    assert admitted(after, of("User:greedy", event("b-0")))  # nobody knows yet that these are the same one's
    for number in range(50):
        assert admitted(after, of("User:greedy", event(f"a-{number}")))

    assert not admitted(after, of("User:greedy", event("b-1")))
    assert admitted(after, of("User:late", event("c")))


def test_clients_with_endless_names_are_bounded_by_their_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_IDENTITY_CHARACTERS", 100_000)
    clients = Clients()
    for number in range(100):
        named = of("User:greedy", event(f"client-{number}"))
        admitted(clients, replace(named, identity={**named.identity, "client_id": "x" * 10_000}), number)
    assert len(clients) == 4  # of which each but the first is beyond its share, and what is open is half

    assert admitted(clients, of("User:late", event("late")))
    kept = clients.get("c/late")
    assert kept is not None
    clients.learn("c/late", {"client_id": "x" * 70_000})
    assert "client_id" not in kept.identity
    assert clients.left_out == {"clients": 96, "identities": 1}

    clients.forget([key for key, _ in clients.items()])
    assert all(admitted(clients, event(f"client-{number}")) for number in range(100))


def test_made_up_metric_names_are_forgotten_with_their_clients_and_never_fill_the_memory_for_good() -> None:
    clients = Clients()
    for number in range(MAX_METRIC_SETS + 100):
        clients.record(of(f"User:{number}", event(f"hostile-{number}")), applied(f"made.up.{number}"), 0)
    clients.record(event("late"), applied("sound"), 0)
    assert len({record.metrics for record in clients.records()}) == MAX_METRIC_SETS + 1  # and the empty one

    clients.expire(10**9, 3)
    clients.record(event("later"), applied("sound"), 10**9)

    assert [record.metrics for record in clients.records()] == [{"sound"}]


def test_a_set_of_names_as_long_as_a_book_is_not_kept() -> None:
    clients = Clients()

    clients.record(event("a"), applied(*(f"{number:0200}" for number in range(1_000))), 0)

    assert [record.metrics for record in clients.records()] == [frozenset()]


def test_clients_with_the_same_metrics_share_the_set() -> None:
    clients = Clients()
    clients.record(event("a"), NOTHING, 0)
    clients.record(event("b"), NOTHING, 0)

    first, second = clients.records()
    assert first.metrics is second.metrics
