"""What runs the driver of an AnalyticsJob: a StatefulSet, a CronJob or Jobs; and how it is replaced or ended."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.operator.context import Context
from kwitness.operator.desired.job_objects import JobObjects
from kwitness.operator.model.ownership import belongs_to
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.children import remove_child
from kwitness.runtime.child_names import job_name

__all__ = ["end_runners", "is_run", "replace_runners"]

_NAMED = ("StatefulSet", "CronJob")
"""Runners of which a job has at most one, by the job's own name."""


async def replace_runners(context: Context, key: Key, job: AnalyticsJob, wanted: JobObjects) -> None:
    """Remove what ran the job before spec.run or a one-time run was changed."""
    runner = wanted.runner["kind"]
    for kind in _NAMED:
        if kind != runner:
            await remove_child(context, kind, Key(key.namespace, job_name(key.name)), job.metadata.uid)
    for other in await _jobs(context, key):
        name = other["metadata"]["name"]
        if runner != "Job" or name != wanted.runner["metadata"]["name"]:
            await remove_child(context, "Job", Key(key.namespace, name), job.metadata.uid)


async def end_runners(context: Context, key: Key, job: AnalyticsJob) -> None:
    """Remove what runs the job or would, each runner only after its pods; finished runs stay to be looked at."""
    # Whatever was known of the children is over; without this they would not be made again at once.
    context.children_applied.pop(("AnalyticsJob", key), None)
    for kind in _NAMED:
        child = Key(key.namespace, job_name(key.name))
        await remove_child(context, kind, child, job.metadata.uid, after_its_pods=True)
    for run in await _jobs(context, key):
        if not _has_finished(run):
            child = Key(key.namespace, run["metadata"]["name"])
            await remove_child(context, "Job", child, job.metadata.uid, after_its_pods=True)


async def is_run(context: Context, key: Key) -> bool:
    """Whether something of the AnalyticsJob at ``key`` runs a driver, is still ending one, or would start one."""
    job = {"kind": "AnalyticsJob", "name": key.name}
    for kind in _NAMED:
        present = await context.kubernetes.get(kind, key.namespace, job_name(key.name))
        if present is not None and belongs_to(present, job):
            return True
    return any(not _has_finished(run) for run in await _jobs(context, key))


async def _jobs(context: Context, key: Key) -> list[dict[str, Any]]:
    labels = f"app.kubernetes.io/name=kwitness-job,app.kubernetes.io/instance={key.name}"
    return await context.kubernetes.list("Job", key.namespace, labels=labels)


def _has_finished(run: dict[str, Any]) -> bool:
    conditions = (run.get("status") or {}).get("conditions", ())
    return any(one["type"] in {"Complete", "Failed"} and one["status"] == "True" for one in conditions)
