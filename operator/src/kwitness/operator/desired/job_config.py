"""The file of a Spark driver, and where its table is."""

from __future__ import annotations

from dataclasses import dataclass

from kwitness.contracts.endpoints import DRIVER_PORT
from kwitness.contracts.job_config import ExecutorsConfig, JobConfig, JobTopics, RunConfig
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.contracts.reasons import remedy
from kwitness.contracts.resources.analytics_job import USED_JOB_TYPES, AnalyticsJob
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import topic_name
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.model.quantities import mebibytes
from kwitness.operator.settings import OperatorSettings

__all__ = ["EXECUTOR_TEMPLATE", "check_limits", "job_config", "table_folder"]

EXECUTOR_TEMPLATE = "/etc/kwitness/job/executor.yaml"


@dataclass(frozen=True, slots=True)
class _Bound:
    field: str
    value: str
    asked: int
    most: int
    unit: str = ""


def table_folder(job: AnalyticsJob, settings: OperatorSettings) -> str:
    """Folder with table, checkpoint and quarantine of a job."""
    return f"{settings.analytics.table_root.rstrip('/')}/{job.metadata.namespace}/{job.spec.table}"


def check_limits(job: AnalyticsJob, settings: OperatorSettings) -> None:
    """Check what CEL cannot, since the bounds are Helm values.

    Raises
    ------
    TerminalError
        NamespaceNotEnabled, Unsupported, LimitExceeded, StorageUnsuitable.
    """
    analytics, limits, executors = settings.analytics, settings.limits, job.spec.executors
    namespace = job.metadata.namespace
    if namespace not in analytics.namespaces:
        raise TerminalError(
            "NamespaceNotEnabled",
            f"Spark drivers do not run in namespace {namespace}: {remedy('NamespaceNotEnabled')}, or apply the resource"
            f" in one of {', '.join(analytics.namespaces) or 'none'}",
        )
    if settings.images.spark is None:
        raise TerminalError("Unsupported", "this installation has no Spark: set the Helm value analytics.enabled")
    if job.spec.type not in USED_JOB_TYPES:
        raise TerminalError(
            "Unsupported", f"this version has no job of type {job.spec.type} yet: delete it, or keep it"
        )
    bounds = (
        _Bound("instances", "limits.maxExecutorInstances", executors.instances, limits.max_executor_instances),
        _Bound("cores", "limits.maxExecutorCores", executors.cores, limits.max_executor_cores),
        _Bound(
            "memory",
            "limits.maxExecutorMemory",
            mebibytes(executors.memory),
            mebibytes(limits.max_executor_memory),
            "Mi",
        ),
    )
    for bound in bounds:
        if bound.asked > bound.most:
            raise TerminalError(
                "LimitExceeded",
                f"spec.executors.{bound.field} is {bound.asked}{bound.unit}, above this installation's"
                f" {bound.most}{bound.unit}: ask for less, or have the Helm value {bound.value} raised",
            )
    if analytics.table_root.startswith("file:") and analytics.table_claim is None:
        raise TerminalError(
            "StorageUnsuitable",
            "the Helm value analytics.tableRoot is a path and analytics.tableClaim names no claim, so a table would be"
            " lost with its pod: set the claim, or use an object store",
        )


def job_config(
    job: AnalyticsJob,
    cluster: KafkaCluster,
    cluster_id: str,
    connection: KafkaConnection,
    settings: OperatorSettings,
) -> JobConfig:
    """Translate the resource; pure."""
    spec = job.spec
    folder = table_folder(job, settings)
    prefix = cluster.spec.topics.prefix
    parameters = {name: value for name, value in spec.parameters if value is not None}
    trigger = parse_duration(spec.run.streaming.trigger).total_seconds() if spec.run.streaming else 30.0
    return JobConfig(
        type=spec.type,
        namespace=job.metadata.namespace,
        name=job.metadata.name,
        uid=job.metadata.uid,
        cluster_id=cluster_id,
        kafka=connection,
        topics=JobTopics(**{kind: topic_name(prefix, kind) for kind in JobTopics.model_fields}),
        run=RunConfig(
            mode="streaming" if spec.run.streaming else "once",
            id=spec.run.once.id if spec.run.once else "",
            trigger_seconds=trigger,
        ),
        table_path=f"{folder}/table",
        checkpoint_path=f"{folder}/checkpoint",
        quarantine_path=f"{folder}/quarantine",
        identity_path=f"{folder}/identity.json",
        parameters=next((value.model_dump(exclude_none=True) for value in parameters.values()), {}),
        window_seconds=parse_duration(spec.window).total_seconds(),
        status_port=DRIVER_PORT,
        executors=ExecutorsConfig(
            instances=spec.executors.instances,
            cores=spec.executors.cores,
            memory=f"{mebibytes(spec.executors.memory)}m",
            image=settings.images.spark or "",
            image_pull_policy=settings.images.spark_pull_policy,
            pod_template_file=EXECUTOR_TEMPLATE,
            service_account=settings.analytics.service_account,
        ),
    )
