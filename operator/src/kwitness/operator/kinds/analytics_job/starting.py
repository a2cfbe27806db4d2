"""Whether a job's driver may start: never before the last pod of any former driver of its table is gone."""

from __future__ import annotations

from collections.abc import Sequence

from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.operator.environment.clusters import present
from kwitness.operator.kinds.analytics_job.objects import TABLE_LABEL
from kwitness.operator.kinds.analytics_job.runners import Runners, driver_labels, is_at_work, runners_of
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import LivePods
from kwitness.operator.shapes.work import View

__all__ = ["still_there", "would_start", "writers_pods"]


def would_start(job: AnalyticsJob, runners: Runners, *, past: bool | None) -> bool:
    """Whether what is wanted starts a driver that is not there yet; ``past`` is not None for a run that has ended."""
    return not job.spec.suspend and past is None and not is_at_work(runners.wanted(job))


def writers_pods(job: AnalyticsJob) -> LivePods:
    """Drivers of the job's table, of whichever AnalyticsJob, also of one that was deleted."""
    labels = (("app.kubernetes.io/name", "kwitness-job"), (TABLE_LABEL, job.spec.analysis.table))
    return LivePods(job.metadata.namespace, labels)


def still_there(key: Key, job: AnalyticsJob, others: Sequence[Key], view: View) -> str | None:
    """What keeps the table from a driver that would start; None if nothing does.

    Raises
    ------
    OperatorError
        It could not be found out.
    """
    table = job.spec.analysis.table
    for other in others:
        if runners_of(other, view).may_run():
            return (
                f"waits until the driver of AnalyticsJob {other.name}, which comes after this one, has left the table"
                f" {table}; if that lasts, see whether that AnalyticsJob is paused, and look at its pods"
            )
    own = present(view, LivePods(key.namespace, driver_labels(key.name))) or ()
    pods = sorted({*own, *(present(view, writers_pods(job)) or ())})
    if pods:
        return (
            f"waits until pod {pods[0]}, a former driver of the table {table}, is gone: two of them would"
            " break each other's checkpoint; if that lasts, see the events of that pod, and of its node"
        )
    return None
