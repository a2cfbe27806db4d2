"""All children of an AnalyticsJob."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import yaml

from kwitness.contracts.job_config import JobConfig
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_run import Schedule
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.meta import parse_duration
from kwitness.operator.desired.child_settings import with_pod_values
from kwitness.operator.desired.kafka_client_files import kafka_client_files
from kwitness.operator.desired.pods import CONFIG_HASH, child_metadata, labels, selector
from kwitness.operator.kinds.analytics_job.config import job_config
from kwitness.operator.kinds.analytics_job.found_inputs import FoundInputs
from kwitness.operator.kinds.analytics_job.pods import DRIVER_PORTS, driver_pod, executor_template
from kwitness.operator.model.fingerprints import fingerprint
from kwitness.operator.model.ownership import MANAGED
from kwitness.operator.settings import OperatorSettings
from kwitness.runtime.child_names import cut_name, job_name

__all__ = ["RUN_ANNOTATION", "TABLE_LABEL", "JobObjects", "job_objects", "runner_name"]

RUN_ANNOTATION: Final = "kwitness.dev/run"
"""Of a Job: the id of its run."""

TABLE_LABEL: Final = "kwitness.dev/table"
"""Of a driver's pod: the table that it writes."""

_OF_FEW_TYPES: Final = ("input_tables", "owners", "rate_card", "second")
_JOB_NAME = 63
"""Characters of a Job's name, which becomes a label of its pods."""


@dataclass(frozen=True, slots=True)
class JobObjects:
    """The children: what a driver needs, and ``runner``, which starts it and is applied after them."""

    shared: tuple[dict[str, Any], ...]
    runner: dict[str, Any]


def job_objects(
    job: AnalyticsJob, cluster: KafkaCluster, cluster_id: str, inputs: FoundInputs, settings: OperatorSettings
) -> JobObjects:
    """Build the children.

    Raises
    ------
    TerminalError
        HostNotAllowed, see `kafka_client_files`.
    """
    name, namespace = job.metadata.name, job.metadata.namespace
    metadata = child_metadata("AnalyticsJob", "job", job_name(name), job.metadata)
    files = kafka_client_files(cluster, namespace, job.spec.authentication, job.spec.tls, settings.credentials)
    data = {
        "job.json": _text(job_config(job, cluster, cluster_id, settings, connection=files.connection, inputs=inputs)),
        "executor.yaml": yaml.safe_dump(executor_template(job, settings), sort_keys=True),
    }
    streaming = job.spec.analysis.run.streaming is not None
    connections = (files, *((inputs.second_files,) if inputs.second_files is not None else ()))
    pod = driver_pod(connections, settings, config_map=job_name(name), restart="Always" if streaming else "Never")
    made = {
        "metadata": {
            "labels": {**labels("job", name), TABLE_LABEL: job.spec.analysis.table, MANAGED: "true"},
            "annotations": {CONFIG_HASH: fingerprint(data)},
        },
        "spec": pod,
    }
    template = with_pod_values(made, settings.analytics.driver.pod, selector("job", name), settings.trust_bundle)
    runner = _runner(job, metadata, template)
    shared = (
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data},
        _service(job, metadata),
        _network_policy(job, metadata),
    )
    return JobObjects(shared, runner)


def _text(config: JobConfig) -> str:
    # What most types have none of is left out, so that their drivers do not start again because others have it.
    absent = {name for name in _OF_FEW_TYPES if not getattr(config, name)}
    # Thousands of owners need the room that a ConfigMap has.
    compact = config.owners is not None
    return config.model_dump_json(indent=None if compact else 1, exclude=absent, exclude_none=compact)


def _runner(job: AnalyticsJob, metadata: dict[str, Any], template: dict[str, Any]) -> dict[str, Any]:
    name, run = job.metadata.name, job.spec.analysis.run
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
                "jobTemplate": {
                    "metadata": {"labels": {**labels("job", name), MANAGED: "true"}},
                    "spec": _one_run(template),
                },
            },
        }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {**metadata, "name": runner_name(job)[1], "annotations": {RUN_ANNOTATION: _run_id(job)}},
        "spec": {**_one_run(template), "suspend": job.spec.suspend},
    }


def runner_name(job: AnalyticsJob) -> tuple[str, str]:
    """Kind and name of what is to run the job as it is now."""
    name, run = job_name(job.metadata.name), job.spec.analysis.run
    if run.streaming is not None:
        return "StatefulSet", name
    if run.schedule is not None:
        return "CronJob", name
    # Another id is another run and has another name; nothing else is a reason to run.
    digest = fingerprint([job.metadata.uid, _run_id(job)])[:8]
    return "Job", cut_name(f"{name}-{digest}", _JOB_NAME)


def _run_id(job: AnalyticsJob) -> str:
    return job.spec.analysis.run.once.id if job.spec.analysis.run.once else ""


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
