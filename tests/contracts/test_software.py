"""Which librdkafka is inside, whether a client pushes, whether it would crash, whether it is ours."""

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
        ("librdkafka", "2.4.0", "no"),
        ("librdkafka", "2.5.0", "yes"),
        ("librdkafka", "2.5.2", "yes"),
        ("librdkafka", "2.5.3", "no"),
        ("confluent-kafka-python", "2.5.0-rdkafka-2.5.0", "yes"),
        ("apache-kafka-java", "3.7.0", "no"),
        ("kafka-python", "3.0.12", "no"),
        ("librdkafka", "mystery", "unknown"),
        ("never-heard-of", "1.0", "unknown"),
        ("unknown", "unknown", "no"),
    ],
)
def test_what_cannot_be_mapped_is_unknown_not_safe(name, version, answer) -> None:
    assert software.crashes_on_unknown_metrics(name, version) == answer


@pytest.mark.parametrize(
    ("name", "version", "answer"),
    [
        ("librdkafka", "2.5.1", True),
        ("librdkafka", "2.5.3", False),
        ("librdkafka", "mystery", True),
        ("my-own-name", "2.5.0", True),
        ("my-own-name", "2.5.3", False),
        ("my-own-name", "mystery", True),
        ("unknown", "unknown", False),
        ("apache-kafka-java", "mystery", False),
        ("kwitness-operator", "2.5.0", False),
    ],
)
def test_a_crash_is_reckoned_with_where_nothing_speaks_against_it(name, version, answer) -> None:
    assert software.may_crash_on_unknown_metrics(name, version) is answer


@pytest.mark.parametrize(
    ("name", "version", "answer"),
    [
        ("librdkafka", "2.5.2", False),
        ("librdkafka", "2.5.3", True),
        ("confluent-kafka-python", "2.10.0-rdkafka-2.10.0", True),
        ("confluent-kafka-python", "2.10.1-rdkafka-2.10.1", False),
        ("apache-kafka-java", "2.8.0", False),
    ],
)
def test_which_librdkafka_pushes_null(name, version, answer) -> None:
    assert software.pushes_null(name, version) is answer


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
    assert software.ways_to_telemetry(name, version) == sentence


@pytest.mark.parametrize(
    ("name", "version", "sentence"),
    [
        ("kafka-python", "3.0.12", "kafka-python has no client telemetry in any version: use confluent-kafka-python"),
        ("librdkafka", "1.9.2", "librdkafka 1.9.2 has no client telemetry: upgrade it to librdkafka 2.5.3"),
        ("unknown", "unknown", "a client that announces no software (before KIP-511) has no client telemetry"),
    ],
)
def test_a_client_that_an_observer_sees_is_not_to_be_observed(name, version, sentence) -> None:
    advice = software.ways_to_telemetry(name, version, is_observed=True)

    assert advice == f"{sentence}; an observer counts what it reads and writes"


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
