from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kwitness.jobs.analyses.unused_topics.coverage import Coverage, coverage
from kwitness.jobs.analyses.unused_topics.schema import BROKER, GAP, SOFTWARE, TOPIC
from kwitness.jobs.analyses.unused_topics.verdicts import Evidence, Judgement, judge

DAY = 86_400_000
NOW = 20_000 * DAY + DAY // 2
SINCE = NOW - 30 * DAY
FULL = Coverage("full")
#: Nothing happened for the whole period, and all of it could be seen.
STILL = Evidence(ends_since_ms=SINCE - 1, groups_since_ms=SINCE)
DAYS = tuple(range(SINCE // DAY, NOW // DAY + 1))


@pytest.mark.parametrize(
    ("changes", "produce", "fetch", "verdict", "missing"),
    [
        ({}, "Unused", "Unused", "Unused", ()),
        ({"last_produced_ms": SINCE - 1, "last_fetched_ms": SINCE - 1}, "Unused", "Unused", "Unused", ()),
        ({"last_produced_ms": SINCE}, "Used", "Unused", "Used", ()),
        ({"last_fetched_ms": SINCE}, "Unused", "Used", "Used", ()),
        ({"ends_moved_ms": NOW}, "Used", "Unused", "Used", ()),
        ({"ends_moved_ms": SINCE - 5}, "Unused", "Unused", "Unused", ()),
        ({"groups_used_ms": NOW - 1}, "Unused", "Used", "Used", ()),
        ({"latest_timestamp_ms": SINCE + 1}, "Used", "Unused", "Used", ()),
        # A producer whose clock is years ahead must not keep a topic for ever.
        ({"latest_timestamp_ms": NOW + 400 * DAY}, "Unused", "Unused", "Unused", ()),
        ({"ends_since_ms": SINCE + 1}, "NotSeen", "Unused", "NotSeen", ("EndOffsetsTooYoung",)),
        ({"ends_since_ms": None}, "NotSeen", "Unused", "NotSeen", ("EndOffsetsUnknown",)),
        ({"ends_complete": False}, "NotSeen", "Unused", "NotSeen", ("EndOffsetsUnknown",)),
        ({"groups_since_ms": SINCE + 1}, "Unused", "NotSeen", "NotSeen", ("GroupsTooYoung",)),
        ({"groups_since_ms": None}, "Unused", "NotSeen", "NotSeen", ("GroupsNotListed",)),
        ({"groups_complete": False}, "Unused", "NotSeen", "NotSeen", ("GroupsNotListed",)),
        # State that is read at a start alone leaves no other trace.
        ({"keeps_state": True}, "Unused", "NotSeen", "NotSeen", ("Compacted",)),
        ({"keeps_state": None}, "Unused", "NotSeen", "NotSeen", ("CleanupPolicyUnknown",)),
        # What was seen in use needs no further evidence.
        ({"ends_complete": False, "last_produced_ms": NOW}, "Used", "Unused", "Used", ()),
        ({"groups_since_ms": None, "last_fetched_ms": NOW}, "Unused", "Used", "Used", ()),
        ({"ends_since_ms": None, "last_fetched_ms": NOW}, "NotSeen", "Used", "Used", ("EndOffsetsUnknown",)),
    ],
)
def test_a_topic_is_judged_by_its_evidence(
    changes: dict[str, Any], produce: str, fetch: str, verdict: str, missing: tuple[str, ...]
) -> None:
    judgement = judge(replace(STILL, **changes), FULL, since_ms=SINCE, until_ms=NOW)

    assert judgement == Judgement(produce, fetch, verdict, missing)  # type: ignore[arg-type]


def test_below_full_coverage_nobody_was_seen_and_that_is_all() -> None:
    partial = Coverage("partial", ("sarama/1",), ("SoftwareNotObserved",))

    judgement = judge(STILL, partial, since_ms=SINCE, until_ms=NOW)

    assert judgement == Judgement("Unused", "NotSeen", "NotSeen", ("SoftwareNotObserved",))


def test_coverage_is_full_when_observers_saw_all_that_was_connected_on_each_day() -> None:
    assert _coverage(_broker(), _counted("sarama/1", DAYS[3:5]), _observed("sarama/1", DAYS)) == FULL


def test_coverage_is_full_when_nobody_but_the_platform_was_connected() -> None:
    assert _coverage(_broker(), _counted("kwitness-collector/1", DAYS)) == FULL


@pytest.mark.parametrize(
    ("rows", "level", "not_observed", "missing"),
    [
        ([], "none", (), ("ConnectionsNotCounted",)),
        (["observed"], "none", (), ("ConnectionsNotCounted",)),
        (["broker", "counted"], "none", ("sarama/1",), ("SoftwareNotObserved",)),
        (["broker", "counted", "observed in part"], "partial", ("sarama/1",), ("SoftwareNotObserved",)),
        (["broker", "counted", "observed", "gap"], "partial", (), ("Opaque",)),
        (["broker", "counted", "observed", "old gap"], "full", (), ()),
        (["young broker", "counted", "observed"], "partial", (), ("ConnectionsNotCounted",)),
        (["broker that was away", "counted", "observed"], "partial", (), ("ConnectionsNotCounted",)),
        (["silent broker", "counted", "observed"], "partial", (), ("ConnectionsNotCounted",)),
        (["broker", "our java"], "full", (), ()),
        (["broker", "java"], "none", ("apache-kafka-java/3.9.1",), ("SoftwareNotObserved",)),
        (["broker", "our java", "java"], "none", ("apache-kafka-java/3.9.1",), ("SoftwareNotObserved",)),
    ],
)
def test_coverage_says_what_observers_did_not_see(
    rows: list[str], level: str, not_observed: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    known = {
        "broker": [_broker()],
        "young broker": [_broker(first_seen_ms=SINCE + 1)],
        "broker that was away": [_broker(counted_days=[*DAYS[:4], *DAYS[5:]])],
        "silent broker": [_broker(last_seen_ms=NOW - DAY // 2)],
        "counted": [_counted("sarama/1", DAYS)],
        "observed": [_observed("sarama/1", DAYS)],
        "observed in part": [_observed("sarama/1", DAYS[:-1])],
        "gap": [_row(GAP, "Opaque", last_seen_ms=SINCE)],
        "old gap": [_row(GAP, "Opaque", last_seen_ms=SINCE - 1)],
        "java": [_counted("apache-kafka-java/3.9.1", DAYS)],
        "our java": [_counted("apache-kafka-java/3.9.1-kwitness", DAYS), _counted("kwitness-collector/1", DAYS)],
    }

    found = _coverage(*(row for name in rows for row in known[name]))

    assert found == Coverage(level, not_observed, missing)  # type: ignore[arg-type]


def test_a_broker_that_is_new_must_count_too() -> None:
    found = _coverage(_broker(), _observed("sarama/1", DAYS), brokers=("1", "2"))

    assert found.missing == ("ConnectionsNotCounted",)


def _coverage(*rows: dict[str, Any], brokers: tuple[str, ...] = ("1",)) -> Coverage:
    topics = [_row(TOPIC, "orders")]
    return coverage([*topics, *rows], brokers=brokers, since_ms=SINCE, until_ms=NOW)


def _broker(**changes: object) -> dict[str, Any]:
    return _row(BROKER, "1", **{"counted_days": list(DAYS), **changes})


def _counted(software: str, days: tuple[int, ...]) -> dict[str, Any]:
    return _row(SOFTWARE, software, listener="CLIENTS", counted_days=list(days))


def _observed(software: str, days: tuple[int, ...]) -> dict[str, Any]:
    return _row(SOFTWARE, software, observed_days=list(days))


def _row(kind: str, subject: str, **changes: object) -> dict[str, Any]:
    return {
        "kind": kind,
        "subject": subject,
        "listener": None,
        "first_seen_ms": SINCE - DAY,
        "last_seen_ms": NOW,
        "counted_days": [],
        "observed_days": [],
        **changes,
    }
