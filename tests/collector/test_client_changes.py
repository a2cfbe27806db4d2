"""Checks that a reader of changes knows all clients at any time, whichever replica is away or begins again."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.inventory.change_report import Cursors, changes_part, merge_changes, read_cursors
from kwitness.collector.inventory.client_changes import MAX_GONE, MAX_GONE_CHARACTERS, ClientChanges
from kwitness.collector.inventory.client_report import ClientItems
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.matched import SubscriptionMatcher
from kwitness.collector.sharding import owner_of
from kwitness.contracts.envelopes import ClientPage
from kwitness.contracts.owners import OwnerList
from kwitness.contracts.questions import Question

from tests.collector.change_reader import ChangeReader, listed
from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import (
    CLUSTER,
    LATENCY_AVG,
    batch,
    counter_push,
    gauge_push,
    java_push,
    labelled,
    push,
)
from tests.collector.inventory_samples import applied, event
from tests.collector.replica_pair import CLIENTS
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]


def test_changes_begin_with_all_clients_and_are_none_while_clients_only_push(start: Start) -> None:
    collector = start()
    collector.push(batch([push(seq, java_push(), client=f"i{seq}") for seq in range(5)]))
    reader = ChangeReader(collector, limit="2")

    first = reader.read()
    collector.push(batch([push(10 + seq, java_push(), client=f"i{seq}") for seq in range(5)]))
    second = reader.read()

    ClientPage.model_validate(first)
    assert reader.items.keys() == listed(collector).keys()
    assert (second["items"], second["gone"], second["more"], second["reset"]) == ([], [], False, False)
    assert "matched" not in second


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (push(2, java_push(), client="b"), "client_instance_id"),
        (push(2, java_push(), client_address="10.9.9.9"), "client_address"),
        (push(2, labelled(java_push(), group_id="g")), "group_id"),
        (push(2, gauge_push(LATENCY_AVG + ".other", 1.0)), "metrics"),
        (push(2, java_push(), terminating=True), "terminated"),
        (push(2, b"\xff"), "malformed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_change_is_listed_once(start: Start, change: dict[str, Any], field: str) -> None:
    collector = start()
    collector.push(batch([push(1, java_push())]))
    reader = ChangeReader(collector)
    reader.read()
    before = dict(reader.items)

    collector.push(batch([change]))
    found = reader.read()

    [item] = found["items"]
    assert item[field] != before.get(item["key"], {}).get(field)
    assert reader.read()["items"] == []
    assert reader.items == listed(collector)


def test_pushes_that_cannot_be_read_are_a_change_when_they_begin_and_when_they_end(start: Start) -> None:
    collector = start()
    reader = ChangeReader(collector)
    payloads = [java_push(), b"\xff", b"\xff", b"\xff", java_push(), java_push()]

    changes = []
    for seq, payload in enumerate(payloads):
        collector.push(batch([push(seq, payload)]))
        changes.append(len(reader.read()["items"]))

    assert changes == [1, 1, 0, 0, 1, 0]


def test_clients_that_do_not_fit_the_filter_any_more_are_gone(start: Start) -> None:
    collector = start()
    collector.push(batch([push(1, client="a", client_id="orders"), push(2, client="b", client_id="billing")]))
    reader = ChangeReader(collector, client_id="orders*")
    begun = reader.read()
    assert (reader.ids(), begun["gone"]) == (["a"], [])

    collector.push(batch([push(3, client="a", client_id="other"), push(4, client="b", client_id="orders-2")]))
    found = reader.read()

    assert (reader.ids(), found["gone"]) == (["b"], [f"{CLUSTER}/a"])


def test_other_owners_begin_all_changes_again(start: Start) -> None:
    collector = start()
    collector.push(batch([push(1, client="a", client_id="orders")]))
    reader = ChangeReader(collector)
    reader.read()

    collector.own([{"team": "shop", "match": {"clientId": "orders"}}])
    eventually(reader.read, lambda answer: answer["reset"])

    assert [item["owner"] for item in reader.items.values()] == [{"team": "shop", "source": "ConfigMap"}]
    collector.own([{"team": "shop", "match": {"clientId": "orders"}}])  # the same in a new file
    time.sleep(1.5)
    reader.read()
    assert reader.resets == 1


def test_the_part_of_a_replica_that_is_away_goes_on_when_it_is_back(pair: list[CollectorProcess]) -> None:
    pair[0].push(batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(CLIENTS)]))
    reader = ChangeReader(pair[0], limit="7")
    reader.read()
    assert reader.ids() == sorted(CLIENTS)

    assert pair[1].process is not None
    pair[1].process.send_signal(signal.SIGSTOP)
    away = reader.read()
    mine = next(f"new-{number}" for number in range(99) if owner_of(f"new-{number}", 2) == 0)
    pair[0].push(batch([push(100, client=mine)]))
    meanwhile = reader.read()
    pair[1].process.send_signal(signal.SIGCONT)
    pair[1].push(batch([push(101, client=client, terminating=True) for client in CLIENTS[:1]]))
    back = eventually(reader.read, lambda answer: not answer["missing"])

    assert (away["missing"], away["items"], away["reset"]) == ([1], [], False)
    assert [item["client_instance_id"] for item in meanwhile["items"]] == [mine]
    assert (len(back["items"]) <= 1, reader.resets) == (True, 0)
    eventually(lambda: reader.read() and reader.items, lambda items: items == listed(pair[0]))


@pytest.mark.parametrize("ordinal", [0, 1])
def test_a_replica_that_was_restarted_begins_changes_again(pair: list[CollectorProcess], ordinal: int) -> None:
    pair[0].push(batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(CLIENTS)]))
    reader = ChangeReader(pair[0], limit="7")
    reader.read()

    pair[ordinal].kill()
    pair[ordinal].start()
    eventually(reader.read, lambda answer: not answer["missing"])

    assert reader.resets == 1
    assert reader.items == listed(pair[0])


@pytest.mark.parametrize(
    ("replicas", "remains"),
    [(1, lambda client: owner_of(client, 2) == 0), (3, lambda client: owner_of(client, 3) == 0 or owner_of(client, 2))],
)
def test_changes_begin_again_when_replicas_are_more_or_less(
    pair: list[CollectorProcess], replicas: int, remains: Callable[[str], bool]
) -> None:
    pair[0].push(batch([push(seq, counter_push(2), client=client) for seq, client in enumerate(CLIENTS)]))
    reader = ChangeReader(pair[0])
    reader.read()

    pair[0].write_config(replicas=replicas)
    expected = sorted(filter(remains, CLIENTS))
    eventually(lambda: reader.read() and reader.ids(), lambda ids: ids == expected)

    assert reader.resets == 1


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("push"), st.sampled_from("abcdefgh"), st.sampled_from(["m", "n"]), st.booleans()),
        st.tuples(st.just("expire")),
        st.tuples(st.just("read"), st.integers(1, 4)),
        st.tuples(st.just("restart")),
    ),
    max_size=60,
)
ITEMS = ClientItems(
    SubscriptionMatcher(()), ClientOwners(OwnerList(), "c", 0), Question(fields=("key", "metrics", "terminated"))
)


@settings(deadline=None)
@given(OPERATIONS)
def test_a_reader_knows_all_clients_whatever_happened(operations: list[tuple[Any, ...]]) -> None:
    clients, known, cursor, now = Clients(), dict[str, bytes](), "", 0

    def read(limit: int) -> bool:
        nonlocal cursor
        cursors: Cursors = read_cursors(cursor)
        part = asyncio.run(changes_part(clients, ITEMS, limit, cursors.get(0)))
        if part.head.reset:
            known.clear()
        items, answer = merge_changes({0: part}, {} if part.head.reset else cursors, limit)
        assert len(items) + len(answer["gone"]) <= limit
        for key in answer["gone"]:
            known.pop(key, None)
        known.update({row.key: row.item for row in part.rows if row.item})
        cursor = answer["since"]
        return bool(answer["more"])

    for name, *arguments in operations:
        now += 1_000
        if name == "push":
            client, metric, terminating = arguments
            clients.record(event(client, 1_000, terminating=terminating), applied(metric), now)
        elif name == "expire":
            now += 40_000
            clients.expire(now, 3)
        elif name == "read":
            read(*arguments)
        else:
            rows = [*clients.dump()]
            clients = Clients()
            clients.load(rows)
    while read(3):
        pass

    assert known == {key: ITEMS.write(key, record) for key, record in clients.items()}
    assert clients.behind("", 99) == sorted(clients.items())


def gone(count: int, length: int = 0) -> ClientChanges:
    changes = ClientChanges()
    for number in range(count):
        changes.note(f"{number:0{length}}")
    changes.leave({f"{number:0{length}}": {} for number in range(count)})
    return changes


def test_clients_that_ended_are_remembered_up_to_a_bound_and_older_readers_begin_again() -> None:
    changes = gone(MAX_GONE)
    reader = changes.begin()._replace(begun=0)
    assert changes.continues(reader)
    assert len(changes.after(0, 2 * MAX_GONE)) == MAX_GONE

    changes.leave({"one more": {}})

    assert not changes.continues(reader)
    assert changes.continues(reader._replace(revision=changes.revision - 1))
    assert len(changes.after(0, 2 * MAX_GONE)) == MAX_GONE


def test_keys_of_clients_that_ended_are_remembered_up_to_a_bound_of_characters() -> None:
    changes = gone(MAX_GONE_CHARACTERS // 1_000 + 1, length=1_000)

    assert len(changes.after(0, MAX_GONE)) == MAX_GONE_CHARACTERS // 1_000


def test_keys_of_clients_that_are_gone_do_not_pile_up() -> None:
    clients = Clients()
    for number in range(20_000):
        clients.record(event(f"{number}", 1_000), applied(), number * 100)
        if number % 1_000 == 999:
            clients.expire(number * 100 + 1_000, 3)

    assert len(clients._keys) <= 2 * len(clients) + 1_000 + 1_000
