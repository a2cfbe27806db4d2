"""Checks names of Kafka's error codes against Kafka's own classes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kwitness.contracts.kafka_errors import error_text
from kwitness.contracts.tables.kafka_errors import ENTRIES
from kwitness.devtools.wire.kafka_clients import NEWEST, OLDEST, clients_jars

from tests.java_programs import program

LISTING = Path(__file__).parent / "ListKafkaErrors.java"


def errors_of(version: str) -> list[str]:
    """Return codes and names that Kafka's classes of a version have."""
    command = ["java", "-XX:TieredStopAtLevel=1", *program(LISTING, f"{clients_jars(version)}/*")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.slow
def test_names_are_those_of_the_newest_kafka_which_has_all_of_the_oldest() -> None:
    registered = [f"{error.code} {error.name}" for error in ENTRIES]

    assert registered == errors_of(NEWEST)
    assert {*errors_of(OLDEST)} <= {*registered}


def test_a_code_without_a_name_is_shown_alone() -> None:
    assert error_text("29") == "29 TOPIC_AUTHORIZATION_FAILED"
    assert error_text("-1") == "-1 UNKNOWN_SERVER_ERROR"
    assert error_text("30000") == "30000"
    assert error_text("029") == "029"
