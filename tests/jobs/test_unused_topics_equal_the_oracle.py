from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.resources.analytics_parameters import UnusedTopicsParameters
from kwitness.jobs.analyses.unused_topics.job import JOB, SINK
from kwitness.jobs.analyses.unused_topics.transform import expired, transform
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.job import JobInput

from tests import soak
from tests.jobs.tables import frame_of, read
from tests.jobs.topic_uses import DAY_MS, as_oracle, observed, table_of, uses
from tests.jobs.traffic import START_MS

JOB_INPUT = JobInput(UnusedTopicsParameters(), 300.0)
CUTS = soak.seeds(60)


@pytest.mark.soak
@pytest.mark.parametrize("seed", soak.seeds(10))
def test_a_batch_equals_the_oracle(spark: SparkSession, seed: int) -> None:
    records = uses(seed, count=400)

    found = transform(frame_of(spark, records), JOB_INPUT)

    rows, bad = table_of(records)
    assert as_oracle(row.asDict(recursive=True) for row in found.rows.collect()) == rows
    assert {(row.topic, row.offset) for row in found.rejected.collect()} == bad


def test_each_record_is_used_or_rejected_once(spark: SparkSession) -> None:
    records = uses(seed=3)

    lines = transform(frame_of(spark, records), JOB_INPUT).decoded.collect()

    rejected = sum(line.rejected is not None for line in lines)
    assert rejected
    assert sum(line.used or 0 for line in lines) + rejected == len(records)
    assert all(sum(one is not None for one in line) == 1 for line in lines)


@pytest.mark.soak
def test_any_cut_into_batches_gives_the_oracles_table(spark: SparkSession, tmp_path: Path) -> None:
    table = JobTable(spark, str(tmp_path / "table"), JOB.schema, SINK.keys)
    table.ensure()
    # Each cut is of clusters of its own, so that one merge serves all of them.
    parts: list[list[object]] = [[], [], []]
    everything = []
    for seed in CUTS:
        dice = random.Random(seed)  # noqa: S311
        records = uses(seed, count=40, cluster=f"cut-{seed}")
        everything += records
        for record in records:
            for part in dice.sample(parts, dice.choice([1, 1, 1, 2])):
                part.append(record)

    for part in parts:
        table.merge(transform(frame_of(spark, part), JOB_INPUT).rows, SINK.merge, {})  # type: ignore[arg-type]

    assert as_oracle(read(table.path)) == table_of(everything)[0]


def test_what_clients_send_is_kept_short_and_the_future_is_not_believed(spark: SparkSession) -> None:
    record = observed(api="Fetch", topic="a", client_id="x" * 30_000, window_end_ms=2**60)

    rows = transform(frame_of(spark, [record]), JOB_INPUT).rows.where("kind = 'topic'").collect()

    assert [len(row.last_fetched_client_id) for row in rows] == [512]
    assert [row.last_fetched_ms for row in rows] == [record.timestamp_ms]


def test_what_was_not_seen_for_twice_the_period_is_dropped(spark: SparkSession) -> None:
    records = [observed(offset=0, api="Fetch", topic="a"), observed(offset=1, api="Fetch", topic="b")]
    rows = transform(frame_of(spark, records), JOB_INPUT).rows
    end = datetime.fromtimestamp((START_MS + 10_000) / 1000, UTC)
    at = {days: datetime.fromtimestamp(end.timestamp() + days * DAY_MS / 1000, UTC) for days in (59, 61)}

    dropped = {days: rows.where(expired(JOB_INPUT, now)).count() for days, now in at.items()}

    assert dropped == {59: 0, 61: rows.count()}
