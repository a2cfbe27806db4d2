"""Checks which clients are shown as gone and new since an hour."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from kwitness.console.index.all_tables import ALL_TABLES
from kwitness.console.index.analyses import CLIENT_INVENTORY
from kwitness.console.index.database import Database
from kwitness.console.rows.hours import HOUR_MS
from kwitness.console.rows.sights import GONE, MOST_OF_A_KIND, NEW, STAYED, sight_of, sights_around

from tests.console.traffic_samples import HOUR


@pytest.fixture
def database() -> Iterator[Database]:
    opened = Database()
    opened.write(*(table.filled("[]") for table in ALL_TABLES))
    yield opened
    opened.close()


def seen(client_id: str, first_ms: int, last_ms: int, *, is_gone: bool = False, owner: str = "") -> dict[str, object]:
    times = {"first_seen_ms": HOUR + first_ms, "last_seen_ms": HOUR + last_ms}
    return {"job": "sights", "client_id": client_id, "is_gone": is_gone, "owner": owner, **times}


def test_the_last_of_each_change_are_shown_and_all_are_counted(database: Database) -> None:
    number = MOST_OF_A_KIND + 10
    gone = [seen(f"gone-{at:02}", -1, HOUR_MS + at, is_gone=True) for at in range(number)]
    new = [seen(f"new-{at:02}", HOUR_MS, HOUR_MS + at) for at in range(number)]
    database.write(CLIENT_INVENTORY.table.filled(json.dumps([*gone, *new])))

    sights = sights_around(database, HOUR, owner="", search="")

    assert sights.counts == {GONE: number, NEW: number}
    for change, name in ((GONE, "gone"), (NEW, "new")):
        shown = [row["client_id"] for row in sights.rows if row["since"] == change]
        assert shown == [f"{name}-{at:02}" for at in reversed(range(10, number))]


@pytest.mark.parametrize(
    ("first_ms", "last_ms", "is_gone", "since"),
    [
        (-5, -1, True, None),
        (-5, 0, True, GONE),
        (HOUR_MS - 1, HOUR_MS, False, STAYED),
        (HOUR_MS, HOUR_MS, False, NEW),
        (HOUR_MS, HOUR_MS, True, NEW),
    ],
)
def test_a_client_of_the_hour_was_seen_before_its_end_and_after_its_beginning(
    database: Database, first_ms: int, last_ms: int, is_gone: bool, since: str | None
) -> None:
    database.write(CLIENT_INVENTORY.table.filled(json.dumps([seen("a", first_ms, last_ms, is_gone=is_gone)])))

    assert sights_around(database, HOUR, owner="", search="").counts == ({since: 1} if since else {})


def test_owner_and_search_select_clients(database: Database) -> None:
    rows = [seen("till", 0, 1, is_gone=True, owner="orders"), seen("desk", 0, 2, is_gone=True, owner="order-desk")]
    rows.append(seen("vault", 0, 3, is_gone=True))
    database.write(CLIENT_INVENTORY.table.filled(json.dumps(rows)))

    def names(owner: str = "", search: str = "") -> list[str]:
        return [row["client_id"] for row in sights_around(database, HOUR, owner=owner, search=search).rows]

    assert names(owner="orders") == ["till"]
    assert names(owner="order*") == ["desk", "till"]
    assert names(search="VAU") == ["vault"]
    assert sight_of(database, "vault", None) is not None
    assert sight_of(database, "nobody", None) is None
