from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.resources.analytics_parameters import UnusedTopicsParameters
from kwitness.jobs.analyses.unused_topics.findings import message
from kwitness.jobs.analyses.unused_topics.schema import TABLE_SCHEMA
from kwitness.jobs.analyses.unused_topics.survey import surveyed_rows
from kwitness.jobs.frame.cluster_state import ClusterState, SurveyedGroup, SurveyedTopic
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.owner_names import OwnerNames

HOUR = 3_600_000
DAY = 24 * HOUR
START = 20_000 * DAY
INPUT = JobInput(UnusedTopicsParameters(unused_for="24h", ignore=("ignored",)), 300.0, frozenset({"kwitness.traffic"}))
TOPIC = SurveyedTopic("orders", topic_id="A", partitions=2, starts={0: 2, 1: 0}, ends={0: 9, 1: 0}, log_bytes=2048)
AWAY = SurveyedGroup("billing", "Empty", committed={TopicPartition("orders", 0): 7})
STATE = ClusterState("cluster-1", START, ("1",), frozenset({"orders"}), (TOPIC,), (AWAY,))
NOT_COMPACTED = {"orders": False}
#: What brokers count: nobody is connected.
BROKER = {
    "cluster_id": "cluster-1",
    "kind": "broker",
    "subject": "1",
    "listener": None,
    "first_seen_ms": START - 2 * DAY,
    "last_seen_ms": START + 9 * DAY,
    "counted_days": list(range(19_998, 20_010)),
    "observed_days": [],
}


def test_a_topic_that_stands_still_is_unused_when_the_period_is_over_and_not_before() -> None:
    verdicts = [(row["verdict"], row["missing"]) for row in _series(*([STATE] * 3), every=12 * HOUR)]

    assert verdicts == [
        ("NotSeen", ["EndOffsetsTooYoung", "GroupsTooYoung"]),
        ("NotSeen", ["EndOffsetsTooYoung", "GroupsTooYoung"]),
        ("Unused", []),
    ]


def test_what_a_survey_says_of_a_topic_is_in_its_row() -> None:
    (row,) = _series(STATE)

    assert row["end_offsets"] == [{"partition": 0, "offset": 9}]
    assert (row["partitions"], row["records"], row["log_bytes"], row["topic_id"]) == (2, 7, 2048, "A")
    assert row["groups"] == [
        {"group_id": "billing", "state": "Empty", "members": 0, "committed": [{"partition": 0, "offset": 7}]}
    ]
    assert (row["listed"], row["reported"], row["coverage"]) == (True, True, "full")


def test_end_offsets_that_move_are_a_use() -> None:
    moved = _with(TOPIC, ends={0: 10, 1: 0})

    rows = _series(STATE, moved, moved, moved, every=DAY)

    assert [row["written"] for row in rows] == ["NotSeen", "Used", "Used", "Unused"]
    assert rows[-1]["ends_moved_ms"] == rows[-1]["ends_since_ms"] == START + DAY


def test_partitions_that_are_added_are_no_use() -> None:
    more = _with(TOPIC, partitions=3, ends={0: 9, 1: 0, 2: 0})

    assert [row["ends_moved_ms"] for row in _series(STATE, more)] == [None, None]


def test_a_partition_that_does_not_answer_is_not_taken_for_one_that_stands_still() -> None:
    without = _with(TOPIC, ends={1: 0})

    rows = _series(STATE, without, STATE, every=DAY)

    assert [row["written"] for row in rows] == ["NotSeen", "NotSeen", "Unused"]
    assert rows[1]["missing"] == ["EndOffsetsUnknown"]


def test_a_topic_that_was_recreated_is_a_new_one() -> None:
    recreated = _with(TOPIC, topic_id="B")

    rows = _series(STATE, recreated, every=2 * DAY)

    assert rows[-1]["ends_since_ms"] == START + 2 * DAY
    assert rows[-1]["verdict"] == "NotSeen"


def test_a_group_that_commits_or_has_members_is_a_use() -> None:
    commits = replace(AWAY, committed={TopicPartition("orders", 0): 8})
    another = SurveyedGroup("new", "Empty", committed={TopicPartition("orders", 0): 0})
    member = SurveyedGroup("there", "Stable", 1, frozenset({"orders"}), {})
    elsewhere = SurveyedGroup("there", "Stable", 1, frozenset({"payments"}), {})

    for groups, used in (
        ((commits,), True),
        ((AWAY, another), True),
        ((AWAY, member), True),
        ((AWAY, elsewhere), False),
        # Kafka drops the offsets of a group that is empty for long.
        ((), False),
    ):
        rows = _series(STATE, replace(STATE, groups=groups), every=2 * DAY)
        assert rows[-1]["fetched"] == ("Used" if used else "Unused"), groups


@pytest.mark.parametrize(
    ("compacted", "start", "fetched", "missing"),
    [
        ({"orders": True}, 2, "NotSeen", ["Compacted"]),
        ({}, 2, "NotSeen", ["CleanupPolicyUnknown"]),
        ({"orders": True}, 9, "Unused", []),
        ({}, 9, "Unused", []),
    ],
    ids=["holds state", "policy not known", "compacted and empty", "policy not known and empty"],
)
def test_a_compacted_topic_that_holds_records_is_never_proved_to_be_unread(
    compacted: dict[str, bool], start: int, fetched: str, missing: list[str]
) -> None:
    state = _with(TOPIC, starts={0: start, 1: 0})

    row = _series(state, state, every=2 * DAY, compacted=compacted)[-1]

    assert (row["fetched"], row["missing"]) == (fetched, missing)


def test_groups_that_may_not_be_listed_prove_nothing() -> None:
    hidden = replace(STATE, groups=(), not_allowed={"groups": "needs the operation Describe on the cluster"})

    rows = _series(hidden, hidden, STATE, STATE, every=2 * DAY)

    assert [row["fetched"] for row in rows] == ["NotSeen", "NotSeen", "NotSeen", "Unused"]
    assert rows[1]["missing"] == ["GroupsNotListed"]
    assert rows[2]["missing"] == ["GroupsTooYoung"], "a group that is seen now may have been there"


def test_a_survey_without_an_answer_for_groups_does_not_begin_the_period_again() -> None:
    silent = replace(STATE, groups=(), unanswered={"groups": "billing: TimeoutException"})

    rows = _series(STATE, silent, STATE, every=DAY)

    assert [row["fetched"] for row in rows] == ["NotSeen", "NotSeen", "Unused"]
    assert rows[-1]["groups_since_ms"] == START


def test_who_was_seen_by_a_topics_id_counts_for_its_name() -> None:
    by_id = {**_empty("topic_id", "A"), "last_fetched_ms": START + 1, "last_fetched_client_id": "billing"}

    (row,) = _rows(replace(STATE, surveyed_ms=START + HOUR), [BROKER, by_id])

    assert (row["fetched"], row["last_fetched_client_id"]) == ("Used", "billing")


def test_what_nobody_asked_about_is_left_out_of_findings() -> None:
    names = ("orders", "ignored", "kwitness.traffic", "__consumer_offsets")
    topics = tuple(replace(TOPIC, name=name) for name in names)
    internal = replace(TOPIC, name="inside", internal=True)
    state = replace(STATE, listed=frozenset({*names, "inside"}), topics=(*topics, internal))

    reported = {row["subject"] for row in _rows(state, [BROKER]) if row["reported"]}

    assert reported == {"orders"}


def test_a_topic_that_is_gone_is_said_to_be_once() -> None:
    gone = replace(STATE, listed=frozenset(), topics=())
    (before,) = _series(STATE)

    first = _rows(replace(gone, surveyed_ms=START + HOUR), [BROKER, before])
    second = _rows(replace(gone, surveyed_ms=START + 2 * HOUR), [BROKER, {**before, **first[0]}])

    assert [(row["subject"], row["listed"], row["verdict"]) for row in first] == [("orders", False, None)]
    assert first[0]["last_seen_ms"] == before["last_seen_ms"]
    assert second == []


def test_a_finding_names_evidence_and_who_was_there_last() -> None:
    row = _series(STATE, STATE, every=2 * DAY)[-1]
    row |= {"last_produced_ms": START - DAY, "last_produced_principal": "User:a", "last_produced_client_id": "x" * 5000}

    owners = OwnerList.model_validate({"owners": [{"team": "data", "contact": "#data", "match": {"topic": "orders"}}]})

    text = message(row, INPUT, OwnerNames(owners, START))

    assert "no end offset moved since 2024-10-04T00:00Z" in text
    assert "last written 2024-10-03T00:00Z by User:a as xxx" in text
    assert "last read before anybody looked, or never" in text
    assert "who saw each software that was connected, which need not be each client of it," in text
    assert "2 partitions, 2 KiB: ask data (#data), then delete it" in text
    assert "2 KiB: ask its owner, then" in message(row, INPUT, OwnerNames(None, START))
    assert "parameters.unusedTopics.ignore" in text
    assert len(text) < 1024


def _series(
    *states: ClusterState, every: int = HOUR, compacted: Mapping[str, bool] = NOT_COMPACTED
) -> list[dict[str, Any]]:
    """The topic's row after each survey."""
    rows: list[dict[str, Any]] = []
    for number, state in enumerate(states):
        rows += _rows(replace(state, surveyed_ms=START + number * every), [BROKER, *rows[-1:]], compacted)
    return rows


def _rows(
    state: ClusterState, known: list[dict[str, Any]], compacted: Mapping[str, bool] = NOT_COMPACTED
) -> list[dict[str, Any]]:
    rows = surveyed_rows(state, known, compacted, INPUT)
    return [dict(zip(TABLE_SCHEMA.names, row, strict=True)) for row in rows]


def _with(topic: SurveyedTopic, **changes: Any) -> ClusterState:
    return replace(STATE, topics=(replace(topic, **changes),))


def _empty(kind: str, subject: str) -> dict[str, Any]:
    nothing = dict.fromkeys(TABLE_SCHEMA.names)
    return {**nothing, **BROKER, "kind": kind, "subject": subject, "counted_days": []}
