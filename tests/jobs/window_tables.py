"""The tables of a job with windows, driven by hand: as the stream does it, without Kafka."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.resources.analytics_parameters import TrafficParameters
from kwitness.jobs.analyses.traffic.job import JOB
from kwitness.jobs.frame.job import JobInput, WindowsSink, rejected_in
from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.windows_sink import WindowTables

from tests.jobs import traffic_oracle
from tests.jobs.tables import frame_of, read, without_owners

assert isinstance(JOB.sink, WindowsSink)
SINK: WindowsSink = JOB.sink
Places = set[tuple[str, int, int]]


def tables(spark: SparkSession, folder: Path, owners: OwnerList | None = None, **parameters: Any) -> WindowTables:
    """The tables of a driver that has just begun."""
    job_input = JobInput(TrafficParameters(**parameters), 300.0, owners=owners)
    found = WindowTables(spark, JOB, SINK, job_input, path=str(folder / "table"), facts_path=str(folder / "facts"))
    found.prepare()
    return found


def run(spark: SparkSession, at: WindowTables, records: list[KafkaRecord]) -> Places:
    """Do a batch: what is below the positions is left out. Returns the places of bad records."""
    ends: dict[TopicPartition, int] = {}
    for record in records:
        where = TopicPartition(record.topic, record.partition)
        ends[where] = max(ends.get(where, 0), record.offset + 1)
    done = at.positions()
    left = [one for one in records if one.offset >= done.get(TopicPartition(one.topic, one.partition), 0)]
    if not left:
        return set()
    reading = at.read(frame_of(spark, left))
    decoded = reading.decoded.persist()
    try:
        bad = rejected_in(decoded).collect()
        if len(bad) < len(left):
            reading.write(ends)
    finally:
        decoded.unpersist()
    return {(row["topic"], row["partition"], row["offset"]) for row in bad}


def rows_of(path: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The table, as the oracle has it."""
    found = {}
    for row in map(without_owners, read(path)):
        assert row.pop("computed_by") == "Traffic/1"
        assert row.pop("day") == traffic_oracle.day_of(row["window_start_ms"])
        length = row.pop("window_seconds") * 1000
        assert row.pop("window_end_ms") == row["window_start_ms"] + length
        names = ("window_start_ms", "kind", "api", "topic", "topic_id", *traffic_oracle.WHO)
        key = (length, *(row.pop(name) for name in names))
        assert key not in found, f"two rows for {key}"
        found[key] = {name: dict(value) if isinstance(value, list) else value for name, value in row.items()}
    return found


def parts(records: list[KafkaRecord], count: int) -> Iterable[list[KafkaRecord]]:
    """Records in so many batches."""
    size = -(-len(records) // count)
    return (records[at : at + size] for at in range(0, len(records), size))
