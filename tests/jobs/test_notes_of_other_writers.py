"""Commits of other writers in a job's table do not make the job forget to where it was read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from kwitness.jobs.driver.failures import explain
from kwitness.jobs.frame.commit_notes import own_note
from kwitness.jobs.frame.delta_table import JobTable, TableHistoryError
from kwitness.jobs.frame.facts import day_of
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.stored_samples import StoredSamples

POSITIONS = {TopicPartition("t", 0): 7}
OWN = {"positions": {"t": {"0": 7}}, "latest_ms": None}
FOREIGN = (
    None,
    "",
    "nightly compaction",
    "{",
    "[" * 100_000,
    "null",
    "7",
    '["positions"]',
    "{}",
    '{"job": "backfill"}',
    '{"positions": 5}',
    '{"positions": {"t": [7]}}',
    '{"positions": {"t": {"first": 7}}}',
    '{"positions": {"t": {"0": "7"}}}',
    '{"positions": {"t": {"0": 1e400}}}',
    '{"positions": {"t": {"0": 9}}, "by": "backfill"}',
    '{"sampled_ms": "yesterday"}',
    '{"inputs": ["a"]}',
)


@pytest.mark.parametrize("text", FOREIGN)
def test_a_note_of_another_writer_is_none_of_a_job(text: str | None) -> None:
    assert not own_note(text)


@pytest.mark.parametrize("note", [OWN, {"sampled_ms": 5}, {"inputs": {"Traffic": {}}, "settings": "", "open": []}])
def test_a_note_of_a_job_is_read(note: dict[str, object]) -> None:
    assert own_note(json.dumps(note)) == note


def test_a_job_knows_its_place_whatever_others_commit(spark: SparkSession, tmp_path: Path) -> None:
    samples = StoredSamples(spark, str(tmp_path / "table"))
    table: JobTable = samples.table
    table.ensure()
    assert table.positions() == {}, "a table that was just made has no place"
    # Without a row there would be no commit.
    table.append(spark.createDataFrame([(day_of(1), 1, {})], table.frame().schema), OWN)
    for text in FOREIGN:
        _commit(tmp_path, text)
    for _ in range(60):
        _commit(tmp_path, None)
    spark.catalog.clearCache()

    assert table.positions() == POSITIONS
    samples.add(5, {"t": 1})
    samples.add(5, {"t": 1})
    assert sorted(row["sampled_ms"] for row in table.frame().collect()) == [1, 5]

    # What the log forgets after its retention.
    for _ in range(3):
        _commit(tmp_path, "nightly compaction")
    DeltaTable(tmp_path / "table").create_checkpoint()
    for file in sorted((tmp_path / "table" / "_delta_log").glob("0*.json"))[:-3]:
        file.unlink()
    with pytest.raises(TableHistoryError, match="others wrote to the table") as forgotten:
        table.positions()
    assert "another table" in explain(forgotten.value, "").message


def _commit(folder: Path, text: str | None) -> None:
    """Commit as a writer does that changes no row."""
    log = folder / "table" / "_delta_log"
    version = max(int(file.stem) for file in log.glob("0*.json")) + 1
    note = {} if text is None else {"userMetadata": text}
    entry = {
        "commitInfo": {
            "timestamp": 1_790_000_000_000 + version,
            "operation": "OPTIMIZE",
            "operationParameters": {},
            **note,
        }
    }
    (log / f"{version:020}.json").write_text(json.dumps(entry) + "\n")
