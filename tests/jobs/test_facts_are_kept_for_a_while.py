from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from deltalake import DeltaTable
from pyspark.sql import SparkSession

from tests.jobs import observed, traffic_oracle
from tests.jobs.tables import read
from tests.jobs.window_tables import rows_of, run, tables

DAY_MS = 86_400_000


def test_days_of_facts_go_and_their_windows_stay_and_late_records_do_not_halve_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Retention is 2 h; facts stay a day and a window longer, by whole days."""
    old = observed.START_MS - 10 * DAY_MS
    values = [observed.partition(seq=seq, at=old, records=5) for seq in range(2)]
    values += [observed.partition(seq=seq, at=observed.START_MS, records=7) for seq in range(2, 4)]
    # Its own time in Kafka says that it is in time, but the day is gone by now.
    late = observed.partition(seq=9, at=old, records=1)
    *before, after = observed.placed([*values, late], partitions=1)
    at = tables(spark, tmp_path, retention="2h")
    for part in (before[:2], before[2:]):
        run(spark, at, part)

    at.tidy(datetime.fromtimestamp(observed.START_MS / 1000, UTC))

    assert {row["day"] for row in read(at.facts.path)} == {traffic_oracle.day_of(observed.START_MS)}
    assert run(spark, at, [after]) == {(observed.TRAFFIC, 0, 4)}
    assert rows_of(at.table.path) == traffic_oracle.traffic(before)[0]
    shutil.rmtree(tmp_path / "table")
    assert len(rows_of(tables(spark, tmp_path, retention="2h").table.path)) == 1


def test_files_of_the_open_day_are_left_and_those_of_closed_ones_written_together(
    spark: SparkSession, tmp_path: Path
) -> None:
    at = tables(spark, tmp_path)
    starts = [observed.START_MS - DAY_MS, observed.START_MS]
    records = observed.placed(
        [observed.partition(seq=seq, at=starts[seq % 2], sent_at_ms=starts[1]) for seq in range(4)], partitions=1
    )
    for part in (records[:2], records[2:]):
        run(spark, at, part)

    at.tidy(datetime.now(UTC))

    files = DeltaTable(at.facts.path).get_add_actions(flatten=True).to_pylist()
    days = sorted(str(one["partition.day"]) for one in files)
    closed, present = (str(traffic_oracle.day_of(start)) for start in starts)
    assert days == [closed, present, present]
