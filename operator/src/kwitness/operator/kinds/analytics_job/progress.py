"""How a job goes: where it is in its life, and what its last run came to, of whichever kind its runs are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from kwitness.contracts.envelopes import DriverStatus
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_run import Schedule
from kwitness.operator.kinds.analytics_job.runners import Runners, ended
from kwitness.operator.model.cron import next_due
from kwitness.operator.model.moments import milliseconds_of, rfc3339
from kwitness.operator.shapes.facts import Body

__all__ = ["Phase", "Progress", "is_under_way", "progress_of"]

Phase = Literal["Pending", "Starting", "Running", "Suspended", "Succeeded", "Failed"]

_BEGIN_MS: Final = 120_000
"""After its time, within which a run has to begin: the controller of CronJobs looks every ten seconds."""


@dataclass(frozen=True, slots=True)
class Progress:
    """``succeeded`` is of the last run that has ended, None without one; ``trouble`` says what was wrong with it.

    ``run`` is the Job of the present or last run, as far as it is known. ``overdue``: one should have begun since.
    """

    phase: Phase
    succeeded: bool | None = None
    trouble: str | None = None
    run: Body | None = None
    overdue: bool = False


def is_under_way(job: AnalyticsJob, runners: Runners) -> bool:
    """Whether there is a driver that can be asked."""
    runner = runners.wanted(job)
    if job.spec.analysis.run.schedule is not None:
        return bool(_state(runner).get("active")) or any(ended(one) is None for one in runners.scheduled())
    state = _state(runner)
    return not job.spec.suspend and bool(state.get("replicas") or state.get("active"))


def progress_of(
    job: AnalyticsJob,
    runners: Runners,
    answer: DriverStatus | None,
    *,
    past: bool | None,
    was: str | None,
    since_ms: int,
    now_ms: int,
) -> Progress:
    """Where a job is; ``past`` tells how the run of `once` has ended, if it has, and ``was`` is the phase before.

    Times of a schedule count from ``since_ms`` on.
    """
    schedule = job.spec.analysis.run.schedule
    if schedule is not None:
        return _of_schedule(job, schedule, runners, answer, since_ms=since_ms, now_ms=now_ms)
    runner = runners.wanted(job)
    run = runner if runner is not None and runner["kind"] == "Job" else None
    if job.spec.suspend:
        return Progress("Suspended", past, run=run)
    if past is not None:
        return Progress("Succeeded" if past else "Failed", past, run=run)
    if answer is not None:
        # The pod of a driver that is done goes on for a moment, to be asked; a Job tries again what failed.
        over = answer.phase == "Succeeded" or (answer.phase == "Failed" and run is None)
        return Progress(answer.phase, answer.phase == "Succeeded" if over else None, run=run)
    if not is_under_way(job, runners):
        return Progress("Pending", run=run)
    state = _state(runner)
    # One unanswered question does not make a running driver a starting one.
    ready = was == "Running" and (state.get("readyReplicas") or state.get("ready"))
    return Progress("Running" if ready else "Starting", run=run)


def _of_schedule(
    job: AnalyticsJob,
    schedule: Schedule,
    runners: Runners,
    answer: DriverStatus | None,
    *,
    since_ms: int,
    now_ms: int,
) -> Progress:
    runs = runners.scheduled()
    newest = runs[0] if runs else None
    before = next((one for one in runs if ended(one) is not None), None)
    state = _state(runners.wanted(job))
    scheduled, succeeded = (milliseconds_of(state.get(name)) for name in ("lastScheduleTime", "lastSuccessfulTime"))
    under_way = is_under_way(job, runners)
    if under_way:
        # The time of the run that is under way says nothing of the one before.
        well = ended(before) if before is not None else (True if succeeded else None)
        trouble = None if well is not False else _failure_of(before)
        phase: Phase = answer.phase if answer is not None else "Starting"
        return Progress("Suspended" if job.spec.suspend else phase, well, trouble, newest)
    due = next_due(schedule.cron, schedule.time_zone, max(since_ms, scheduled))
    late = due is not None and due + _BEGIN_MS < now_ms and not job.spec.suspend
    if late and due is not None:
        trouble = (
            f"no run has begun though one was due at {rfc3339(due)}: see the events of the CronJob and of its Jobs, and"
            " whether the namespace has a quota"
        )
        return Progress("Pending", False, trouble, newest, overdue=True)
    last = newest if newest is not None and _is_of(newest, scheduled) else None
    well = ended(last) if last is not None else None
    if well is None and scheduled:
        well = succeeded >= scheduled
    idle: Phase = "Suspended" if job.spec.suspend else "Failed" if well is False else "Pending"
    return Progress(idle, well, _failure_of(last) if well is False else None, newest)


def _is_of(run: Body, scheduled_ms: int) -> bool:
    """Whether a run is that of the last time; one that a former list had may be of the time before."""
    return milliseconds_of(run["metadata"].get("creationTimestamp")) >= scheduled_ms


def _failure_of(run: Body | None) -> str:
    if run is None:
        return "the last run failed, and its Job is gone with what it said: see the events, and wait for the next run"
    name = run["metadata"]["name"]
    conditions = (run.get("status") or {}).get("conditions", ())
    reason = next((one.get("reason") for one in conditions if one["type"] == "Failed"), None)
    why = f" ({reason})" if reason else ""
    return f"the last run failed{why}: see the log and the events of the pods of Job {name}, kubectl logs job/{name}"


def _state(runner: Body | None) -> dict[str, Any]:
    return (runner or {}).get("status") or {}
