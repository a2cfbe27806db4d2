"""What brokers of each release answer, and whose software they answer. The facts themselves are Kafka's."""

from __future__ import annotations

import pytest

from kwitness.contracts.kafka_releases import (
    KAFKA_RELEASES,
    KNOWN_APIS,
    Lifetime,
    dropped_by,
    drops,
    lifetime,
    lifetimes,
    reaches,
)
from kwitness.contracts.tables.kafka_releases import ENTRIES


@pytest.mark.parametrize(
    ("api", "version", "added_in", "dropped_in"),
    [
        ("Fetch", 3, None, "4.0"),
        ("Fetch", 4, None, None),
        ("1", 3, None, "4.0"),
        ("Fetch", 18, "4.1", None),
        ("Produce", 2, None, "4.0"),
        ("Produce", 12, "4.0", None),
        # An API that is gone, one that was never stable in its first version, and one that nobody knows yet.
        ("LeaderAndIsr", 7, None, "4.0"),
        ("ShareFetch", 0, None, "4.1"),
        ("Fetch", 30_000, None, None),
    ],
)
def test_how_long_brokers_answer(api: str, version: int, added_in: str | None, dropped_in: str | None) -> None:
    assert lifetime(api, version) == Lifetime(added_in, dropped_in)  # type: ignore[arg-type]


def test_an_api_without_definition_is_not_known() -> None:
    assert lifetime("other", 0) is None
    assert "other" not in KNOWN_APIS
    assert "18" in KNOWN_APIS


def test_the_table_of_lifetimes_has_what_each_release_answers() -> None:
    for entry in ENTRIES:
        for release in KAFKA_RELEASES:
            first, last = entry.versions.get(release, (0, -1))
            for version in range(40):
                life = lifetimes().get((entry.name, version), Lifetime(None, None))
                since = KAFKA_RELEASES.index(life.added_in) if life.added_in else 0
                until = KAFKA_RELEASES.index(life.dropped_in) if life.dropped_in else len(KAFKA_RELEASES)
                is_there = since <= KAFKA_RELEASES.index(release) < until
                assert is_there or not first <= version <= last, (entry.name, version, release)


def test_nothing_is_dropped_before_4_0_and_then_what_kip_896_removes() -> None:
    assert dropped_by("3.9") == frozenset()
    assert drops("3.9") == ()
    assert drops("4.4") == ("4.0",)
    named = {(api, version) for api, version in dropped_by("4.0") if not api.isdigit()}
    assert {("Fetch", 3), ("Produce", 2), ("OffsetCommit", 1), ("CreateTopics", 0)} <= named
    assert not {("Fetch", 4), ("Metadata", 0), ("ApiVersions", 0), ("Fetch", 18)} & named
    assert dropped_by("4.0") <= dropped_by("4.4")


@pytest.mark.parametrize(
    ("name", "version", "target", "answer"),
    [
        ("apache-kafka-java", "2.4.0", "4.4", "yes"),
        ("apache-kafka-java", "3.5.2-ccs", "4.0", "yes"),
        ("apache-kafka-java", "4.4.7", "4.0", "yes"),
        # Too old to announce itself, and newer than all that is known.
        ("apache-kafka-java", "2.3.1", "4.0", "unknown"),
        ("apache-kafka-java", "9.0.0", "4.4", "unknown"),
        ("apache-kafka-java", "unknown", "4.4", "unknown"),
        ("librdkafka", "1.8.1", "4.0", "mayNot"),
        ("librdkafka", "1.8.2", "4.4", "yes"),
        ("confluent-kafka-python", "1.7.0-rdkafka-1.7.0", "4.0", "mayNot"),
        ("a-program", "3.0-rdkafka-2.6.0", "4.0", "yes"),
        ("sarama", "1.29.0", "4.0", "mayNot"),
        ("kafkajs", "2.2.4", "4.1", "yes"),
        ("kafka-python", "unknown", "4.0", "unknown"),
        ("kgo", "1.20.0", "4.0", "unknown"),
        ("never-heard-of", "1.0", "4.0", "unknown"),
        ("unknown", "unknown", "4.0", "unknown"),
        ("never-heard-of", "1.0", "3.9", "yes"),
    ],
)
def test_whom_brokers_answer(name: str, version: str, target: str, answer: str) -> None:
    assert reaches(name, version, target) == answer  # type: ignore[arg-type]
