"""Checks consumer groups on the pages of topics and clients: their members, as far as they are known, and their lag."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database
from kwitness.console.index.members import rebuild
from kwitness.console.index.reader_schemas import ReaderSchemas
from kwitness.console.index.tables import CLIENTS, CONNECTIONS, GROUPS, TRAFFIC
from kwitness.console.readers import Reader
from kwitness.console.rows.addresses import PAGE_ROWS
from kwitness.console.rows.groups import groups_of_client, groups_of_topic, members_on_topic

_TABLES = {table.name: table for table in (CLIENTS, CONNECTIONS, TRAFFIC, GROUPS)}


@pytest.fixture(scope="module")
def index() -> Iterator[Database]:
    database = new_index()
    yield database
    database.close()


def fill(index: Database, **items: list[dict[str, Any]]) -> None:
    """Fill the tables of groups and clients, with nothing where nothing is given."""
    index.write(*(table.filled(json.dumps(items.get(name, []))) for name, table in _TABLES.items()))
    rebuild(index)


OF_SHOP = Reader("of shop", frozenset({"shop"}))


def pushing(client_id: str, group_id: str, **more: Any) -> dict[str, Any]:
    return {"key": client_id, "client_id": client_id, "group_id": group_id, "last_push_ms": 1, **more}


def open_to(client_id: str | None, group_id: str, **more: Any) -> dict[str, Any]:
    return {"client_id": client_id, "group_id": group_id, **more}


def behind(group_id: str, lag: int, topic: str = "orders", **more: Any) -> dict[str, Any]:
    return {"group_id": group_id, "topic": topic, "committed_lag": lag, "until_ms": 1, **more}


def used(client_id: str, api: str, topic: str = "orders") -> dict[str, Any]:
    return {"client_id": client_id, "api": api, "topic": topic}


def members(index: Database) -> list[dict[str, Any]]:
    return members_on_topic(index, "orders", groups_of_topic(index, "orders"))


def test_members_are_those_that_pushes_and_connections_name_with_what_they_do_on_the_topic(index: Database) -> None:
    owner = {"team": "payments", "contact": "#pay"}
    fill(
        index,
        groups=[behind("late", 9, committed_lag_ms=90), behind("early", 1, committed_lag_ms=10)],
        clients=[pushing("reader", "late", principal="User:a", owner=owner), pushing("left", "late", terminated=True)],
        connections=[open_to("reader", "late"), open_to("idle", "late"), open_to("committer", "early")],
        traffic=[used("reader", "Fetch"), used("reader", "OffsetCommit"), used("committer", "OffsetCommit")],
    )

    found = members(index)

    shown = [
        (row["group_id"], row["client_id"], row["reads"], row["commits"], row["pushing"], row["connections"])
        for row in found
    ]
    assert shown == [
        ("late", "reader", True, True, 1, 1),
        ("late", "idle", False, False, 0, 1),
        ("early", "committer", False, True, 0, 1),
    ]
    assert (found[0]["owner"], found[0]["owner_contact"]) == ("payments", "#pay")
    assert [row["applications"] for row in found] == [["User:a"], ["idle"], ["committer"]]
    assert {row["group_id"]: row["members"] for row in groups_of_topic(index, "orders")} == {"late": 2, "early": 1}


def test_membership_is_not_guessed_from_traffic_or_from_names(index: Database) -> None:
    fill(
        index,
        groups=[behind("orders-app", 3)],
        clients=[pushing("other", "another-group")],
        traffic=[used("orders-app", "Fetch"), used("orders-app", "OffsetCommit"), used("other", "Fetch")],
    )

    [group] = groups_of_topic(index, "orders")

    assert group["members"] is None
    assert members(index) == []


def test_a_member_of_several_groups_has_the_number_of_its_groups(index: Database) -> None:
    fill(
        index,
        groups=[behind("one", 3), behind("other", 2)],
        connections=[open_to("shared", "one"), open_to("shared", "other"), open_to("shared", "elsewhere")],
        traffic=[used("shared", "Fetch")],
    )

    found = members(index)

    assert [(row["group_id"], row["group_count"], row["reads"]) for row in found] == [
        ("one", 3, True),
        ("other", 3, True),
    ]


def test_a_page_of_members_and_three_applications_of_one_are_shown(index: Database) -> None:
    many = [open_to(f"member-{number:03}", "large") for number in range(PAGE_ROWS + 5)]
    of_one = [open_to("a", "large", principal=f"User:{number}") for number in range(5)]
    fill(index, groups=[behind("large", 1)], connections=[*many, *of_one, open_to(None, "large")])

    found = members(index)
    [group] = groups_of_topic(index, "orders")

    assert len(found) == PAGE_ROWS
    assert group["members"] == PAGE_ROWS + 7
    assert found[0]["applications"] == ["User:0", "User:1", "User:2"]
    assert found[0]["more_applications"] == 2


def test_a_client_has_the_lag_of_its_groups_and_not_known_where_nothing_was_seen(index: Database) -> None:
    fill(
        index,
        groups=[behind("seen", 4, committed_lag_ms=40), behind("seen", 9, "paid"), behind("strange", 7)],
        clients=[pushing("app", "seen")],
        connections=[open_to("app", "unseen"), open_to("other", "strange")],
    )

    found = [
        (row["group_id"], row["topic"], row["committed_lag"], row["committed_lag_ms"])
        for row in groups_of_client(index, "app")
    ]

    assert found == [("seen", "orders", 4, 40), ("seen", "paid", 9, None), ("unseen", None, None, None)]


def test_a_group_of_several_namespaces_is_one_row_with_what_its_reader_may_see(index: Database) -> None:
    of_both = [
        behind("g", 3, committed_lag_ms=30, k8s_namespace="shop", went_back_records=7, went_back_ms=70),
        behind("g", 9, k8s_namespace="bank", went_back_records=5, went_back_ms=90),
        behind("g", 4, committed_lag_ms=10),
        behind("theirs", 8, k8s_namespace="bank"),
    ]
    fill(
        index,
        groups=of_both,
        connections=[
            open_to("a", "g", k8s_namespace="shop"),
            open_to("b", "g", k8s_namespace="bank"),
            open_to("c", "g"),
        ],
    )
    numbers = ("group_id", "committed_lag", "committed_lag_ms", "went_back_records", "went_back_ms", "members")

    def rows(database: Database) -> list[tuple[Any, ...]]:
        return [tuple(row[name] for name in numbers) for row in groups_of_topic(database, "orders")]

    assert rows(index) == [("g", 9, 30, 7, 90, 3), ("theirs", 8, None, None, None, None)]
    with ReaderSchemas(index, names="of_groups").seen_by(OF_SHOP) as seen:
        assert rows(seen.database) == [("g", 3, 30, 7, 70, 1)]
        assert [row["client_id"] for row in members(seen.database)] == ["a"]
        assert groups_of_client(seen.database, "b") == []


def test_groups_that_observers_beside_clients_saw_are_for_readers_of_all(index: Database) -> None:
    fill(index, groups=[behind("g", 3), behind("g", 2, k8s_namespace="")], connections=[open_to("a", "g")])

    readers = ReaderSchemas(index, names="beside_clients")
    for namespaces in ({"shop"}, {""}, set[str]()):
        with readers.seen_by(Reader("", frozenset(namespaces))) as seen:
            assert groups_of_topic(seen.database, "orders") == []
