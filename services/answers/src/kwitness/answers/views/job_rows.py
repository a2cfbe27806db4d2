"""AnalyticsJobs: a line for each, and all of one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_status import AnalysisStatus, AnalyticsJobStatus

from .client_story import Section
from .elapsed import ago

__all__ = ["JOB_HEADINGS", "job_cells", "job_story", "milliseconds_of"]

JOB_HEADINGS: Final = (
    "NAMESPACE",
    "NAME",
    "TYPE",
    "PHASE",
    "READY",
    "LAG",
    "LAST RUN",
    "FINDINGS",
    "TABLE",
)


def milliseconds_of(text: str | None) -> int | None:
    """A time of a status (RFC 3339, UTC) in milliseconds since 1970; None where it is none."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def job_cells(job: AnalyticsJob, now_ms: int) -> Sequence[str | None]:
    """A line for `JOB_HEADINGS`."""
    analysis = job.spec.analysis
    status = _status(job)
    return (
        job.metadata.namespace,
        job.metadata.name,
        analysis.type,
        status.phase,
        _ready(job)[0],
        None if status.lag is None else _text(status.lag.records),
        _last_run(status, now_ms),
        _text(status.findings_total),
        analysis.table,
    )


def job_story(job: AnalyticsJob, now_ms: int) -> list[Section]:
    """One job with its message, run, lag, losses and findings."""
    analysis, run = job.spec.analysis, job.spec.analysis.run
    when = (
        f"streams, a batch every {run.streaming.trigger}"
        if run.streaming
        else f"runs at {run.schedule.cron} ({run.schedule.time_zone})"
        if run.schedule
        else f"runs once, as run {run.once.id}"
        if run.once
        else "never runs"
    )
    cluster = job.spec.cluster_ref.name
    what = [f"It computes {analysis.type} of KafkaCluster {cluster} into the table {analysis.table}, and {when}."]
    if job.status is None:
        return [Section("What it is", what), Section("State", ["The operator has said nothing of it yet."])]
    status = _status(job)
    what.extend(f"The table is at {path}." for path in (status.table_path,) if path)
    ready, reason, message = _ready(job)
    because = f" ({reason})" if reason else ""
    state = [f"Its phase is {status.phase or 'unknown'}; Ready is {ready or 'unknown'}{because}."]
    state.extend([message] if message else [])
    state.extend(
        f"{one.type} is {one.status} ({one.reason}): {one.message}"
        for one in job.status.conditions
        if one.type != "Ready" and one.status != "True"
    )
    sections = [
        Section("What it is", what),
        Section("State", state),
        Section("Last run", _run_sentences(status, now_ms)),
        Section("Data that was gone before it was read", _losses(status)),
        Section("Findings", _findings(status, now_ms)),
    ]
    return [one for one in sections if one.sentences]


def _status(job: AnalyticsJob) -> AnalysisStatus:
    return (job.status or AnalyticsJobStatus()).entry(job.spec.analysis)


def _ready(job: AnalyticsJob) -> tuple[str | None, str | None, str | None]:
    conditions = () if job.status is None else job.status.conditions
    for one in conditions:
        if one.type == "Ready":
            return one.status, one.reason, one.message
    return None, None, None


def _last_run(status: AnalysisStatus, now_ms: int) -> str | None:
    run = status.last_run
    if run is None:
        return None
    if run.completion_time is None:
        return f"runs, began {ago(milliseconds_of(run.start_time), now_ms)}" if run.start_time else "runs"
    word = {True: "well", False: "failed", None: "ended"}[run.succeeded]
    return f"{word}, {ago(milliseconds_of(run.completion_time), now_ms)}"


def _run_sentences(status: AnalysisStatus, now_ms: int) -> list[str]:
    sentences = []
    if status.last_run is not None:
        run = status.last_run
        sentences.append(f"{(_last_run(status, now_ms) or '').capitalize()}.")
        counted = {"rows read": run.rows, "batches": run.batches, "rows that could not be decoded": run.quarantined}
        if known := [f"{count} {what}" for what, count in counted.items() if count is not None]:
            sentences.append(f"{', '.join(known)}.")
    if status.lag is not None and status.lag.records is not None:
        oldest = milliseconds_of(status.lag.oldest_record_time)
        since = "" if oldest is None or not status.lag.records else f"; the oldest was written {ago(oldest, now_ms)}"
        sentences.append(f"{status.lag.records} records are not read yet{since}.")
    return sentences


def _losses(status: AnalysisStatus) -> list[str]:
    losses = status.data_loss
    sentences = [f"{one.topic}/{one.partition}: offsets {one.first_offset} to {one.last_offset}." for one in losses]
    left = (status.data_loss_total or 0) - len(losses)
    if left > 0:
        folder = (status.table_path or status.table).removesuffix("/table")
        sentences.append(f"{left} more are in the table: kwitness tables show {folder}/quarantine/losses")
    return sentences


def _findings(status: AnalysisStatus, now_ms: int) -> list[str]:
    if status.findings_total is None:
        return ["None were computed yet."]
    if not status.findings_total:
        return ["Nothing was found."]
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(status.finding_counts.items()))
    sentences = [f"{status.findings_total} in all{f': {counts}' if counts else ''}."]
    for one in status.findings:
        since = milliseconds_of(one.first_seen_time)
        found = "" if since is None else f" (found first {ago(since, now_ms)})"
        sentences.append(f"{one.kind} {one.subject}: {one.message}{found}")
    if status.findings_total > len(status.findings):
        left = status.findings_total - len(status.findings)
        sentences.append(f"{left} more are in the table: kwitness tables show {status.table_path or status.table}")
    return sentences


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)
