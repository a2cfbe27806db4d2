"""The status of an AnalyticsJob and of its analysis, from the driver's answer and from what runs the driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kwitness.contracts.envelopes import DriverCosts, DriverFinding, DriverStatus
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_status import (
    AnalysisStatus,
    AnalyticsJobStatus,
    DataLoss,
    JobCosts,
    JobFinding,
    Lag,
    LastRun,
    OwnerCost,
)
from kwitness.contracts.resources.ledger import HopLedger
from kwitness.operator.kinds.analytics_job.progress import Progress
from kwitness.operator.kinds.analytics_job.runners import Runners, ended
from kwitness.operator.model.moments import milliseconds_of, rfc3339

__all__ = ["driver_of", "new_findings", "status_of"]

_MOST_LOSSES: Final = 20
_MOST: Final = 2**62


def status_of(
    job: AnalyticsJob,
    progress: Progress,
    runners: Runners,
    answer: DriverStatus | None,
    previous: AnalysisStatus,
    *,
    now_ms: int,
) -> AnalysisStatus:
    """Fields that follow from what is observed. What the driver last said stays when it cannot be asked any more."""
    fields: dict[str, Any] = {"phase": progress.phase, "last_run": _last_run(job, progress, answer, previous)}
    if job.spec.analysis.run.schedule is not None:
        state = (runners.cron_job or {}).get("status") or {}
        fields["last_schedule_time"] = state.get("lastScheduleTime") or previous.last_schedule_time
        fields["last_successful_time"] = state.get("lastSuccessfulTime") or previous.last_successful_time
    else:
        fields.update(scheduled_since_time=None, last_schedule_time=None, last_successful_time=None)
    return previous.model_copy(update={**fields, **(_told(answer, previous, now_ms) if answer is not None else {})})


def driver_of(answer: DriverStatus | None, previous: AnalyticsJobStatus) -> dict[str, Any]:
    """Fields of the driver; what it last said stays when it cannot be asked any more."""
    if answer is None:
        return {}
    return {
        "application_id": answer.application_id or previous.application_id,
        "driver_pod": answer.driver_pod or previous.driver_pod,
    }


def new_findings(status: AnalysisStatus, previous: AnalysisStatus) -> tuple[str, ...]:
    """Kinds of findings that there were none of before."""
    return tuple(
        kind for kind, count in sorted(status.finding_counts.items()) if count and not previous.finding_counts.get(kind)
    )


def _told(answer: DriverStatus, previous: AnalysisStatus, now_ms: int) -> dict[str, Any]:
    fields = _lost(previous, answer)
    if answer.table_version is not None:
        fields["table_version"] = answer.table_version
    if answer.lag.records is not None:
        oldest = answer.lag.oldest_timestamp_ms
        fields["lag"] = Lag(records=answer.lag.records, oldest_record_time=None if oldest is None else rfc3339(oldest))
    if answer.ledger is not None:
        fields["ledger"] = (HopLedger(**answer.ledger.model_dump()),)
    if answer.finding_counts is not None:
        fields["findings"] = _findings(previous.findings, answer.findings, rfc3339(now_ms))
        fields["finding_counts"] = dict(answer.finding_counts)
        fields["findings_total"] = min(sum(answer.finding_counts.values()), _MOST)
    if answer.costs is not None:
        fields["costs"] = _costs(answer.costs)
    return fields


def _last_run(
    job: AnalyticsJob, progress: Progress, answer: DriverStatus | None, previous: AnalysisStatus
) -> LastRun | None:
    run, succeeded = job.spec.analysis.run, progress.succeeded
    run_id = run.once.id if run.once is not None else None
    before = previous.last_run
    if before is not None and before.id != run_id:
        before = None
    if progress.overdue:
        return before
    present = progress.run is not None and ended(progress.run) is None
    if run.schedule is not None and present:
        # How the one before ended is told by the condition; this is about the one that is under way.
        succeeded = None
    if answer is not None and answer.last_run.start_ms is not None:
        told = answer.last_run
        end = None if told.end_ms is None else rfc3339(told.end_ms)
        return LastRun(
            id=run_id,
            succeeded=succeeded,
            start_time=rfc3339(answer.last_run.start_ms),
            completion_time=end,
            rows=told.rows,
            batches=told.batches,
            quarantined=told.quarantined,
        )
    state = (progress.run or {}).get("status") or {}
    if before is not None and 0 < milliseconds_of(before.completion_time) < milliseconds_of(state.get("startTime")):
        # Nobody could ask the driver of this one.
        before = None
    if before is None and not state.get("startTime") and succeeded is None:
        return None
    before = before or LastRun(id=run_id, start_time=state.get("startTime"))
    over = state.get("completionTime") if succeeded is not None else None
    return before.model_copy(update={"succeeded": succeeded, "completion_time": before.completion_time or over})


def _lost(previous: AnalysisStatus, answer: DriverStatus) -> dict[str, Any]:
    # A restarted driver does not know what its predecessor reported until it has read the table of losses.
    found = {(loss.topic, loss.partition, loss.first_offset): loss for loss in previous.data_loss}
    for lost in answer.data_loss:
        found[lost.topic, lost.partition, lost.first_offset] = DataLoss(
            topic=lost.topic, partition=lost.partition, first_offset=lost.first_offset, last_offset=lost.last_offset
        )
    total = max(len(found), previous.data_loss_total or 0, min(answer.data_loss_total, _MOST))
    losses = tuple(found[key] for key in sorted(found))[:_MOST_LOSSES]
    return {"data_loss": losses, "data_loss_total": total or None}


def _costs(reported: DriverCosts) -> JobCosts:
    end_ms = reported.day_end_ms
    # A driver that reports an owner twice must not make the status unwritable.
    owners = {cost.owner: OwnerCost(**cost.model_dump()) for cost in reported.owners}
    return JobCosts(
        currency=reported.currency,
        month=reported.month,
        day=reported.day,
        day_end_time=None if end_ms is None else rfc3339(end_ms),
        owners=tuple(owners[name] for name in sorted(owners)),
    )


def _findings(previous: Sequence[JobFinding], reported: Sequence[DriverFinding], now: str) -> tuple[JobFinding, ...]:
    seen = {(one.kind, one.subject): one.first_seen_time for one in previous}
    # A driver that says one twice must not make the status unwritable.
    found = {(one.kind, one.subject): one for one in reversed(reported)}
    return tuple(
        JobFinding(kind=kind, subject=subject, message=one.message, first_seen_time=seen.get((kind, subject)) or now)
        for (kind, subject), one in sorted(found.items())
    )
