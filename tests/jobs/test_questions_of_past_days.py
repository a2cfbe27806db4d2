"""The SQL of the guide of daily questions, on tables that the jobs made of generated past days."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter, defaultdict
from datetime import UTC, datetime
from typing import Any

import pytest
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData
from pyspark.sql import SparkSession

from kwitness.cli.__main__ import main

from tests.jobs.past_days import DAY_MS, LOG_BYTES, TOPICS, PastDays, past_days
from tests.questions_page import PAGE, questions

LINES = {
    question.number: question.answer.text
    for question in questions()
    if question.answer is not None and question.answer.reads_tables
}
TEAMS = {"orders-0": "orders", "mail-3": "mail"}
OLD = {"orders-0", "mail-3"}
"""Clients with a library that Kafka 4.0 no longer answers."""
Row = dict[str, Any]


@pytest.fixture(scope="module")
def days(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> PastDays:
    """The days that the page has its readers generate."""
    (line,) = re.findall(r"^kwitness (generate events .*) --bootstrap localhost:9092$", PAGE.read_text(), re.MULTILINE)
    return past_days(spark, tmp_path_factory.mktemp("past-days"), shlex.split(line))


@pytest.fixture
def answer(days: PastDays, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Types the line of a question where its tables are, and returns its rows."""
    monkeypatch.chdir(days.folder)

    def typed(number: int) -> list[Row]:
        words = shlex.split(LINES[number].removesuffix(" --output csv"))[1:]
        assert main([*words, "--output", "json"]) == 0
        rows: list[Row] = json.loads(capsys.readouterr().out)["items"]
        return rows

    return typed


def month_of(row: Row) -> str:
    return datetime.fromtimestamp(row["window_start_ms"] / 1000, UTC).strftime("%Y-%m")


def costs(days: PastDays, by: Any, where: Any = lambda _: True) -> dict[Any, float]:
    """Costs of bytes, a micro-unit for each that was sent and two for each that was fetched."""
    found: Counter[Any] = Counter()
    for api, rate in (("Produce", 1), ("Fetch", 2)):
        for row in days.moved(api):
            if where(row):
                found[by(row)] += row["bytes"] * rate
    return {key: micros / 1_000_000 for key, micros in found.items() if micros}


def topic_of(row: Row) -> str | None:
    """The topic as tables have it: by its id where an observer did not know the name."""
    return row.get("topic") or row.get("topic_id")


def test_the_questions_in_sql_are_these() -> None:
    assert LINES.keys() == {4, 5, 12, 13, 14, 20, 26, 30, 31, 32, 33, 35, 37, 38, 39, 40}


def test_what_breaks_when_brokers_are_upgraded(days: PastDays, answer: Any) -> None:
    used: Counter[Any] = Counter()
    for row in days.rows["traffic"]:
        if row["kind"] == "api" and row.get("client_id") in OLD:
            used[row["client_id"], row["api"], row["api_version"]] += row["requests"]

    found = {(row["client_id"], row["api"], row["api_version"]): row["requests"] for row in answer(4)}

    assert found
    assert found.items() <= used.items()
    assert {("orders-0", "Produce", 2), ("mail-3", "Fetch", 3)} <= found.keys()


def test_topics_that_can_go_and_what_that_frees(days: PastDays, answer: Any) -> None:
    used = {row["topic"] for row in days.rows["traffic"] if row.get("topic")}
    unused = set(TOPICS) - used

    assert unused
    assert {(row["topic"], row["log_bytes"]) for row in answer(5)} == {(topic, LOG_BYTES) for topic in unused}
    assert answer(37) == [{"topics": len(unused), "bytes": LOG_BYTES * len(unused)}]


def test_records_that_a_group_did_not_get(days: PastDays, answer: Any) -> None:
    written, read = offsets(days, "Produce"), offsets(days, "Fetch")
    passed: Counter[Any] = Counter()
    for (topic, partition, group), got in read.items():
        known = written[topic, partition, None]
        passed[topic, group] += sum(at not in got for at in range(max(got)) if at in known)

    found = answer(12)

    assert {(row["topic"], row["group_id"]): row["skipped"] for row in found} == passed
    assert {row["lost"] for row in found} == {0}, "the groups passed over them by themselves"
    assert answer(26) == []


def offsets(days: PastDays, api: str) -> dict[Any, set[int]]:
    """By topic, partition and group: the offsets of records that were written or read under the topic's name."""
    found: defaultdict[Any, set[int]] = defaultdict(set)
    for row in days.moved(api):
        for span in row["offset_ranges"] if row.get("topic") else ():
            found[row["topic"], row["partition"], row.get("group_id")] |= {*range(span["first"], span["last"] + 1)}
    return found


def test_how_late_records_are(days: PastDays, answer: Any) -> None:
    consumed: Counter[Any] = Counter()
    for row in days.rows["interceptions"]:
        consumed[row["topic"], row["group_id"], row["client_id"]] += row["consumed"]

    found = answer(13)

    assert {(row["topic"], row["group_id"], row["client_id"]): row["records"] for row in found} == consumed
    assert any(row["worst_p99_ms"] for row in found)


def test_whom_to_contact_before_a_schema_changes(days: PastDays, answer: Any) -> None:
    used = {
        (row["api"], row["client_id"], TEAMS.get(row["client_id"]))
        for api in ("Produce", "Fetch")
        for row in days.moved(api, topic="orders.0")
    }

    found = answer(14)

    assert {(row["api"], row["client_id"], row["owner"]) for row in found} == used
    assert {row["owner_contact"] for row in found if row["owner"] == "orders"} == {"#orders"}


def test_latencies_that_a_client_pushed(days: PastDays, answer: Any) -> None:
    pushed: defaultdict[str, list[float]] = defaultdict(list)
    for record in days.records["telemetry"]:
        if dict(record.headers)["client_id"] == b"orders-0":
            for metric in MetricsData.FromString(record.value or b"").resource_metrics[0].scope_metrics[0].metrics:
                pushed[metric.name] += [point.as_double for point in metric.gauge.data_points]

    found = {row["metric"]: row for row in answer(20)}

    assert len(found) == 2
    for name, row in found.items():
        assert row["greatest"] == pytest.approx(max(pushed[name]))
        assert row["mean"] == pytest.approx(sum(pushed[name]) / len(pushed[name]))


def test_who_was_there_at_a_time(days: PastDays, answer: Any) -> None:
    at_ms = int(datetime(2026, 9, 29, 14, tzinfo=UTC).timestamp()) * 1000
    there = {
        (row.get("client_id"), row.get("client_software_version"))
        for row in days.rows["traffic"]
        if row["window_start_ms"] == at_ms
    }

    assert {(row["client_id"], row["client_software_version"]) for row in answer(30)} == there


def test_what_each_team_costs_and_how_that_changes(days: PastDays, answer: Any) -> None:
    teams = costs(
        days, lambda row: TEAMS.get(row.get("client_id"), "(no owner)"), lambda row: month_of(row) == "2026-09"
    )

    found = answer(31)

    assert {row["month"] for row in found} == {"2026-09"}, "October is not over"
    assert {row["team"]: row["cost"] for row in found} == pytest.approx(teams)
    assert {row["month"]: row["cost"] for row in answer(32)} == pytest.approx(costs(days, month_of))
    assert sum(row["cost"] for row in answer(40)) == pytest.approx(sum(teams.values()) * 1_000_000)


def test_costs_without_an_owner(days: PastDays, answer: Any) -> None:
    unowned = costs(days, lambda row: (month_of(row), topic_of(row)), lambda row: row.get("client_id") not in TEAMS)

    assert {(row["month"], row["topic"]): row["cost"] for row in answer(33)} == pytest.approx(unowned)


def test_who_read_a_topic(days: PastDays, answer: Any) -> None:
    last: dict[Any, str] = {}
    # The table has days that are over for as long as windows may be late.
    last_day_ms = max(row["window_start_ms"] for row in days.rows["traffic"]) // DAY_MS * DAY_MS
    for row in days.moved("Fetch", topic="orders.0"):
        if row["window_start_ms"] >= last_day_ms:
            continue
        day = datetime.fromtimestamp((row["window_start_ms"] // DAY_MS + 1) * DAY_MS / 1000, UTC)
        key = row["principal"], row["client_id"]
        last[key] = max(last.get(key, ""), f"{day:%Y-%m-%d} 00:00:00")

    assert last
    assert {(row["principal"], row["client_id"]): row["last_read"] for row in answer(35)} == last


def test_tables_that_name_a_principal(days: PastDays, answer: Any) -> None:
    removed = {row["name"] for row in answer(38) if row["removed"]}

    assert removed >= {"traffic", "telemetry", "upgrade_impact"}


def test_which_application_feeds_which(days: PastDays, answer: Any) -> None:
    writers, readers = (
        {(row["client_id"], row["topic"]) for row in days.moved(api) if row.get("topic")}
        for api in ("Produce", "Fetch")
    )
    feeds = {
        (writer, topic, reader) for writer, topic in writers for reader, of_reader in readers if of_reader == topic
    }

    assert feeds
    assert {(row["writer"], row["topic"], row["reader"]) for row in answer(39)} == feeds
