"""The settings of a Spark session: on Kubernetes in client mode when the driver is a pod, else in this process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import kwitness.jobs
from kwitness.contracts.job_config import ExecutorsConfig, JobConfig
from kwitness.jobs.frame.object_store import storage_settings

#: Fixed, so that a NetworkPolicy can name them.
DRIVER_PORT = 7078
BLOCK_MANAGER_PORT = 7079

#: Tasks of each step of a batch that executors do, at least. Most batches are small; Spark's default would be 200.
_FEWEST_TASKS = 4
#: Precedes the jar of Kafka on the class path: the version that its clients announce, marked as the platform's own.
_RESOURCES = Path(kwitness.jobs.__file__).with_name("java_resources")
_SMALL_JVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"

_ALWAYS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.warehouse.dir": "/tmp/spark-warehouse",  # noqa: S108 - never written; the default is not writable
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Spark describes each plan for the UI even where there is none.
    "spark.sql.ui.explainMode": "simple",
    # Python would tell Java the line of each of its calls, for messages of errors: six calls more for each.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.driver.memory": "512m",
    "spark.databricks.delta.snapshotPartitions": "2",
    # Housekeeping lists the table's folder in as many tasks as this says, by default 10,000.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
    "spark.sql.streaming.minBatchesToRetain": "20",
    # Records can be as large as the broker allows; a batch for Python is bounded by count and by bytes.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
    "spark.sql.execution.arrow.maxBytesPerBatch": "16777216",
    "spark.databricks.delta.schema.autoMerge.enabled": "false",
    "spark.redaction.regex": "(?i)secret|password|token|access[.]?key|jaas|keystore",
    # The two ways by which old Parquet readers misread times.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.python.worker.reuse": "true",
    "spark.python.daemon.module": "kwitness.jobs.driver.python_daemon",
}


def spark_settings(config: JobConfig, environment: Mapping[str, str]) -> dict[str, str]:
    """All settings for a job.

    Parameters
    ----------
    environment
        `POD_IP`, `POD_NAME` and `POD_NAMESPACE` make the driver ask Kubernetes for executors, if the job has any;
        `KUBERNETES_SERVICE_HOST` and `_PORT` are then set by the kubelet. `KWITNESS_SPARK_JARS` is a folder, or
        several as in PATH, with the jars of Kafka and Delta where they are not in PySpark's own folder.
        `KWITNESS_SPARK_CLASSES` is the folder with an archive of classes, where there is one.
        `KWITNESS_SPARK_LOCAL_DIR` is for shuffle files, and `KWITNESS_SPARK_DRIVER_MEMORY` the driver's heap (512m).
    """
    executors = config.executors
    settings = {
        **_ALWAYS,
        "spark.app.name": f"kwitness-{config.type}-{config.name or 'local'}",
        "spark.sql.shuffle.partitions": str(_tasks(executors)),
        **storage_settings(config),
    }
    settings |= _java(executors, environment)
    if memory := environment.get("KWITNESS_SPARK_DRIVER_MEMORY"):
        settings["spark.driver.memory"] = memory
    if local := environment.get("KWITNESS_SPARK_LOCAL_DIR"):
        settings["spark.local.dir"] = local
    if executors.instances and environment.get("POD_IP") and environment.get("KUBERNETES_SERVICE_HOST"):
        return settings | _kubernetes(config, environment)
    return settings | {"spark.master": f"local[{executors.cores}]", "spark.driver.host": "127.0.0.1"}


def _java(executors: ExecutorsConfig, environment: Mapping[str, str]) -> dict[str, str]:
    """Class paths and options of the virtual machines of driver and executors."""
    jars = filter(None, environment.get("KWITNESS_SPARK_JARS", "").split(os.pathsep))
    path = [str(_RESOURCES), *(f"{folder}/*" for folder in jars)]
    # A driver plans again and again; the second compiler never pays back (halves its CPU seconds, see the README).
    driver, executor = [_SMALL_JVM], [_SMALL_JVM] if executors.cores == 1 else []
    if classes := environment.get("KWITNESS_SPARK_CLASSES"):
        # Java uses an archive where the class path begins as it did then: with a jar that names all others.
        path.insert(0, f"{classes}/classpath.jar")
        for options in (driver, executor):
            options.append(f"-XX:SharedArchiveFile={classes}/classes.jsa")
    return {
        "spark.driver.extraClassPath": os.pathsep.join(path),
        "spark.executor.extraClassPath": os.pathsep.join(path),
        "spark.driver.extraJavaOptions": " ".join(driver),
        "spark.executor.extraJavaOptions": " ".join(executor),
    }


def _tasks(executors: ExecutorsConfig) -> int:
    """Tasks of each step of a batch; a driver that works alone has one for each of its cores."""
    return max(_FEWEST_TASKS, executors.instances * executors.cores) if executors.instances else executors.cores


def _kubernetes(config: JobConfig, environment: Mapping[str, str]) -> dict[str, str]:
    executors = config.executors
    address = environment["POD_IP"]
    server = environment["KUBERNETES_SERVICE_HOST"]
    host = f"[{server}]" if ":" in server else server
    settings = {
        "spark.master": f"k8s://https://{host}:{environment.get('KUBERNETES_SERVICE_PORT', '443')}",
        "spark.submit.deployMode": "client",
        "spark.driver.host": f"[{address}]" if ":" in address else address,
        "spark.driver.port": str(DRIVER_PORT),
        "spark.driver.blockManager.port": str(BLOCK_MANAGER_PORT),
        "spark.blockManager.port": str(BLOCK_MANAGER_PORT),
        "spark.kubernetes.namespace": environment["POD_NAMESPACE"],
        # Executors get the driver's pod as their owner, so Kubernetes removes them with it.
        "spark.kubernetes.driver.pod.name": environment["POD_NAME"],
        "spark.kubernetes.executor.podNamePrefix": environment["POD_NAME"],
        "spark.kubernetes.container.image": executors.image,
        "spark.kubernetes.container.image.pullPolicy": executors.image_pull_policy,
        "spark.kubernetes.authenticate.executor.serviceAccountName": executors.service_account,
        "spark.executor.instances": str(executors.instances),
        "spark.executor.cores": str(executors.cores),
        "spark.executor.memory": executors.memory,
        # Measured: 190 MiB of the JVM beside its heap, 160 MiB for each Python worker, 55 MiB for their parent. Two
        # workers are alive for a moment when one replaces the other; with 448 MiB executors were killed for memory.
        "spark.executor.memoryOverhead": "640m",
        "spark.kubernetes.executor.request.cores": "100m",
        # The role of the driver is pods alone: no ConfigMaps, Services or claims are made or removed.
        "spark.kubernetes.executor.disableConfigMap": "true",
        "spark.kubernetes.driver.service.deleteOnTermination": "false",
        "spark.kubernetes.driver.ownPersistentVolumeClaim": "false",
        "spark.kubernetes.driver.reusePersistentVolumeClaim": "false",
        # Shuffle traffic and code go between pods: with a secret of this run's own, encrypted.
        "spark.authenticate": "true",
        "spark.network.crypto.enabled": "true",
        "spark.kubernetes.driver.waitToReusePersistentVolumeClaim": "false",
    }
    if executors.pod_template_file is not None:
        settings["spark.kubernetes.executor.podTemplateFile"] = executors.pod_template_file
        settings["spark.kubernetes.executor.podTemplateContainerName"] = "executor"
    return settings
