"""All children of an AnalyticsJob."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from kwitness.contracts.resources.analytics_job import AnalyticsJob, Schedule
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.meta import parse_duration
from kwitness.operator.desired.collector_pods import CONFIG_HASH
from kwitness.operator.desired.job_config import job_config
from kwitness.operator.desired.job_pods import DRIVER_PORTS, driver_pod, executor_template
from kwitness.operator.desired.kafka_client_files import kafka_client_files
from kwitness.operator.desired.pods import child_metadata, labels, selector
from kwitness.operator.model.fingerprints import fingerprint
from kwitness.operator.settings import OperatorSettings
from kwitness.runtime.child_names import cut_name, job_name

__all__ = ["JobObjects", "job_objects"]

_JOB_NAME = 63
"""Characters of a Job's name, which becomes a label of its pods."""


@dataclass(frozen=True, slots=True)
class JobObjects:
    """The children, in the order in which they are applied, and which of them runs the driver."""

    objects: tuple[dict[str, Any], ...]
    runner: dict[str, Any]


def job_objects(job: AnalyticsJob, cluster: KafkaCluster, cluster_id: str, settings: OperatorSettings) -> JobObjects:
    """Build the children.

    Raises
    ------
    TerminalError
        Unsupported or HostNotAllowed, see `kafka_client_files`.
    """
    name, namespace = job.metadata.name, job.metadata.namespace
    metadata = child_metadata("AnalyticsJob", "job", job_name(name), job.metadata)
    files = kafka_client_files(cluster, namespace, job.spec.authentication, job.spec.tls, settings.credentials)
    data = {
        "job.json": job_config(job, cluster, cluster_id, files.connection, settings).model_dump_json(indent=1),
        "executor.yaml": yaml.safe_dump(executor_template(job, settings), sort_keys=True),
    }
    streaming = job.spec.run.streaming is not None
    pod = driver_pod(files, settings, config_map=job_name(name), restart="Always" if streaming else "Never")
    template = {
        "metadata": {"labels": labels("job", name), "annotations": {CONFIG_HASH: fingerprint(data)}},
        "spec": pod,
    }
    runner = _runner(job, metadata, template)
    shared = (
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data},
        _service(job, metadata),
        _network_policy(job, metadata),
    )
    return JobObjects((*shared, runner), runner)


def _runner(job: AnalyticsJob, metadata: dict[str, Any], template: dict[str, Any]) -> dict[str, Any]:
    name, run = job.metadata.name, job.spec.run
    if run.streaming is not None:
        return {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": metadata,
            "spec": {
                # One pod of a fixed name: not even a lost node gives the job a second driver.
                "replicas": 0 if job.spec.suspend else 1,
                "serviceName": job_name(name),
                "podManagementPolicy": "Parallel",
                "selector": {"matchLabels": selector("job", name)},
                "template": template,
            },
        }
    if run.schedule is not None:
        return {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": metadata,
            "spec": {
                "schedule": run.schedule.cron,
                "timeZone": run.schedule.time_zone,
                **_deadline(run.schedule),
                "suspend": job.spec.suspend,
                "concurrencyPolicy": "Forbid",
                "successfulJobsHistoryLimit": 1,
                "failedJobsHistoryLimit": 1,
                "jobTemplate": {"metadata": {"labels": labels("job", name)}, "spec": _one_run(template)},
            },
        }
    # Another id is another run and has another name; nothing else is a reason to run.
    digest = fingerprint([job.metadata.uid, run.once.id if run.once else ""])[:8]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {**metadata, "name": cut_name(f"{job_name(name)}-{digest}", _JOB_NAME)},
        "spec": {**_one_run(template), "suspend": job.spec.suspend},
    }


def _deadline(schedule: Schedule) -> dict[str, Any]:
    if schedule.starting_deadline is None:
        return {}
    return {"startingDeadlineSeconds": int(parse_duration(schedule.starting_deadline).total_seconds())}


def _one_run(template: dict[str, Any]) -> dict[str, Any]:
    return {
        "parallelism": 1,
        "completions": 1,
        # A pod that is still ending must not write beside its successor.
        "podReplacementPolicy": "Failed",
        "backoffLimit": 3,
        "template": template,
    }


def _service(job: AnalyticsJob, metadata: dict[str, Any]) -> dict[str, Any]:
    ports = [{"name": name, "port": port, "targetPort": name, "protocol": "TCP"} for name, port in DRIVER_PORTS.items()]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": selector("job", job.metadata.name),
            "ports": ports,
        },
    }


def _network_policy(job: AnalyticsJob, metadata: dict[str, Any]) -> dict[str, Any]:
    name = job.metadata.name
    operator = {"app.kubernetes.io/name": "kwitness", "app.kubernetes.io/component": "operator"}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata,
        "spec": {
            "podSelector": {"matchLabels": selector("job", name)},
            "policyTypes": ["Ingress"],
            "ingress": [
                {
                    "ports": [{"port": "status", "protocol": "TCP"}],
                    "from": [{"namespaceSelector": {}, "podSelector": {"matchLabels": operator}}],
                },
                {
                    "ports": [{"port": port, "protocol": "TCP"} for port in ("driver", "blocks")],
                    "from": [{"podSelector": {"matchLabels": selector("executor", name)}}],
                },
            ],
        },
    }
