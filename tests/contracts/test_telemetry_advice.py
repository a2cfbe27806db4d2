"""Advice for clients that cannot push can be followed."""

from __future__ import annotations

import pytest

from kwitness.contracts.telemetry_advice import ways_to_telemetry


@pytest.mark.parametrize(
    ("name", "version", "sentence"),
    [
        (
            "kafka-python",
            "3.0.12",
            "kafka-python has no client telemetry in any version: use confluent-kafka-python, or observe it",
        ),
        (
            "segmentio-kafka-go",
            "0.4",
            "segmentio-kafka-go has no client telemetry in any version: use confluent-kafka-go or kgo, or observe it",
        ),
        (
            "apache-kafka-java",
            "3.6.1",
            "apache-kafka-java 3.6.1 has no client telemetry: upgrade it to 3.7.0, or observe it",
        ),
        (
            "librdkafka",
            "1.9.2",
            "librdkafka 1.9.2 has no client telemetry: upgrade it to librdkafka 2.5.3, or observe it",
        ),
        (
            "unknown",
            "unknown",
            "a client that announces no software (before KIP-511) has no client telemetry: observe it to know which",
        ),
    ],
)
def test_advice_for_a_client_that_cannot_push_can_be_followed(name, version, sentence) -> None:
    assert ways_to_telemetry(name, version) == sentence


@pytest.mark.parametrize(
    ("name", "version", "sentence"),
    [
        ("kafka-python", "3.0.12", "kafka-python has no client telemetry in any version: use confluent-kafka-python"),
        ("librdkafka", "1.9.2", "librdkafka 1.9.2 has no client telemetry: upgrade it to librdkafka 2.5.3"),
        ("unknown", "unknown", "a client that announces no software (before KIP-511) has no client telemetry"),
    ],
)
def test_a_client_that_an_observer_sees_is_not_to_be_observed(name, version, sentence) -> None:
    advice = ways_to_telemetry(name, version, is_observed=True)

    assert advice == f"{sentence}; an observer counts what it reads and writes"
