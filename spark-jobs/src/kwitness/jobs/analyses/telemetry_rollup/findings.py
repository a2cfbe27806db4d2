"""What somebody should look at: clients of whose pushes a part is not in the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.analyses.telemetry_rollup.schema import PUSH
from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.moments import DAY_MS
from kwitness.jobs.frame.windows import base_seconds

_KINDS = {"SeriesLeftOut": "left_out", "PointsUnusable": "unusable"}
#: Of what a client calls itself.
_MAX_NAME = 100
_WHO = ("client_id", "principal", "client_software_name", "client_software_version")


def findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    """Count clients that lost data points in the last day of the table, by what became of them."""
    base = table.where((F.col("kind") == PUSH) & (F.col("window_seconds") == base_seconds(job_input.window_seconds)))
    # What a clock that is ahead has written does not end the day.
    latest = base.where(F.col("window_start_ms") <= now_ms).agg(F.max("window_start_ms")).collect()[0][0]
    if latest is None:
        return Findings(dict.fromkeys(_KINDS, 0))
    recent = base.where(F.col("window_start_ms") > latest - DAY_MS).groupBy(*_WHO)
    sums = recent.agg(*(F.sum(name).alias(name) for name in ("pushes", "points", *_KINDS.values())))
    counts: dict[str, int] = {}
    examples: list[Finding] = []
    for kind, name in _KINDS.items():
        lost = sums.where(F.col(name) > 0)
        counts[kind] = lost.count()
        told = lost.orderBy(F.desc(name), *_WHO).limit(MAX_EXAMPLES - len(examples)).collect()
        examples += (Finding(kind, _subject(row.asDict()), message(kind, row.asDict(), job_input)) for row in told)
    return Findings(counts, tuple(examples))


def _subject(row: Mapping[str, Any]) -> str:
    name = row["client_id"] or row["principal"] or "a client without a name"
    return f"{name[:_MAX_NAME]} ({_software(row)})"


def message(kind: str, row: Mapping[str, Any], job_input: JobInput) -> str:
    """What was found of a client, by which evidence, and what to do."""
    where = f"in {row['pushes']} pushes of the last day of the table, beside {row['points']} that are in it"
    if kind == "SeriesLeftOut":
        most = job_input.parameters.series_per_push
        return (
            f"{row['left_out']} data points were left out {where}: a push keeps the first {most}. Subscribe it "
            "to fewer metrics, keep fewer with parameters.telemetryRollup.metrics, or raise seriesPerPush"
        )
    return (
        f"{row['unusable']} data points could not be used {where}: counters that fall, numbers without end, histograms "
        "whose buckets do not fit, names that are too long, or kinds that are not read. Look for a newer release of "
        f"{_software(row)}"
    )


def _software(row: Mapping[str, Any]) -> str:
    known = (row["client_software_name"], row["client_software_version"])
    return " ".join(text[:_MAX_NAME] for text in known if text) or "unknown software"
