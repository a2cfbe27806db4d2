"""Finds the table of an AnalyticsJob: in an object store, or on a claim that this machine has."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from kwitness.cli.cluster_access import ClusterAccess
from kwitness.cli.delta_tables import NamedTable
from kwitness.cli.failure import CommandFailedError
from kwitness.cli.serving_collector import parsed
from kwitness.cli.views.elapsed import ago
from kwitness.cli.views.job_rows import milliseconds_of
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_status import AnalysisStatus, AnalyticsJobStatus

__all__ = ["find_job", "find_job_table"]


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


def find_job_table(access: ClusterAccess, reference: str) -> NamedTable:
    """Return the table of an AnalyticsJob, by the name that SQL has it by, and its address.

    Raises
    ------
    CommandFailedError
        There is no such job or table, or this machine does not reach it; the message says what to do.
    """
    job = parsed(AnalyticsJob, find_job(access, reference))
    status = (job.status or AnalyticsJobStatus()).entry(job.spec.analysis)
    if status.table_path is None:
        raise CommandFailedError(
            f"AnalyticsJob {job.metadata.name} has no table yet: `kwitness jobs describe {job.metadata.name} "
            f"--namespace {job.metadata.namespace}` says what it waits for"
        )
    address = urlsplit(status.table_path)
    if address.scheme not in {"", "file"}:
        return NamedTable(job.spec.analysis.table, status.table_path)
    path = Path(unquote(address.path))
    if not path.is_dir():
        raise CommandFailedError(_unreachable(job, status, path))
    return NamedTable(job.spec.analysis.table, str(path))


def _unreachable(job: AnalyticsJob, status: AnalysisStatus, path: Path) -> str:
    namespace, analysis = job.metadata.namespace, job.spec.analysis
    pod = job.status.driver_pod if job.status else None
    text = f"the table of AnalyticsJob {job.metadata.name} is on a claim, as {path}, which this machine does not have. "
    if status.phase == "Running" and pod is not None:
        return (
            f"{text}Its driver runs, and shows it: kubectl exec {pod} --namespace {namespace} -- python3 -m "
            f"kwitness.jobs.show {analysis.type}"
        )
    ended = milliseconds_of(status.last_run.completion_time) if status.last_run else None
    computed = "never, as far as is known" if ended is None else ago(ended, int(time.time() * 1000))
    return (
        f"{text}It was computed {computed}, and no driver runs (phase {status.phase or 'unknown'}): mount the claim "
        "and give the path, as docs/guides/inventory.md#between-runs has it"
    )
