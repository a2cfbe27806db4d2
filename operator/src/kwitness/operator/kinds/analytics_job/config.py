"""The file of a Spark driver, and where its table is."""

from __future__ import annotations

from kwitness.contracts.endpoints import DRIVER_PORT
from kwitness.contracts.job_config import ExecutorsConfig, JobConfig, JobTopics, RunConfig, StorageConfig, job_paths
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.resources.quantities import mebibytes
from kwitness.operator.analytics_settings import StorageSettings
from kwitness.operator.kinds.analytics_job.found_inputs import FoundInputs
from kwitness.operator.kinds.analytics_job.storage import KEYS_FOLDER
from kwitness.operator.settings import OperatorSettings

__all__ = ["EXECUTOR_TEMPLATE", "job_config", "table_folder"]

EXECUTOR_TEMPLATE = "/etc/kwitness/job/executor.yaml"


def table_folder(job: AnalyticsJob, settings: OperatorSettings) -> str:
    """Folder with table, checkpoint, quarantine and identity.json of a job's analysis."""
    return f"{settings.analytics.table_root.rstrip('/')}/{job.metadata.namespace}/{job.spec.analysis.table}"


def job_config(
    job: AnalyticsJob,
    cluster: KafkaCluster,
    cluster_id: str,
    settings: OperatorSettings,
    *,
    connection: KafkaConnection,
    inputs: FoundInputs,
) -> JobConfig:
    """Translate the resource; pure."""
    spec, analysis = job.spec, job.spec.analysis
    folder = table_folder(job, settings)
    parameters = {name: value for name, value in analysis.parameters if value is not None}
    run = analysis.run
    trigger = parse_duration(run.streaming.trigger).total_seconds() if run.streaming else 30.0
    return JobConfig(
        type=analysis.type,
        namespace=job.metadata.namespace,
        name=job.metadata.name,
        uid=job.metadata.uid,
        cluster_id=cluster_id,
        kafka=connection,
        topics=JobTopics.with_prefix(cluster.spec.topics.prefix),
        run=RunConfig(
            mode="streaming" if run.streaming else "once",
            id=run.once.id if run.once else "",
            trigger_seconds=trigger,
        ),
        **job_paths(folder)._asdict(),
        parameters=next((value.model_dump(exclude_none=True) for value in parameters.values()), {}),
        input_tables=inputs.tables,
        owners=inputs.owners,
        rate_card=inputs.rate_card,
        second=inputs.second,
        window_seconds=parse_duration(analysis.window).total_seconds(),
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
        storage=_storage(settings.analytics.storage),
    )


def _storage(storage: StorageSettings) -> StorageConfig:
    return StorageConfig(
        endpoint=storage.endpoint,
        region=storage.region,
        path_style=storage.path_style,
        keys_folder=KEYS_FOLDER if storage.keys_secret else None,
        settings=storage.settings,
    )
