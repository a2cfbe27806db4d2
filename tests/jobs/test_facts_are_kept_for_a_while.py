from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from deltalake import DeltaTable
from pyspark.sql import SparkSession

from kwitness.jobs.frame.moments import now_ms

from tests.jobs import observed, traffic_oracle
from tests.jobs.tables import read
from tests.jobs.window_tables import rows_of, run, tables

DAY_MS = 86_400_000
WINDOW_MS = 300_000


def test_days_of_facts_go_and_their_windows_stay_and_late_records_do_not_halve_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Retention is 2 h; facts stay a day and a window longer, by whole days. Short windows stay for a week."""
    old, yesterday, today = (observed.START_MS - days * DAY_MS for days in (10, 1, 0))
    # What is from yesterday was sent within the retention, by its own time in Kafka.
    starts = [old, old, yesterday, today, yesterday, today]
    values = [observed.partition(seq=seq, at=at, records=5) for seq, at in enumerate(starts)]
    late = observed.partition(seq=9, at=old, records=1)
    *before, after = observed.placed([*values, late], partitions=1)
    at = tables(spark, tmp_path, retention="2h", keep={"windows": "168h"})
    for part in (before[:4], before[4:]):
        run(spark, at, part)

    at.tidy(datetime.fromtimestamp(observed.START_MS / 1000, UTC))

    days = Counter(row["day"] for row in read(at.facts.path))
    assert days == {traffic_oracle.day_of(yesterday): 2, traffic_oracle.day_of(today): 2}
    files = DeltaTable(at.facts.path).file_uris()
    assert sum(f"day={traffic_oracle.day_of(yesterday)}" in file for file in files) == 1, "a closed day's are one"
    assert sum(f"day={traffic_oracle.day_of(today)}" in file for file in files) == 2, "the open day's are left"
    assert run(spark, at, [after]) == {(observed.TRAFFIC, 0, 6)}
    whole = traffic_oracle.traffic(before)[0]
    gone = {key for key in whole if key[0] == WINDOW_MS and traffic_oracle.day_of(key[1]) == traffic_oracle.day_of(old)}
    assert gone
    assert rows_of(at.table.path) == {key: row for key, row in whole.items() if key not in gone}
    assert {key[0] for key in whole if traffic_oracle.day_of(key[1]) == traffic_oracle.day_of(old)} > {WINDOW_MS}


def test_a_record_from_the_future_closes_no_window_of_the_present(spark: SparkSession, tmp_path: Path) -> None:
    present = now_ms() // WINDOW_MS * WINDOW_MS
    ahead, later = observed.placed(
        [observed.partition(seq=seq, at=present, records=5) for seq in range(2)], partitions=1
    )
    ahead = ahead._replace(timestamp_ms=present + DAY_MS)
    run(spark, tables(spark, tmp_path), [ahead])

    # A driver that begins with what was written then.
    at = tables(spark, tmp_path)
    run(spark, at, [later])

    assert [(row["records"], row["state"]) for row in rows_of(at.table.path).values()] == [(10, "open")]
