"""The librdkafka inside a client is found, and clients that push and our own are known by name and version."""

from __future__ import annotations

import pytest

from kwitness.contracts import software


@pytest.mark.parametrize(
    ("name", "version", "inside"),
    [
        ("librdkafka", "2.5.0", (2, 5, 0)),
        ("librdkafka", "v2.5.2", (2, 5, 2)),
        ("librdkafka", "2.6.0-RC1", (2, 6, 0)),
        ("confluent-kafka-python", "2.5.0-rdkafka-2.5.0", (2, 5, 0)),
        ("confluent-kafka-python", "2.16.1-rdkafka-2.16.0", (2, 16, 0)),
        ("confluent-kafka-javascript", "1.0.0-librdkafka-2.6.1", (2, 6, 1)),
        ("confluent-kafka-dotnet", "2.5.1", (2, 5, 1)),
        ("confluent-kafka-go", "2.5.0", (2, 5, 0)),
        ("karafka", "v2.5.0-rdkafka-ruby-v0.19.5-librdkafka-v2.8.0", (2, 8, 0)),
        ("my-own-name", "1.0-rdkafka-2.5.0", (2, 5, 0)),
        ("librdkafka", "unknown", None),
        ("apache-kafka-java", "4.1.0", None),
        ("never-heard-of", "2.5.0", None),
        ("", "", None),
    ],
)
def test_the_librdkafka_inside(name, version, inside) -> None:
    assert software.librdkafka_version(name, version) == inside


@pytest.mark.parametrize(
    ("name", "version", "answer"),
    [
        ("apache-kafka-java", "3.6.1", "tooOld"),
        ("apache-kafka-java", "3.7.0", "yes"),
        ("apache-kafka-java", "4.3.1", "yes"),
        ("apache-kafka-java", "unknown", "unknown"),
        ("confluent-kafka-python", "2.4.0-rdkafka-2.4.0", "tooOld"),
        ("confluent-kafka-python", "2.16.1-rdkafka-2.16.0", "yes"),
        ("kafka-python", "3.0.12", "tooOld"),
        ("kgo", "v1.19.0", "yes"),
        ("kgo", "v1.18.1", "tooOld"),
        ("kgo", "unknown", "unknown"),
        ("never-heard-of", "1.0", "unknown"),
        ("unknown", "unknown", "tooOld"),
    ],
)
def test_whether_a_client_pushes(name, version, answer) -> None:
    assert software.pushes_telemetry(name, version) == answer


@pytest.mark.parametrize(
    ("client_id", "name", "version", "ours"),
    [
        ("kwitness-collector-main-0", "confluent-kafka-python", "2.16.1", True),
        (None, "kwitness-operator", None, True),
        (None, "apache-kafka-java", "3.9.1-kwitness", True),
        ("orders", "apache-kafka-java", "3.9.1", False),
        ("my-kwitness-thing", None, "kwitness-3.9.1", False),
        (None, None, None, False),
    ],
)
def test_a_client_is_ours_by_id_name_or_version(client_id, name, version, ours) -> None:
    assert software.is_ours(client_id, name, version) is ours


@pytest.mark.parametrize("text", ["", "x", "1", "1.x", ".1.2"])
def test_what_is_no_version_is_none(text) -> None:
    assert software.parse_version(text) is None


def test_absurd_versions_do_not_overflow_anything() -> None:
    assert software.parse_version("9" * 10_000) is None
    assert software.librdkafka_version("librdkafka", "rdkafka-" + "9" * 10_000 + ".1.1") is None
