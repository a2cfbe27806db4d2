"""Finds tables of analyses, in a folder and by AnalyticsJobs, with what is known of each before it is opened."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kwitness.answers.access.serving_collector import parsed
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.tables.delta_tables import find_tables, newest_commit, require_libraries
from kwitness.answers.tables.job_tables import table_of
from kwitness.console.index.analyses import ANALYSES
from kwitness.console.index.database import Database
from kwitness.console.index.past_traffic import PAST_TYPE
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_status import AnalysisStatus, AnalyticsJobStatus
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.spelling import quantity

__all__ = ["FoundTable", "tables_in_folder", "tables_of_resources", "without_twice_found"]

_UNREACHED: Final = (
    "only the driver of its AnalyticsJob reaches it: mount its claim where the console runs, which is the Helm value "
    "console.tables.claim in a cluster, or name the folder by --tables"
)
_TYPES: Final = frozenset({PAST_TYPE, *(analysis.job_type for analysis in ANALYSES)})


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table that was found.

    Attributes
    ----------
    job
        The AnalyticsJob as NAMESPACE/NAME, or the table's name in its folder.
    name
        Of the table in SQL.
    option
        By which the command finds it.
    commit
        Changes with each version; None where there is none yet.
    path
        Where it is read; None where only the job's driver reaches it.
    problem
        Why it cannot be read, and what to do.
    facts
        Columns of `JOB_TABLES` that its AnalyticsJob knows.
    """

    job: str
    name: str
    option: str
    commit: tuple[Any, ...] | None
    path: str | None
    problem: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


def tables_in_folder(folder: str) -> list[FoundTable]:
    """Return the tables of a folder and those below it.

    Raises
    ------
    CommandFailedError
        The folder cannot be searched, or the libraries that read tables are not installed.
    """
    option = shlex.quote(str(Path(folder).absolute()))
    return [
        FoundTable(table.name, table.name, option, newest_commit(table.path), table.path)
        for table in find_tables(folder)
    ]


def tables_of_resources(database: Database) -> list[FoundTable]:
    """Return the tables of AnalyticsJobs in the index, of types that it has.

    Raises
    ------
    CommandFailedError
        The libraries that read tables are not installed, or a job is of another release.
    """
    items = database.rows("SELECT item FROM resources WHERE kind = 'AnalyticsJob' ORDER BY k8s_namespace, name")
    jobs = [parsed(AnalyticsJob, json.loads(row["item"])) for row in items]
    shown = [job for job in jobs if job.spec.analysis.type in _TYPES]
    if shown:
        require_libraries()
    return [_table_of(job) for job in shown]


def _table_of(job: AnalyticsJob) -> FoundTable:
    analysis = job.spec.analysis
    status = (job.status or AnalyticsJobStatus()).entry(analysis)
    reference = f"{job.metadata.namespace}/{job.metadata.name}"
    path, problem = None, None
    try:
        path = table_of(job).path
        problem = _UNREACHED if path is None else None
    except CommandFailedError as error:
        problem = str(error)
    impact, ledger = analysis.parameters.upgrade_impact, analysis.parameters.ledger_audit
    facts = {
        "type": analysis.type,
        "resource": job.metadata.name,
        "resource_namespace": job.metadata.namespace,
        "note": _note(job, status),
        "is_behind": None if status.lag is None or status.lag.records is None else status.lag.records > 0,
        "target": impact.target if impact else None,
        "used_within_ms": _milliseconds(impact.used_within) if impact else None,
        "grace_ms": _milliseconds(ledger.grace) if ledger else None,
    }
    commit = None if status.table_version is None else (job.metadata.uid, status.table_version, status.table_path)
    return FoundTable(reference, analysis.table, f"--job {shlex.quote(reference)}", commit, path, problem, facts)


def _milliseconds(duration: str) -> int:
    return int(parse_duration(duration).total_seconds() * 1000)


def _note(job: AnalyticsJob, status: AnalysisStatus) -> str | None:
    """Return in a sentence why rows of a job may be old."""
    where = f"kwitness jobs describe {job.metadata.name} --namespace {job.metadata.namespace}"
    if status.phase == "Failed" or (status.last_run is not None and status.last_run.succeeded is False):
        return f"the last run of the job failed: `{where}` says why"
    if status.phase == "Suspended":
        return f"the job is suspended, so rows stay as they are: see `{where}`"
    if status.lag is not None and status.lag.records:
        return f"the job is {quantity(status.lag.records, 'record')} behind, so its rows will change"
    return None


def without_twice_found(tables: Sequence[FoundTable]) -> list[FoundTable]:
    """Return tables, each path once: those that AnalyticsJobs name come first."""
    paths = {table.path for table in tables if table.facts and table.path}
    return [table for table in tables if table.facts or table.path not in paths]
