"""Software that is known to be wrong is found by name and version, and holds subscriptions back where it crashes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kwitness.contracts import software_defects
from kwitness.contracts.software import SOFTWARE, parse_version
from kwitness.contracts.software_defects import DEFECTS, SoftwareDefect, defects_of


def ids(name: str, version: str) -> set[str]:
    return {defect.id for defect in defects_of(name, version)}


@pytest.mark.parametrize(
    ("name", "version", "known"),
    [
        (
            "librdkafka",
            "2.5.0",
            {"CrashOnUnknownMetrics", "LostMetricNames", "WrongDoubledMetrics", "CostlyUncompressedPushes"},
        ),
        (
            "confluent-kafka-python",
            "2.10.0-rdkafka-2.10.0",
            {
                "DisconnectOnNullPush",
                "LostMetricNames",
                "WrongDoubledMetrics",
                "WrongPollRatio",
                "CostlyUncompressedPushes",
            },
        ),
        ("my-own-name", "1.0-rdkafka-2.10.1", {"WrongPollRatio", "CostlyUncompressedPushes"}),
        ("librdkafka", "2.12.0", set()),
        ("kgo", "v1.18.1", {"WrongSoftwareOfConnections"}),
        (
            "kgo",
            "v1.20.4",
            {
                "LostAllMetrics",
                "WrongSoftwareOfConnections",
                "WrongRatesAndMeans",
                "LostLastPush",
                "LostAfterAttribute",
            },
        ),
        ("kgo", "v1.21.3", {"WrongRatesAndMeans", "LostLastPush", "LostAfterAttribute"}),
        ("kgo", "v1.21.4", set()),
        ("apache-kafka-java", "3.6.1", set()),
        ("apache-kafka-java", "3.9.1", {"LostAfterDisconnect", "LostWithoutCompressionLibrary"}),
        ("apache-kafka-java", "3.9.2", {"LostAfterDisconnect"}),
        ("apache-kafka-java", "4.0.2", set()),
        ("apache-kafka-java", "4.1.0", {"LostAfterDisconnect"}),
        ("apache-kafka-java", "4.1.1", set()),
        ("librdkafka", "mystery", set()),
        ("never-heard-of", "2.5.0", set()),
        ("unknown", "unknown", set()),
        ("", "", set()),
    ],
)
def test_what_is_known_to_be_wrong_with_a_version(name: str, version: str, known: set[str]) -> None:
    assert ids(name, version) == known


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.id)
def test_a_defect_is_consistent(defect: SoftwareDefect) -> None:
    fixes = [fixed for text in defect.fixed_in if (fixed := parse_version(text)) is not None]

    assert defect.id.startswith(defect.harm)
    assert defect.software in {software.name for software in SOFTWARE}
    assert all(first <= last for first, last in defect.affected)
    assert all(last < first for (_, last), (first, _) in pairwise(defect.affected))
    assert len(fixes) == len(defect.fixed_in)
    assert fixes[-1] > defect.affected[-1][1]
    for text in defect.fixed_in:
        assert defect.id not in ids(defect.software, text)
    assert not defect.effect.endswith(".")


def test_ids_are_unique() -> None:
    assert len({defect.id for defect in DEFECTS}) == len(DEFECTS)


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
    assert software_defects.crashes_on_unknown_metrics(name, version) == answer


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
    assert software_defects.may_crash_on_unknown_metrics(name, version) is answer


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
    assert software_defects.pushes_null(name, version) is answer
