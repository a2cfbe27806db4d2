"""Batches leave alone what does not change: files of rows that say nothing new, and of clients that are gone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.resources.analytics_parameters import ClientInventoryParameters, UpgradeImpactParameters
from kwitness.jobs.analyses.client_inventory.job import JOB, SINK
from kwitness.jobs.analyses.client_inventory.schema import SEEN_TOLERANCE_MS
from kwitness.jobs.analyses.upgrade_impact import job as upgrade_impact
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.frame.offsets import TopicPartition

from tests import soak
from tests.jobs import oracle
from tests.jobs.api_uses import request
from tests.jobs.tables import by_client, frame_of, kinded, read
from tests.jobs.traffic import START_MS, push, snapshot

JOB_INPUT = JobInput(ClientInventoryParameters(forget_after="1h"), 300.0)
START = datetime.fromtimestamp(START_MS / 1000, UTC)
#: In 25 minutes, whatever their number.
BATCHES = 50 if soak.SOAKS else 6
EVERY_MS = 1_500_000 // BATCHES
PUSHES_EVERY = max(2, BATCHES // 5)
"""Batches: each client pushes every five minutes, or eight of the few; more often than is written."""
GONE, HERE = 400, 20


@pytest.mark.soak
def test_batches_of_clients_that_are_still_there_write_little(spark: SparkSession, tmp_path: Path) -> None:
    sink = _sink(spark, tmp_path)
    gone = [push(client_instance_id=f"gone-{one}", terminating="true") for one in range(GONE)]
    records = [*gone, snapshot()]
    _merge(spark, sink, records)
    of_gone = _files(tmp_path)
    for number in range(1, BATCHES):
        at = START_MS + number * EVERY_MS
        batch = [snapshot(number, sent_at_ms=at)]
        if number % PUSHES_EVERY == 1:
            batch += [push(number, client_instance_id=f"here-{one}", received_at_ms=str(at)) for one in range(HERE)]
        records += batch
        _merge(spark, sink, batch)

    found, expected = by_client(read(sink.table.path)), oracle.inventory(kinded(records))[0]
    assert _but_last_seen(found) == _but_last_seen(expected)
    for key, row in expected.items():
        assert 0 <= row["last_seen_ms"] - found[key]["last_seen_ms"] < SEEN_TOLERANCE_MS
    written = _files(tmp_path)
    assert of_gone <= written, "files of clients that are gone are as they were"
    assert sink.table.positions() == {TopicPartition("t", 0): len(records)}
    # Two kinds of rows, of which each changes every ten minutes at most, and what was there at first.
    minutes = BATCHES * EVERY_MS / 60_000
    assert len(written) <= len(of_gone) + 2 * (minutes // 10 + 1)
    assert _bytes(tmp_path) < 4 * sum(path.stat().st_size for path in _live(tmp_path))


def test_clients_that_are_there_are_not_forgotten_and_come_back_from_the_ended(
    spark: SparkSession, tmp_path: Path
) -> None:
    sink = _sink(spark, tmp_path)
    _merge(spark, sink, [push(client_instance_id="here"), push(client_instance_id="gone")])
    seen = START_MS + SEEN_TOLERANCE_MS - 1
    _merge(spark, sink, [push(client_instance_id="here", received_at_ms=str(seen))])
    assert _column(sink, "last_seen_ms") == {"here": START_MS, "gone": START_MS}, "too little to be written"

    assert SINK.expired is not None
    at_last = SINK.expired(JOB_INPUT, START + timedelta(hours=1, milliseconds=SEEN_TOLERANCE_MS))
    assert sink.table.frame().where(at_last).isEmpty(), "seen within the hour for all that the table knows"
    sink.tidy(START + timedelta(hours=1, milliseconds=SEEN_TOLERANCE_MS + 1))
    assert _column(sink, "ended") == {}

    year = LatticeTable(spark, JOB, SINK, JobInput(ClientInventoryParameters(), 300.0), sink.table.path)
    _merge(spark, year, [push(client_instance_id="here"), push(client_instance_id="gone")])
    year.tidy(START + timedelta(days=1, milliseconds=1))
    assert _column(year, "ended") == {"here": True, "gone": True}
    _merge(spark, year, [push(client_instance_id="here", received_at_ms=str(START_MS + 90_000_000))])
    assert _column(year, "ended") == {"here": False, "gone": True}


def test_a_table_of_an_earlier_version_goes_on_as_it_is_partitioned(spark: SparkSession, tmp_path: Path) -> None:
    path, records = str(tmp_path / "table"), [push(0), push(1, client_instance_id="other", terminating="true")]
    earlier = type(JOB.schema)([field for field in JOB.schema if field.name != "ended"])
    table = JobTable(spark, path, earlier, SINK.keys)
    table.ensure()
    table.merge(SINK.transform(frame_of(spark, records), JOB_INPUT).rows.drop("ended"), lambda *_: {}, {})

    sink = _sink(spark, tmp_path)
    again = push(2, received_at_ms=str(START_MS + 5))
    _merge(spark, sink, [again, push(3, client_instance_id="third")])

    rows = {row["client_instance_id"]: row for row in read(path)}
    assert {name: row["ended"] for name, row in rows.items()} == {
        "AAAAAAAAAAAAAAAAAAAAAA": False,
        "other": None,
        "third": False,
    }
    assert rows["AAAAAAAAAAAAAAAAAAAAAA"]["last_seen_ms"] == START_MS + 5, "written for its new column"
    assert not list((tmp_path / "table").glob("ended=*"))


def test_batches_of_upgrade_impact_leave_files_of_clients_that_are_gone(spark: SparkSession, tmp_path: Path) -> None:
    given = JobInput(UpgradeImpactParameters(target="4.4"), 300.0)
    sink = LatticeTable(spark, upgrade_impact.JOB, upgrade_impact.SINK, given, str(tmp_path / "table"))
    sink.prepare()
    day_later = START_MS + 86_400_000

    def batch(client_id: str, end_ms: int) -> None:
        reading = sink.read(frame_of(spark, [request(client_id=client_id, window_end_ms=end_ms)]))
        reading.write({})

    batch("gone", START_MS + 10_000)
    batch("here", day_later)
    sink.tidy(START + timedelta(days=1, minutes=1))
    of_gone = {path for path in _live(tmp_path) if "ended=true" in str(path)}
    for minute in range(1, 3):
        batch("here", day_later + minute * 60_000)

    rows = {row["client_id"]: (row["ended"], row["requests"]) for row in read(sink.table.path)}
    assert rows == {"gone": (True, 1), "here": (False, 3)}
    assert of_gone
    assert of_gone == {path for path in _live(tmp_path) if "ended=true" in str(path)}
    batch("gone", day_later + 180_000)
    assert _column(sink, "ended", "client_id") == {"gone": False, "here": False}


def _sink(spark: SparkSession, folder: Path) -> LatticeTable:
    sink = LatticeTable(spark, JOB, SINK, JOB_INPUT, str(folder / "table"))
    sink.prepare()
    return sink


def _merge(spark: SparkSession, sink: LatticeTable, records: list[KafkaRecord]) -> None:
    """One batch, with the positions after all that the table has had."""
    where = TopicPartition("t", 0)
    to = {where: sink.table.positions().get(where, 0) + len(records)}
    sink.merge(SINK.transform(frame_of(spark, records), JOB_INPUT).rows, to)


def _but_last_seen(rows: dict[tuple[Any, ...], dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {
        key: {
            **{name: value for name, value in row.items() if name != "last_seen_ms"},
            "versions": [{**one, "last_seen_ms": None} for one in row["versions"]],
        }
        for key, row in rows.items()
    }


def _column(sink: LatticeTable, name: str, key: str = "client_instance_id") -> dict[str, Any]:
    return {row[key]: row[name] for row in read(sink.table.path)}


def _files(folder: Path) -> set[Path]:
    """Every file of rows on the disk, those of earlier versions among them."""
    return {path for path in (folder / "table").rglob("*.parquet") if "_delta_log" not in path.parts}


def _live(folder: Path) -> set[Path]:
    """Those of the present version."""
    found: set[str] = set()
    for commit in sorted((folder / "table" / "_delta_log").glob("*.json")):
        for action in map(json.loads, commit.read_text().splitlines()):
            found |= {action["add"]["path"]} if "add" in action else set()
            found -= {action["remove"]["path"]} if "remove" in action else set()
    return {folder / "table" / path for path in found}


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in _files(folder))
