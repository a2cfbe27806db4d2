"""Pods of an AnalyticsJob: the driver, and the template from which Spark makes executors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kwitness.contracts.endpoints import DRIVER_PORT, HEALTH_PATH
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.operator.desired.child_settings import with_pod_values
from kwitness.operator.desired.kafka_client_files import KafkaClientFiles
from kwitness.operator.desired.pods import CONTAINER_SECURITY, labels, pod_base, pod_fields, pod_security, selector
from kwitness.operator.kinds.analytics_job.storage import keys_of_driver, token_of_pod
from kwitness.operator.settings import OperatorSettings

__all__ = ["DRIVER_PORTS", "driver_pod", "executor_template"]

DRIVER_PORTS: Final = {"status": DRIVER_PORT, "driver": 7078, "blocks": 7079}
"""The last two are fixed in kwitness.jobs.driver.spark_settings, so that a NetworkPolicy can name them."""

_TABLES: Final = "/var/lib/kwitness"
_GRACE_SECONDS: Final = 60
"""Enough to finish a micro-batch; what is cut off is done again from the checkpoint."""


def driver_pod(
    connections: Sequence[KafkaClientFiles], settings: OperatorSettings, *, config_map: str, restart: str
) -> dict[str, Any]:
    """Spec of the driver's pod; it has what each of the ``connections`` takes."""
    volumes, mounts = _volumes(settings, scratch="4Gi")
    keys, token = keys_of_driver(settings.analytics.storage), token_of_pod(settings.analytics.storage)
    for files in connections:
        volumes, mounts = [*volumes, *files.volumes], [*mounts, *files.mounts]
    volumes = [*volumes, *keys.volumes, *token.volumes]
    mounts = [*mounts, *keys.mounts, *token.mounts]
    return {
        **pod_base(settings),
        "serviceAccountName": settings.analytics.service_account,
        "automountServiceAccountToken": True,
        "restartPolicy": restart,
        "terminationGracePeriodSeconds": _GRACE_SECONDS,
        "securityContext": pod_security(settings.analytics.spark_user, settings.analytics.spark_user),
        "containers": [
            {
                "name": "driver",
                "image": settings.images.spark,
                "imagePullPolicy": settings.images.spark_pull_policy,
                "args": ["--config", "/etc/kwitness/job/job.json"],
                "env": [
                    *pod_fields(POD_NAME="metadata.name", POD_NAMESPACE="metadata.namespace", POD_IP="status.podIP"),
                    {"name": "KWITNESS_SPARK_DRIVER_MEMORY", "value": settings.analytics.driver.memory},
                    *token.environment,
                ],
                "ports": [
                    {"name": name, "containerPort": port, "protocol": "TCP"} for name, port in DRIVER_PORTS.items()
                ],
                "startupProbe": {
                    "httpGet": {"path": HEALTH_PATH, "port": "status"},
                    "periodSeconds": 5,
                    "failureThreshold": 60,
                },
                "livenessProbe": {
                    "httpGet": {"path": HEALTH_PATH, "port": "status"},
                    "periodSeconds": 30,
                    "timeoutSeconds": 10,
                    "failureThreshold": 6,
                },
                "resources": settings.analytics.driver.resources,
                "securityContext": CONTAINER_SECURITY,
                "volumeMounts": [
                    {"name": "job", "mountPath": "/etc/kwitness/job", "readOnly": True},
                    *mounts,
                ],
            }
        ],
        "volumes": [{"name": "job", "configMap": {"name": config_map, "defaultMode": 0o444}}, *volumes],
    }


def executor_template(job: AnalyticsJob, settings: OperatorSettings) -> dict[str, Any]:
    """Pod that Spark completes; it puts no security context of its own on executors (4.1.1).

    It mounts no Secret: the driver hands its executors what they need over Spark's encrypted connections
    (`kwitness.jobs.frame.kafka_options`, `object_store`), so the right to create executors is not the right to read
    Secrets.
    """
    volumes, mounts = _volumes(settings, scratch="8Gi")
    token = token_of_pod(settings.analytics.storage)
    executor: dict[str, Any] = {
        "name": "executor",
        "securityContext": CONTAINER_SECURITY,
        "volumeMounts": [*mounts, *token.mounts],
    }
    if token.environment:
        executor["env"] = token.environment
    name = job.metadata.name
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"labels": {**labels("executor", name), "kwitness.dev/job": name}},
        "spec": {
            **pod_base(settings),
            "automountServiceAccountToken": False,
            "securityContext": pod_security(settings.analytics.spark_user, settings.analytics.spark_user),
            "containers": [executor],
            "volumes": [*volumes, *token.volumes],
        },
    }
    return with_pod_values(pod, settings.analytics.executor.pod, selector("executor", name), settings.trust_bundle)


def _volumes(settings: OperatorSettings, *, scratch: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    volumes: list[dict[str, Any]] = [{"name": "tmp", "emptyDir": {"sizeLimit": scratch}}]
    # An emptyDir, since the root is read-only.
    mounts: list[dict[str, Any]] = [{"name": "tmp", "mountPath": "/tmp"}]  # noqa: S108
    if settings.analytics.table_claim is not None:
        volumes.append({"name": "tables", "persistentVolumeClaim": {"claimName": settings.analytics.table_claim}})
        mounts.append({"name": "tables", "mountPath": _TABLES})
    return volumes, mounts
