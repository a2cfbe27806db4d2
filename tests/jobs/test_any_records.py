"""Analyses read any rows that a workload can write to their end, and what they reject has no effect."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from kwitness.jobs.frame.job import rejected_in
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.moments import now_ms
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.sink import Reading

from tests.jobs.any_records import records_of
from tests.jobs.open_tables import READ_TOPICS, OpenTables, kinds_of, open_tables
from tests.jobs.tables import frame_of, read

_RECORDS = 24


@st.composite
def batches(draw: st.DrawFn) -> tuple[str, list[KafkaRecord]]:
    """An analysis, and records of the topics that it reads."""
    job_type = draw(st.sampled_from(READ_TOPICS))
    kinds = [records_of(kind) for kind in kinds_of(job_type)]
    drawn = draw(st.lists(st.one_of(kinds), min_size=1, max_size=_RECORDS))
    return job_type, [record._replace(partition=0, offset=at) for at, record in enumerate(drawn)]


# An example is seconds of Spark: there are few, and what fails is not made smaller. `make fuzz` has many more.
@settings(max_examples=settings.default.max_examples // 100, phases=[Phase.generate])
@given(batch=batches())
def test_any_records_are_used_or_rejected_and_what_is_rejected_leaves_no_row(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, batch: tuple[str, list[KafkaRecord]]
) -> None:
    job_type, records = batch
    tables = open_tables(spark, tmp_path_factory.mktemp("any"), job_type)
    for read_records in tables.reads:
        reading = read_records(frame_of(spark, records))
        decoded = reading.decoded.persist()
        used, rejected, places = _counted(reading)
        assert used + rejected == len(records)
        of_rejected = [record for record in records if (record.topic, record.offset) in places]
        if of_rejected:
            before, alone = read(tables.table.path), read_records(frame_of(spark, of_rejected))
            assert _counted(alone)[:2] == (0, rejected)
            _write(alone, of_rejected)
            assert read(tables.table.path) == before, "no row and no verdict from what was rejected"
        if used:
            _write(reading, records)
        decoded.unpersist()
    _find(tables, used)


def _counted(reading: Reading) -> tuple[int, int, set[tuple[str, int]]]:
    """How many records are used and how many rejected, and where the rejected ones are."""
    used = sum(row["used"] or 0 for row in reading.decoded.select("used").collect())
    rejected = rejected_in(reading.decoded).select("topic", "offset").collect()
    return used, len(rejected), {(row["topic"], row["offset"]) for row in rejected}


def _write(reading: Reading, records: list[KafkaRecord]) -> None:
    reading.write({TopicPartition(record.topic, 0): record.offset + 1 for record in records})


def _find(tables: OpenTables, used: int) -> None:
    if tables.job.findings is None:
        return
    found = tables.job.findings(tables.table.frame(), tables.given, now_ms())
    assert used or not any(found.counts.values()), "no finding from nothing"
