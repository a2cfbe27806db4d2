"""The tables of any analysis that reads topics, as its stream opens them, without Kafka."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel
from pyspark.sql import DataFrame, SparkSession

from kwitness.contracts.resources.analyses import JOB_TYPES
from kwitness.contracts.resources.analytics_parameters import UpgradeImpactParameters
from kwitness.jobs.analyses.registry import find_job
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.job import Job, JobInput, LatticeSink, TableSink, WindowsSink
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.frame.sink import Reading
from kwitness.jobs.frame.windows_sink import WindowTables

from tests.jobs.test_latency_slo_equals_the_oracle import PARAMETERS
from tests.jobs.test_mirror_verdicts import parameters

_GIVEN: dict[str, BaseModel] = {
    "LatencySlo": PARAMETERS,
    "MirrorAudit": parameters(),
    "UpgradeImpact": UpgradeImpactParameters(target="4.4"),
}
READ_TOPICS = tuple(name for name in JOB_TYPES if not isinstance(find_job(name).sink, TableSink))
"""Types of analyses that read topics."""


@dataclass(frozen=True)
class OpenTables:
    """Tables of an analysis, open as a driver has them.

    Attributes
    ----------
    reads
        How it reads records: of its cluster, then of the second one where there is one.
    """

    job: Job
    given: JobInput
    table: JobTable
    reads: tuple[Callable[[DataFrame], Reading], ...]


def kinds_of(job_type: str) -> tuple[str, ...]:
    """Topics of the platform that an analysis reads, in both clusters."""
    job = find_job(job_type)
    second = job.sink.second if isinstance(job.sink, LatticeSink) else None
    return tuple(dict.fromkeys((*job.inputs.topics, *(second.topics if second else ()))))


def open_tables(spark: SparkSession, folder: Path, job_type: str, given: JobInput | None = None) -> OpenTables:
    """Open the tables of an analysis; they are in `folder`."""
    job = find_job(job_type)
    given = given or JobInput(_GIVEN.get(job_type) or job.parameters(), 300.0)
    path = str(folder / "table")
    if isinstance(job.sink, LatticeSink):
        lattice = LatticeTable(spark, job, job.sink, given, path)
        lattice.prepare()
        second = (lambda rows: lattice.read_second(rows, {}),) if job.sink.second else ()
        return OpenTables(job, given, lattice.table, (lattice.read, *second))
    assert isinstance(job.sink, WindowsSink)
    windows = WindowTables(spark, job, job.sink, given, path=path, facts_path=str(folder / "facts"))
    windows.prepare()
    return OpenTables(job, given, windows.table, (windows.read,))
