"""Traffic against an oracle in plain Python: whatever the cut into batches, and wherever a driver is killed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kwitness.jobs.frame.delta_table import JobTable

from tests import soak
from tests.jobs import observed, traffic_oracle
from tests.jobs.tables import read
from tests.jobs.window_tables import parts, rows_of, run, tables


class KilledError(Exception):
    """Stands for a driver that ends at this moment."""


@pytest.mark.parametrize("seed", soak.seeds(10))
@pytest.mark.soak
def test_any_cut_into_batches_gives_the_table_of_the_oracle(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    records = observed.mixed(seed)
    at = tables(spark, tmp_path)

    bad = set().union(*(run(spark, at, part) for part in parts(records, 2 + seed % 4)))

    rows, expected = traffic_oracle.traffic(records)
    assert bad == expected
    assert rows_of(at.table.path) == rows
    assert {row["state"] for row in rows.values()} == {"sealed", "grace", "open"}
    assert {key[0] for key in rows} == {300_000, 3_600_000, 86_400_000}


@pytest.mark.parametrize("seed", soak.seeds(10))
@pytest.mark.soak
def test_a_driver_that_is_killed_between_any_two_steps_leaves_nothing_out_and_nothing_twice(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    records = observed.mixed(seed, minutes=12)
    first, second, third = parts(records, 3)

    # Without the first facts, then with facts and no windows at all.
    for step in ("append", "replace"):
        _dies_before(monkeypatch, step)
        with pytest.raises(KilledError):
            run(spark, tables(spark, tmp_path), first)
        monkeypatch.undo()
    at = tables(spark, tmp_path)
    assert run(spark, at, first) == set(), "it is all done, and no record is read again"
    assert rows_of(at.table.path) == traffic_oracle.traffic(first)[0]

    # With windows of some of the facts.
    _dies_before(monkeypatch, "replace")
    with pytest.raises(KilledError):
        run(spark, at, second)
    monkeypatch.undo()
    last = tables(spark, tmp_path)
    assert rows_of(last.table.path) == traffic_oracle.traffic([*first, *second])[0]
    # Spark had not noted the batch yet: it comes again, and with another end.
    run(spark, last, [*second, *third])

    assert rows_of(last.table.path) == traffic_oracle.traffic(records)[0]


@soak.alone
@pytest.mark.soak
def test_a_table_of_windows_that_was_removed_is_computed_from_the_facts_for_the_topics_asked_for_now(
    spark: SparkSession, tmp_path: Path
) -> None:
    records = observed.mixed(3, minutes=8)
    run(spark, tables(spark, tmp_path), records)
    shutil.rmtree(tmp_path / "table")

    at = tables(spark, tmp_path, topics=("stock",))

    assert rows_of(at.table.path) == traffic_oracle.traffic(records, topics=("stock",))[0]


def test_clients_have_a_row_for_each_value_of_the_columns_that_a_job_names(spark: SparkSession, tmp_path: Path) -> None:
    seen = [("10.0.0.1", "billing"), ("10.0.0.2", "billing"), ("10.0.0.2", "audit"), (None, "audit")]
    values = [
        observed.partition(seq=seq, client_address=address, group_id=group, listener="EXTERNAL")
        for seq, (address, group) in enumerate(seen)
    ]

    run(spark, tables(spark, tmp_path, client_columns=("client_address", "listener")), observed.placed(values))

    columns = ("client_address", "group_id", "listener", "requests")
    found = {tuple(row[name] for name in columns) for row in read(str(tmp_path / "table"))}
    assert found == {
        ("10.0.0.1", None, "EXTERNAL", 1),
        ("10.0.0.2", None, "EXTERNAL", 2),
        (None, None, "EXTERNAL", 1),
    }


def _dies_before(monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def die(*_: Any) -> None:
        raise KilledError

    monkeypatch.setattr(JobTable, step, die)
