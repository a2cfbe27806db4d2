"""From what a job says of its sink to the sink at work."""

from __future__ import annotations

from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.frame.job import Job, JobInput, LatticeSink
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.frame.sink import Sink
from kwitness.jobs.frame.windows_sink import WindowTables


def make_sink(session: SparkSession, job: Job, job_input: JobInput, config: JobConfig) -> Sink:
    """The sink of a job, at the paths of its configuration."""
    if isinstance(job.sink, LatticeSink):
        return LatticeTable(session, job, job.sink, job_input, config.table_path)
    return WindowTables(session, job, job.sink, job_input, path=config.table_path, facts_path=config.facts_path)
