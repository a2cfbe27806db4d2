"""The tables of any job with windows, driven by hand."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel
from pyspark.sql import SparkSession

from kwitness.contracts.owners import OwnerList
from kwitness.jobs.frame.job import Job, JobInput, WindowsSink
from kwitness.jobs.frame.windows_sink import WindowTables


def tables(
    spark: SparkSession,
    folder: Path,
    job: Job,
    parameters: BaseModel,
    seconds: float = 300.0,
    *,
    owners: OwnerList | None = None,
) -> WindowTables:
    """The tables of a driver that has just begun."""
    assert isinstance(job.sink, WindowsSink)
    given = JobInput(parameters, seconds, owners=owners)
    paths = {"path": str(folder / "table"), "facts_path": str(folder / "facts")}
    found = WindowTables(spark, job, job.sink, given, **paths)
    found.prepare()
    return found
