"""Which announced versions come before a least one, and which cannot be told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from kwitness.contracts.resources.durations import duration_text, parse_duration
from kwitness.contracts.versions import below_least, is_below


@pytest.mark.parametrize(
    ("announced", "least", "answer"),
    [
        # Numbers by place, and absent places are zeros.
        ("3.6.2", "3.7.0", "yes"),
        ("3.7.0", "3.7.0", "no"),
        ("3.7", "3.7.0", "no"),
        ("3.7.0", "3.7", "no"),
        ("3.10.0", "3.9.0", "no"),
        ("3.9.0", "3.10.0", "yes"),
        ("2.0.2.1", "2.0.2", "no"),
        ("v1.46.0", "1.46.1", "yes"),
        ("4", "4.0.1", "yes"),
        # Before the release.
        ("3.7.0-SNAPSHOT", "3.7.0", "yes"),
        ("3.7.0-rc1", "3.7.0", "yes"),
        ("1.9.0-RC10", "1.9.0", "yes"),
        ("2.5.0b2", "2.5.0", "yes"),
        ("2.5.0.dev1", "2.5.0", "yes"),
        ("2.5.0b2-rdkafka-2.5.0", "2.5.0", "yes"),
        ("4.0.0-M1", "4.0.0", "yes"),
        ("3.8.0-rc1", "3.7.0", "no"),
        # Builds of the release.
        ("2.5.0-rdkafka-2.5.0", "2.5.0", "no"),
        ("2.4.9-rdkafka-2.10.1", "2.5.0", "yes"),
        ("3.7.0.redhat-00007", "3.7.0", "no"),
        ("3.7.0+build.5", "3.7.0", "no"),
        ("2.6.1-3-g12abcde-dirty", "2.6.1", "no"),
        ("1.0.0.Final", "1.0.0", "no"),
        ("2.0.2.post1", "2.0.2", "no"),
        # What cannot be told: numbers of a vendor's own, words, nothing.
        ("7.6.0-ccs", "3.7.0", "unknown"),
        ("2.6.1-devel-O0", "2.6.1", "unknown"),
        ("3.7.0-candidate", "3.7.0", "unknown"),
        ("3.7.", "3.7.0", "unknown"),
        ("dev", "1", "unknown"),
        ("unknown", "1", "unknown"),
        ("", "1", "unknown"),
        ("\u0663.\u0667", "1", "unknown"),
    ],
)
def test_a_version_is_compared_by_its_numbers_or_said_to_be_unreadable(announced, least, answer):
    assert is_below(announced, least) == answer


@pytest.mark.parametrize(
    ("name", "version", "answer"),
    [
        ("apache-kafka-java", "3.6.2", ("yes", "apache-kafka-java 3.7.0")),
        ("apache-kafka-java", "3.7.0", ("no", "")),
        ("sarama", "0.1", ("no", "")),
        # librdkafka means what is inside a binding, too; a binding's own entry is about its own version.
        ("librdkafka", "2.10.0", ("yes", "librdkafka 2.10.1")),
        ("karafka", "2.5.0-rdkafka-2.10.0", ("yes", "librdkafka 2.10.1")),
        ("karafka", "2.5.0-rdkafka-2.10.1", ("no", "")),
        ("karafka", "mine", ("unknown", "librdkafka 2.10.1")),
        ("a-name-of-its-own", "1.0-rdkafka-2.5.0", ("yes", "librdkafka 2.10.1")),
        ("confluent-kafka-python", "2.10.0-rdkafka-2.10.1", ("yes", "confluent-kafka-python 2.11")),
        ("confluent-kafka-python", "2.11.0-rdkafka-2.10.0", ("yes", "librdkafka 2.10.1")),
        ("confluent-kafka-python", "2.11.0-rdkafka-2.11.0", ("no", "")),
        ("confluent-kafka-python", "mine", ("unknown", "confluent-kafka-python 2.11")),
    ],
)
def test_software_is_held_against_the_entries_that_are_about_it(name, version, answer):
    least = {"apache-kafka-java": "3.7.0", "librdkafka": "2.10.1", "confluent-kafka-python": "2.11"}

    assert below_least(name, version, least) == answer


@pytest.mark.parametrize("text", ["100ms", "10s", "1m30s", "5m", "59m59s999ms", "1h", "8760h"])
def test_a_duration_is_written_as_people_write_it(text):
    assert duration_text(parse_duration(text)) == text


def test_no_duration_is_a_duration_too():
    assert parse_duration(duration_text(timedelta())) == timedelta()
