"""From what a job says of itself, and its configuration, to its input and its sink at work."""

from __future__ import annotations

from pyspark.sql import SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.frame.job import Job, JobInput, LatticeSink, TableSink, WindowsSink
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.frame.sink import Sink
from kwitness.jobs.frame.table_sink import PeriodTables
from kwitness.jobs.frame.windows_sink import WindowTables


def job_input(job: Job, config: JobConfig) -> JobInput:
    """What the resource of a job says to it."""
    return JobInput(
        job.parameters.model_validate(config.parameters),
        config.window_seconds,
        frozenset(config.topics.model_dump().values()),
        config.owners,
        config.rate_card,
        config.input_tables,
        config.cluster_id,
    )


def make_sink(session: SparkSession, job: Job, given: JobInput, config: JobConfig) -> Sink:
    """The sink of a job that reads topics, at the paths of its configuration."""
    match job.sink:
        case LatticeSink():
            return LatticeTable(session, job, job.sink, given, config.table_path)
        case WindowsSink():
            return WindowTables(session, job, job.sink, given, path=config.table_path, facts_path=config.facts_path)
        case TableSink():
            raise TypeError(f"{job.name} reads tables and no topics: there is no stream of it")


def make_periods(session: SparkSession, job: Job, sink: TableSink, config: JobConfig) -> PeriodTables:
    """The sink of a job that reads tables, at the paths of its configuration."""
    given = job_input(job, config)
    return PeriodTables(session, job, sink, given, path=config.table_path, samples_path=config.facts_path)
