"""AnalyticsJob: its children, and what its driver says."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Never

from pydantic import ValidationError

from kwitness.contracts.audiences import driver_audience
from kwitness.contracts.envelopes import DriverStatus
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.precedence import precedence
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.context import Context
from kwitness.operator.desired.job_config import check_limits, table_folder
from kwitness.operator.desired.job_objects import JobObjects, job_objects
from kwitness.operator.desired.job_status import job_fields, job_verdicts, phase_of
from kwitness.operator.model.conditions import failure
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, TerminalError, TransientError
from kwitness.operator.model.ownership import covers
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.pause import paused
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.reconcile.children import apply_children, children_are_due
from kwitness.operator.reconcile.job_runners import end_runners, is_run, replace_runners
from kwitness.operator.reconcile.kafka_cluster import ACCEPT_ANNOTATION
from kwitness.operator.reconcile.references import known_cluster_id, referred_cluster
from kwitness.operator.reconcile.status_writer import write_status
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.work_queue import Requeue

__all__ = ["ask_driver", "reconcile_analytics_job"]

_log = logging.getLogger(__name__)

_KIND = "AnalyticsJob"
_POLL_SECONDS = 10.0
"""Between questions to the driver; a failed one answers for 45 s before it ends."""


async def reconcile_analytics_job(context: Context, key: Key) -> Requeue:
    """Bring one job's children and status up to date."""
    body = context.store.get(_KIND, key)
    if body is None:
        return Requeue.never()
    if "deletionTimestamp" in body["metadata"]:
        return Requeue()
    subject = Subject.of(body)
    status: dict[str, Any] = body.get("status") or {}
    kept = {name: value for name, value in status.items() if name not in {"conditions", "observedGeneration"}}
    try:
        job = parse_resource(AnalyticsJob, body)
        check_limits(job, context.settings)
        first, *others = _writers(context, key.namespace, job.spec.table)
        if first != key:
            kept["phase"] = "Pending"
            await _give_way(context, key, job, first)
        cluster = await referred_cluster(context, key.namespace, job.spec.cluster_ref)
        cluster_at = cluster_key(key.namespace, job.spec.cluster_ref)
        facts = context.clusters.get(cluster_at)
        if facts is None or not facts.checked:
            # The cluster's reconcile wakes us.
            return Requeue()
        cluster_id = known_cluster_id(context, cluster_at, facts)
        await _check_claim(context, key.namespace)
        read_from = status.get("clusterId", cluster_id)
        changed: OperatorError | None = None
        if cluster_id in {read_from, job.metadata.annotations.get(ACCEPT_ANNOTATION)}:
            read_from = cluster_id
        else:
            changed = _another_cluster(read_from, cluster_id)
            # By the offsets of the old cluster a driver would pass over records of the new one.
            job = job.model_copy(update={"spec": job.spec.model_copy(update={"suspend": True})})
        wanted = await _as_made(context, key, job_objects(job, cluster, read_from, context.settings))
        if not is_paused(job.metadata.annotations) and children_are_due(context, _KIND, key, wanted.objects):
            await _wait_for_table(context, job, others)
            await replace_runners(context, key, job, wanted)
            await apply_children(context, _KIND, key, wanted.objects)
        return await _report(context, subject, job, wanted, cluster_id=read_from, trouble=changed)
    except KubernetesUnavailableError:
        raise
    except Exception as caught:
        error = as_operator_error(caught, _KIND, key)
        await write_status(context, _KIND, subject, fields=kept, verdicts=[failure(error)])
        raise error from caught


def _writers(context: Context, namespace: str, table: str) -> list[Key]:
    """Every AnalyticsJob that names ``table``, the one that writes it first."""
    found = []
    for key, body in context.store.items(_KIND):
        spec = body.get("spec", {})
        if key.namespace == namespace and spec.get("table") == table:
            found.append((precedence(spec.get("priority", 0), *key), key))
    return [key for _, key in sorted(found)]


async def _give_way(context: Context, key: Key, job: AnalyticsJob, first: Key) -> Never:
    """End what runs the job, unless it is paused, and say who writes its table.

    Raises
    ------
    TerminalError
        Conflict.
    """
    if not is_paused(job.metadata.annotations):
        await end_runners(context, key, job)
    raise TerminalError(
        "Conflict",
        f"AnalyticsJob {first.name} comes before this one and writes the table {job.spec.table}: choose another"
        " spec.table, or a higher spec.priority",
    )


async def _wait_for_table(context: Context, job: AnalyticsJob, others: Sequence[Key]) -> None:
    """Return when no driver of ``others`` writes the job's table, or when the job would start none.

    Raises
    ------
    TransientError
        Starting: a driver has not ended yet. Two of them would break each other's checkpoint.
    """
    for other in () if job.spec.suspend else others:
        if await is_run(context, other):
            raise TransientError(
                "Starting",
                f"waits until the driver of AnalyticsJob {other.name}, which comes after this one, has left the table"
                f" {job.spec.table}; if that lasts, see whether that AnalyticsJob is paused, and look at its pods",
            )


def _another_cluster(read_from: str, present: str) -> TerminalError:
    return TerminalError(
        "ClusterIdChanged",
        f"nothing runs, since table and checkpoint are of the Kafka cluster {read_from} and the KafkaCluster is now"
        f" {present}: make another AnalyticsJob with another spec.table; or, to go on with this one, remove its folder"
        f" checkpoint and set the annotation {ACCEPT_ANNOTATION} of this AnalyticsJob to {present}",
    )


async def _check_claim(context: Context, namespace: str) -> None:
    analytics = context.settings.analytics
    if analytics.table_claim is None or analytics.single_node:
        return
    try:
        claim = await context.kubernetes.get("PersistentVolumeClaim", namespace, analytics.table_claim)
    except TransientError as error:
        if error.reason != "KubernetesForbidden":
            raise
        # Without the right to look, the pods' events have to tell.
        return
    if claim is None:
        raise TransientError(
            "StorageUnsuitable",
            f"there is no PersistentVolumeClaim {analytics.table_claim} in namespace {namespace}: create it, with"
            " access mode ReadWriteMany",
        )
    if "ReadWriteMany" not in claim["spec"].get("accessModes", ()):
        raise TerminalError(
            "StorageUnsuitable",
            f"PersistentVolumeClaim {analytics.table_claim} is not ReadWriteMany, so executors on other nodes would"
            " wait for ever: use one that is, an object store, or, on one node, the Helm value analytics.singleNode",
        )


async def _as_made(context: Context, key: Key, wanted: JobObjects) -> JobObjects:
    """Let a Job that is there keep the pods that it was made with, since they cannot be changed."""
    runner = wanted.runner
    present = None
    if runner["kind"] == "Job":
        present = await context.kubernetes.get("Job", key.namespace, runner["metadata"]["name"])
    if present is None:
        return wanted
    kept = {**runner, "spec": {**runner["spec"], "template": present["spec"]["template"]}}
    others = tuple(one for one in wanted.objects if one is not runner)
    return JobObjects(others if covers(present, kept) else (*others, kept), runner)


async def _report(
    context: Context,
    subject: Subject,
    job: AnalyticsJob,
    wanted: JobObjects,
    *,
    cluster_id: str,
    trouble: OperatorError | None,
) -> Requeue:
    key, metadata = subject.key, wanted.runner["metadata"]
    runner = await context.kubernetes.get(wanted.runner["kind"], key.namespace, metadata["name"])
    answer: DriverStatus | None = None
    state = (runner or {}).get("status") or {}
    if not job.spec.suspend and (state.get("replicas") or state.get("active")):
        answer = await ask_driver(context, key)
    body = context.store.get(_KIND, key) or {}
    previous = body.get("status") or {}
    phase = phase_of(job, runner, answer)
    if answer is None and phase == "Starting" and previous.get("phase") == "Running" and _is_ready(runner):
        # One unanswered question does not make a running driver a starting one.
        phase = "Running"
    path = f"{table_folder(job, context.settings)}/table"
    fields = job_fields(phase, answer, previous, table_path=path, rfc3339=context.clock.rfc3339)
    fields["clusterId"] = cluster_id
    verdicts = job_verdicts(job, phase, answer, fields.get("dataLoss", []), previous.get("conditions", ()))
    if is_paused(job.metadata.annotations):
        verdicts[0] = paused("what runs the driver is left as it is")
    if trouble is not None:
        verdicts = [failure(trouble), *verdicts[1:]]
    wait = await write_status(context, _KIND, subject, fields=fields, verdicts=verdicts)
    if phase in {"Pending", "Starting", "Running", "Failed"} and job.spec.run.schedule is None:
        return Requeue(after=_POLL_SECONDS)
    if job.spec.run.schedule is not None and not job.spec.suspend:
        return Requeue(after=_POLL_SECONDS)
    return Requeue(after=wait)


async def ask_driver(context: Context, key: Key) -> DriverStatus | None:
    """What the driver says; None while it says nothing that can be read.

    Raises
    ------
    TransientError
        When the operator cannot ask.
    """
    try:
        audience = driver_audience(key.namespace, key.name)
        answer = await context.drivers.get(context.driver_url(key), audience=audience)
        return None if answer is None else DriverStatus.model_validate(answer)
    except ValidationError:
        _log.warning("The driver's answer has an unknown form", extra={"job": f"{key.namespace}/{key.name}"})
    except TransientError as error:
        # It is starting, or has just ended; what runs it tells which.
        if error.reason != "Starting":
            raise
    return None


def _is_ready(runner: dict[str, Any] | None) -> bool:
    state = (runner or {}).get("status") or {}
    return bool(state.get("readyReplicas") or state.get("ready"))
