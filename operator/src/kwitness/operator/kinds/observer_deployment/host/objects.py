"""All children of an observer host."""

from __future__ import annotations

from typing import Any, Final

from kwitness.contracts.endpoints import PROBE_PORT
from kwitness.contracts.observer_host_config import HostedObserver, ObserverHostConfig
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.observer_host import ObserverHost
from kwitness.contracts.topics import REQUESTS, topic_name
from kwitness.operator.desired.child_settings import with_pod_values
from kwitness.operator.desired.kafka_client_files import KafkaClientFiles, kafka_client_files
from kwitness.operator.desired.pods import (
    CONFIG_HASH,
    CONTAINER_SECURITY,
    child_metadata,
    disruption_budget,
    labels,
    pod_base,
    pod_fields,
    pod_security,
    probes,
    selector,
    spread,
)
from kwitness.operator.model.fingerprints import fingerprint
from kwitness.operator.settings import OperatorSettings
from kwitness.runtime.child_names import observer_host_name

__all__ = ["host_objects"]

_FOLDER: Final = "/etc/kwitness/observer-host"
_FILE: Final = "host.json"
_DRAIN_SECONDS: Final = 20
_CLOSE_SECONDS: Final = 5
_GRACE_SECONDS: Final = _DRAIN_SECONDS + _CLOSE_SECONDS + 15
"""Then the reading has ended, and offsets are committed."""


def host_objects(
    resource: ObserverDeployment, host: ObserverHost, cluster: KafkaCluster, settings: OperatorSettings
) -> tuple[dict[str, Any], ...]:
    """Build the children, in the order in which they are applied.

    Raises
    ------
    TerminalError
        HostNotAllowed, see `kafka_client_files`.
    """
    name, namespace = resource.metadata.name, resource.metadata.namespace
    metadata = child_metadata("ObserverDeployment", "observer-host", observer_host_name(name), resource.metadata)
    files = kafka_client_files(cluster, namespace, host.authentication, host.tls, settings.credentials)
    config = ObserverHostConfig(
        kafka=files.connection,
        topic=topic_name(cluster.spec.topics.prefix, REQUESTS),
        # Of this resource alone, also where another Kubernetes cluster has its like: hosts of one group share records.
        group=f"kwitness-host-{namespace}.{name}-{fingerprint(resource.metadata.uid)[:8]}",
        observers=tuple(
            HostedObserver(name=one.name, class_name=one.class_name, config=one.config) for one in host.observers
        ),
        drain_seconds=_DRAIN_SECONDS,
        close_seconds=_CLOSE_SECONDS,
    )
    data = {_FILE: config.model_dump_json(indent=1)}
    template: dict[str, Any] = {
        "metadata": {"labels": labels("observer-host", name), "annotations": {CONFIG_HASH: fingerprint(data)}},
        "spec": _pod(files, settings, config_map=metadata["name"]),
    }
    if host.replicas > 1:
        template["spec"]["topologySpreadConstraints"] = spread("observer-host", name)
    chosen = selector("observer-host", name)
    budget = (disruption_budget("observer-host", name, metadata),) if host.replicas > 1 else ()
    return (
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data},
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata,
            "spec": {
                "replicas": host.replicas,
                "selector": {"matchLabels": chosen},
                "template": with_pod_values(template, settings.observer_host.pod, chosen, settings.trust_bundle),
            },
        },
        *budget,
    )


def _pod(files: KafkaClientFiles, settings: OperatorSettings, *, config_map: str) -> dict[str, Any]:
    return {
        **pod_base(settings),
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": _GRACE_SECONDS,
        "securityContext": pod_security(settings.pods.run_as_user, settings.pods.fs_group),
        "containers": [
            {
                "name": "host",
                "image": settings.images.observer_host,
                "imagePullPolicy": settings.images.observer_host_pull_policy,
                "args": [f"{_FOLDER}/{_FILE}"],
                "env": pod_fields(POD_NAME="metadata.name"),
                "ports": [{"name": "metrics", "containerPort": PROBE_PORT, "protocol": "TCP"}],
                **probes(starts=30, period_s=5),
                "resources": {part: dict(amounts) for part, amounts in settings.observer_host.resources.items()},
                "securityContext": CONTAINER_SECURITY,
                "volumeMounts": [
                    {"name": "config", "mountPath": _FOLDER, "readOnly": True},
                    # An emptyDir, since the root is read-only.
                    {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108
                    *files.mounts,
                ],
            }
        ],
        "volumes": [
            {"name": "config", "configMap": {"name": config_map, "defaultMode": 0o444}},
            {"name": "tmp", "emptyDir": {"sizeLimit": "256Mi"}},
            *files.volumes,
        ],
    }
