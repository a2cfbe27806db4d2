"""`groups`: lag by topic, and members that push."""

from __future__ import annotations

import json

import pytest

from tests.cli.clients.answers import TEAM, answers_groups, group, now_ms, parameters_of
from tests.cli.clients.conftest import INSTANCE, answers_with, item, lines

pytestmark = pytest.mark.slow


def test_groups_have_a_line_for_each_topic_with_the_time_first(types, door) -> None:
    answers_groups(door, group("payments", "orders", 70, 75_000, owner=TEAM), group("audit", "orders", 3, None))
    done = types("groups")

    assert (done.returncode, done.stderr) == (0, "")
    assert [line[:5] for line in lines(done)] == [
        ["GROUP", "TOPIC", "LAG", "RECORDS", "OWNER"],
        ["payments", "orders", "1m15s", "70", "Orders"],
        ["audit", "orders", "-", "3", "-"],
    ]
    assert parameters_of(door, "/v1/groups") == [{"order": "-committed_lag_ms", "limit": "100"}]


def test_a_group_that_went_back_has_by_how_much_and_when(types, door) -> None:
    went_back = {"went_back_records": 1_200, "went_back_ms": now_ms() - 180_500}
    answers_groups(door, group("payments", "orders", 70, 75_000, **went_back), group("audit", "orders", 3, None))
    done = types("groups")

    headings, first, second = done.stdout.splitlines()
    assert "WENT BACK" in headings
    assert "1200 records, 3m ago" in first
    assert "records" not in second


def test_filters_order_and_limit_reach_the_collector(types, door) -> None:
    answers_groups(door, group("payments", "orders", 70, 75_000), matched=20_000)
    done = types("groups", "--group", "pay*", "--topic", "or*", "--topic-owner", "T", "--sort", "committed_lag")

    expected = {"group_id": "pay*", "topic": "or*", "topic_owner": "T", "order": "committed_lag", "limit": "100"}
    assert parameters_of(door, "/v1/groups") == [expected]
    assert "19999 of 20000 are not shown" in done.stderr


def test_a_group_shows_its_topics_and_its_members(types, door) -> None:
    answers_groups(door, group("payments", "orders", 70, 75_000))
    answers_with(door, item(group_id="payments"), missing=(1,))
    done = types("groups", "payments")
    document = json.loads(types("groups", "payments", "-o", "json").stdout)

    topics, members = done.stdout.split("\n\n")
    assert topics.splitlines()[1].startswith("payments  orders  1m15s")
    assert members.splitlines()[1].split()[:2] == ["orders-7", "b69cc35a"]
    assert "replica 1 of the collector did not answer" in done.stderr
    assert [row["topic"] for row in document["items"]] == ["orders"]
    assert [member["client_instance_id"] for member in document["members"]] == [INSTANCE]
    assert [question["group_id"] for question in parameters_of(door, "/v1/clients")] == ["payments", "payments"]


def test_a_group_without_members_that_push_names_where_others_are(types, door) -> None:
    answers_groups(door, group("pay day", "orders", 70, 75_000))
    done = types("groups", "pay day")

    assert done.returncode == 0
    assert "no client that pushes is known as a member of pay day" in done.stderr
    assert "`kwitness connections --group 'pay day'` shows those that observers see" in done.stderr
