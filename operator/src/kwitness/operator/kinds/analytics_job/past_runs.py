"""Runs of `once` that have ended, which never run again."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_status import AnalysisStatus, FinishedRun
from kwitness.operator.kinds.analytics_job.runners import Runners

__all__ = ["past_runs", "present_run"]

_MOST: Final = 50


def past_runs(status: AnalysisStatus, runners: Runners) -> tuple[FinishedRun, ...]:
    """What the status remembers and what can be seen; of too many the last.

    The driver remembers more beside its checkpoint: it ends at once where its run is among those that ended well.
    """
    found = {one.id: one.succeeded for one in status.finished_runs} | runners.ended_runs()
    return tuple(FinishedRun(id=run, succeeded=succeeded) for run, succeeded in found.items())[-_MOST:]


def present_run(job: AnalyticsJob, past: tuple[FinishedRun, ...]) -> bool | None:
    """Whether the run that the job asks for ended well; None if it has not ended, or the job asks for no such run."""
    once = job.spec.analysis.run.once
    return None if once is None else next((one.succeeded for one in past if one.id == once.id), None)
