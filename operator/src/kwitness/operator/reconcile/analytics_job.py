"""AnalyticsJob: its children, and what its driver says."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.context import Context
from kwitness.operator.desired.job_config import check_limits, table_folder
from kwitness.operator.desired.job_objects import JobObjects, job_objects
from kwitness.operator.desired.job_status import job_fields, job_verdicts, phase_of
from kwitness.operator.model.conditions import failure
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, TerminalError, TransientError
from kwitness.operator.model.ownership import covers
from kwitness.operator.model.pause import paused
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.reconcile.children import apply_children, children_are_due, remove_child
from kwitness.operator.reconcile.kafka_cluster import ACCEPT_ANNOTATION
from kwitness.operator.reconcile.parse_resource import parse_resource
from kwitness.operator.reconcile.references import cluster_key, known_cluster_id, referred_cluster
from kwitness.operator.reconcile.status_writer import write_status
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.work_queue import Requeue
from kwitness.runtime.child_names import job_name

__all__ = ["reconcile_analytics_job"]

_KIND = "AnalyticsJob"
_POLL_SECONDS = 10.0
"""Between questions to the driver; a failed one answers for 45 s before it ends."""

_RUNNERS = ("StatefulSet", "CronJob", "Job")


async def reconcile_analytics_job(context: Context, key: Key) -> Requeue:
    """Bring one job's children and status up to date."""
    body = context.store.get(_KIND, key)
    if body is None:
        return Requeue.never()
    if "deletionTimestamp" in body["metadata"]:
        return Requeue()
    subject = Subject.of(body)
    status: dict[str, Any] = body.get("status") or {}
    try:
        job = parse_resource(AnalyticsJob, body)
        check_limits(job, context.settings)
        _refuse_second(context, key, job)
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
            await _replace_runners(context, key, job, wanted)
            await apply_children(context, _KIND, key, wanted.objects)
        return await _report(context, subject, job, wanted, cluster_id=read_from, trouble=changed)
    except KubernetesUnavailableError:
        raise
    except Exception as caught:
        error = as_operator_error(caught, _KIND, key)
        fields = {name: value for name, value in status.items() if name not in {"conditions", "observedGeneration"}}
        await write_status(context, _KIND, subject, fields=fields, verdicts=[failure(error)])
        raise error from caught


def _refuse_second(context: Context, key: Key, job: AnalyticsJob) -> None:
    rivals = []
    for other, body in context.store.items(_KIND):
        if other.namespace == key.namespace and body.get("spec", {}).get("table") == job.spec.table:
            rivals.append((body["metadata"].get("creationTimestamp") or "", other.name))
    holder = min(rivals)[1]
    if holder != key.name:
        raise TerminalError(
            "Conflict", f"AnalyticsJob {holder} writes the table {job.spec.table} already: choose another spec.table"
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


async def _replace_runners(context: Context, key: Key, job: AnalyticsJob, wanted: JobObjects) -> None:
    """Remove what ran the job before spec.run or a one-time run was changed."""
    runner = wanted.runner["kind"]
    for kind in _RUNNERS[:2]:
        if kind != runner:
            await remove_child(context, kind, Key(key.namespace, job_name(key.name)), job.metadata.uid)
    for other in await context.kubernetes.list(
        "Job", key.namespace, labels=f"app.kubernetes.io/name=kwitness-job,app.kubernetes.io/instance={key.name}"
    ):
        name = other["metadata"]["name"]
        if runner != "Job" or name != wanted.runner["metadata"]["name"]:
            await remove_child(context, "Job", Key(key.namespace, name), job.metadata.uid)


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
    answer: dict[str, Any] | None = None
    state = (runner or {}).get("status") or {}
    if not job.spec.suspend and (state.get("replicas") or state.get("active")):
        try:
            answer = await context.drivers.get(context.driver_url(key))
        except TransientError:
            # It is starting, or has just ended; what runs it tells which.
            answer = None
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


def _is_ready(runner: dict[str, Any] | None) -> bool:
    state = (runner or {}).get("status") or {}
    return bool(state.get("readyReplicas") or state.get("ready"))
