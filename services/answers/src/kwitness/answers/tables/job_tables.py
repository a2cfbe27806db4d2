"""Finds the table of an AnalyticsJob: in an object store, on a claim that this machine has, or at its driver."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.serving_collector import parsed
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.views.elapsed import ago
from kwitness.answers.views.job_rows import milliseconds_of
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_status import AnalysisStatus, AnalyticsJobStatus

__all__ = ["JobTable", "find_job", "find_job_table", "table_of"]


class JobTable(NamedTuple):
    """The table of an AnalyticsJob.

    Attributes
    ----------
    name
        By which SQL has it.
    path
        Where this machine reads it; None where only the job's driver does, which runs.
    """

    name: str
    path: str | None
    job: AnalyticsJob


def find_job(access: ClusterAccess, reference: str) -> Mapping[str, Any]:
    """Return the AnalyticsJob `NAME` of the chosen namespace, or `NAMESPACE/NAME`, as the API server has it.

    Raises
    ------
    CommandFailedError
        There is none.
    """
    place, _, name = reference.rpartition("/")
    namespace = place or access.namespace
    found = access.get("AnalyticsJob", name, namespace) if name else None
    if found is None:
        raise CommandFailedError(
            f"there is no AnalyticsJob {name or reference} in namespace {namespace}: `kwitness jobs list -A` shows all"
        )
    return found


def find_job_table(access: ClusterAccess, reference: str) -> JobTable:
    """Return the table of an AnalyticsJob.

    Raises
    ------
    CommandFailedError
        There is no such job or table, or it is on a claim and no driver runs; the message says what to do.
    """
    return table_of(parsed(AnalyticsJob, find_job(access, reference)))


def table_of(job: AnalyticsJob) -> JobTable:
    """Return the table of an AnalyticsJob, as `find_job_table` does.

    Raises
    ------
    CommandFailedError
        It has no table, or it is on a claim and no driver runs; the message says what to do.
    """
    status = (job.status or AnalyticsJobStatus()).entry(job.spec.analysis)
    name = job.spec.analysis.table
    if status.table_path is None:
        raise CommandFailedError(
            f"AnalyticsJob {job.metadata.name} has no table yet: `kwitness jobs describe {job.metadata.name} "
            f"--namespace {job.metadata.namespace}` says what it waits for"
        )
    address = urlsplit(status.table_path)
    if address.scheme not in {"", "file"}:
        return JobTable(name, status.table_path, job)
    path = Path(unquote(address.path))
    if path.is_dir():
        return JobTable(name, str(path), job)
    if status.phase == "Running" and job.status is not None and job.status.driver_pod is not None:
        return JobTable(name, None, job)
    raise CommandFailedError(_unreachable(job, status, path))


def _unreachable(job: AnalyticsJob, status: AnalysisStatus, path: Path) -> str:
    ended = milliseconds_of(status.last_run.completion_time) if status.last_run else None
    computed = "never, as far as is known" if ended is None else ago(ended, int(time.time() * 1000))
    return (
        f"the table of AnalyticsJob {job.metadata.name} is on a claim, as {path}, which this machine does not have. It "
        f"was computed {computed}, and no driver runs (phase {status.phase or 'unknown'}): mount the claim and give "
        "the path, as docs/guides/inventory.md#between-runs has it"
    )
