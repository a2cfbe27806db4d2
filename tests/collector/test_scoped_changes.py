"""Readers with a scope follow changes of their clients alone, and learn no keys and no numbers of others."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.events import Event, of_pod
from kwitness.collector.inventory.change_report import changes_part, merge_changes, read_cursors
from kwitness.collector.inventory.client_changes import MAX_GONE_CHARACTERS, ClientChanges
from kwitness.collector.inventory.client_report import ClientItems
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.cursor_seal import CursorSeal
from kwitness.collector.inventory.matched import SubscriptionMatcher
from kwitness.contracts.owners import KnownOwner, OwnerList, OwnerMatch
from kwitness.contracts.questions import Question
from kwitness.contracts.reader_rights import ReaderScope

from tests.collector.inventory_samples import applied

OWNERS = ClientOwners(OwnerList(owners=(KnownOwner(team="Shop", match=OwnerMatch(principal="User:shop")),)), "c", 0)
SHOP = ReaderScope(namespaces=("shop",), owners=("Shop",))


def items_of(scope: ReaderScope | None) -> ClientItems:
    return ClientItems(SubscriptionMatcher(()), OWNERS, Question(fields=("key", "principal")), scope)


def push(clients: Clients, name: str, principal: str, namespace: str | None, now_ms: int) -> None:
    """Record a push; with a namespace that of a sidecar there."""
    identity = {"cluster_id": "c", "client_instance_id": name, "principal": principal}
    known_as = None
    if namespace is not None:
        identity["k8s_namespace"], known_as = namespace, of_pod(namespace, "app-1", name)
    event = Event("c/1", 1, 1, now_ms, identity, b"", 1_000, known_as=known_as)
    clients.learn(event.client, identity)
    clients.record(event, applied("m"), now_ms)


class Follower:
    """A reader that follows changes as the reference of the API says."""

    def __init__(self, scope: ReaderScope | None) -> None:
        self.items = items_of(scope)
        self.known: dict[str, bytes] = {}
        self.seen: set[str] = set()
        self.cursor = ""

    def read(self, clients: Clients, limit: int = 2) -> Mapping[str, Any]:
        more, answer = True, dict[str, Any]()
        while more:
            cursors = read_cursors(self.cursor)
            part = asyncio.run(changes_part(clients, self.items, limit, cursors.get(0)))
            if part.head.reset:
                self.known.clear()
            _, answer = merge_changes({0: part}, {} if part.head.reset else cursors, limit)
            self.seen |= {row.key for row in part.rows}
            for key in answer["gone"]:
                self.known.pop(key, None)
            self.known |= {row.key: row.item for row in part.rows if row.item}
            self.cursor, more = answer["since"], answer["more"]
        return answer


NAMES = st.sampled_from("abcde")
PLACES = st.sampled_from([None, "shop", "bank"])
PRINCIPALS = st.sampled_from(["User:shop", "User:bank"])


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(st.tuples(st.just("push"), NAMES, PRINCIPALS, PLACES), st.just(("expire",)), st.just(("read",))),
        max_size=40,
    )
)
def test_a_reader_knows_the_clients_of_its_scope_and_no_key_of_others(operations: list[tuple[Any, ...]]) -> None:
    clients, reader, now_ms = Clients(), Follower(SHOP), 0
    permitted: set[str] = set()
    for operation, *arguments in operations:
        now_ms += 1_000
        if operation == "push":
            push(clients, *arguments, now_ms)  # type: ignore[arg-type]
        elif operation == "expire":
            now_ms += 40_000
            clients.expire(now_ms, 3)
        else:
            reader.read(clients)
        permitted |= {key for key, record in clients.items() if reader.items.visible.client(record)}
    reader.read(clients)

    shown = {key: record for key, record in clients.items() if reader.items.visible.client(record)}
    assert reader.known == {key: reader.items.write(key, record) for key, record in shown.items()}
    assert reader.seen <= permitted


def test_a_client_that_ends_is_gone_for_readers_of_its_scope_alone() -> None:
    clients, shop, bank = Clients(), Follower(SHOP), Follower(ReaderScope(namespaces=("bank",)))
    push(clients, "a", "User:x", "shop", 0)
    push(clients, "b", "User:shop", None, 0)
    push(clients, "c", "User:x", "bank", 0)
    for reader in (shop, bank):
        reader.read(clients, 9)
    assert (len(shop.known), len(bank.known)) == (2, 1)

    clients.expire(10**6, 3)

    assert sorted(shop.read(clients, 9)["gone"]) == ["c/b", "c/pod/shop/app-1/a"]
    assert bank.read(clients, 9)["gone"] == ["c/pod/bank/app-1/c"]


def test_a_client_that_leaves_a_scope_begins_all_changes_again_for_readers_with_a_scope() -> None:
    clients, shop, everything = Clients(), Follower(SHOP), Follower(None)
    push(clients, "a", "User:shop", None, 0)
    for reader in (shop, everything):
        reader.read(clients)
    assert list(shop.known) == ["c/a"]
    begun = everything.cursor

    push(clients, "a", "User:bank", None, 1_000)
    shop.read(clients)
    everything.read(clients)

    assert (shop.known, list(everything.known)) == ({}, ["c/a"])
    assert clients.changes.read(begun.removeprefix("0.")) is not None


@pytest.mark.parametrize("other", [None, ReaderScope(namespaces=("shop",)), ReaderScope(owners=("Shop", "shop"))])
def test_a_cursor_of_another_scope_begins_again(other: ReaderScope | None) -> None:
    clients, reader = Clients(), Follower(SHOP)
    push(clients, "a", "User:shop", "shop", 0)
    reader.read(clients)

    part = asyncio.run(changes_part(clients, items_of(other), 9, read_cursors(reader.cursor)[0]))

    assert part.head.reset
    assert [row.key for row in part.rows] == ["c/pod/shop/app-1/a"]


def test_a_cursor_is_another_text_each_time_and_hides_its_numbers() -> None:
    seal = CursorSeal()
    texts = {seal.close(7, 9) for _ in range(100)}

    assert len(texts) == 100
    assert {seal.open(text) for text in texts} == {(7, 9)}
    assert len({seal.close(number, number)[16:48] for number in range(100)}) == 100


@pytest.mark.parametrize("place", [0, 20, 63])
def test_a_cursor_that_was_changed_or_made_elsewhere_is_none(place: int) -> None:
    seal = CursorSeal()
    text = seal.close(1, 2)
    digit = "0" if text[place] != "0" else "1"

    assert seal.open(f"{text[:place]}{digit}{text[place + 1 :]}") is None
    assert CursorSeal().open(text) is None
    assert seal.open(text, b"other") is None
    assert [seal.open(other) for other in ("", text[:-2], text + "00", "." * 64)] == [None] * 4


def test_what_decides_who_may_see_clients_that_ended_counts_as_their_keys_do() -> None:
    changes, long = ClientChanges(), "x" * 1_000
    count = MAX_GONE_CHARACTERS // 1_001 + 1
    for number in range(count):
        changes.leave({chr(0x4E00 + number): {"principal": long}})

    assert changes.gone(chr(0x4E00 + count - 1)) == {"principal": long}
    assert changes.gone(chr(0x4E00)) == {}
    assert len(changes.after(0, 2 * count)) == MAX_GONE_CHARACTERS // 1_001
