"""The rollup of telemetry against an oracle in plain Python, whatever the cut into batches, by the native decoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kwitness.contracts.resources.analytics_parameters import TelemetryRollupParameters
from kwitness.jobs.analyses.telemetry_rollup import decoder, native_decoder
from kwitness.jobs.analyses.telemetry_rollup.job import JOB
from kwitness.jobs.frame.job import JobInput, WindowsSink
from kwitness.jobs.frame.windows_sink import WindowTables

from tests import soak
from tests.jobs import pushed, telemetry_oracle
from tests.jobs.tables import read
from tests.jobs.window_tables import parts, run

KEPT, MOST = ("b", "i", "l", "m", "plain", "q", "records", "s", "took"), 7
"""How names begin of metrics that are kept, and points of a push."""


def tables(spark: SparkSession, folder: Path, **parameters: Any) -> WindowTables:
    """The tables of a driver that has just begun."""
    assert isinstance(JOB.sink, WindowsSink)
    job_input = JobInput(TelemetryRollupParameters(**parameters), 300.0)
    found = WindowTables(spark, JOB, JOB.sink, job_input, path=str(folder / "table"), facts_path=str(folder / "facts"))
    found.prepare()
    return found


def rows_of(path: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The table, as the oracle has it."""
    found = {}
    for row in read(path):
        assert row.pop("computed_by") == "TelemetryRollup/1"
        del row["day"]
        length = row.pop("window_seconds") * 1000
        start = row.pop("window_start_ms")
        assert row.pop("window_end_ms") == start + length
        bounds = row["bounds"]
        row["bounds"] = None if bounds is None else tuple(bounds)
        key = (length, start, *(row.pop(name) for name in telemetry_oracle.NAMED))
        assert key not in found, f"two rows for {key}"
        found[key] = row
    return found


@pytest.mark.parametrize("seed", soak.seeds(10))
@pytest.mark.soak
def test_any_cut_into_batches_gives_the_table_of_the_oracle(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    assert decoder.decoder() is native_decoder
    records = pushed.mixed(seed)
    at = tables(spark, tmp_path, metrics=KEPT, seriesPerPush=MOST)

    bad = set().union(*(run(spark, at, part) for part in parts(records, 2 + seed % 4)))

    rows, expected = telemetry_oracle.telemetry(records, prefixes=KEPT, most=MOST)
    assert bad == expected
    found = rows_of(at.table.path)
    assert {key: (row, rows.get(key)) for key, row in found.items() if row != rows.get(key)} == {}
    assert found.keys() == rows.keys()
    assert {key[0] for key in rows} == {300_000, 3_600_000, 86_400_000}
    assert {row["state"] for row in rows.values()} == {"grace", "open"}
    _tells_what_is_left_out(at, rows)


def _tells_what_is_left_out(at: WindowTables, rows: dict[tuple[Any, ...], dict[str, Any]]) -> None:
    assert JOB.findings is not None
    parameters = TelemetryRollupParameters(metrics=KEPT, seriesPerPush=MOST)
    told = JOB.findings(at.table.frame(), JobInput(parameters, 300.0), pushed.START_MS + 86_400_000)
    for kind, name in (("SeriesLeftOut", "left_out"), ("PointsUnusable", "unusable")):
        lost = {key[8:12] for key, row in rows.items() if key[0] == 300_000 and (row[name] or 0) > 0}
        assert told.counts[kind] == len(lost) > 0
        assert len([one for one in told.examples if one.kind == kind]) == len(lost)
    assert f"keeps the first {MOST}" in told.examples[0].message
