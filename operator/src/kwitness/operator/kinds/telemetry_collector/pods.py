"""The StatefulSet of a TelemetryCollector."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.audiences import collector_audience
from kwitness.contracts.endpoints import (
    COLLECTOR_PORT,
    OTLP_GRPC_PORT,
    OTLP_HTTP_PORT,
    PROBE_PORT,
)
from kwitness.contracts.resources.privacy import treated
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.desired.child_settings import with_pod_settings, with_pod_values
from kwitness.operator.desired.container_resources import container_resources
from kwitness.operator.desired.identity_key import identity_key_volume
from kwitness.operator.desired.kafka_client_files import SECRETS, KafkaClientFiles
from kwitness.operator.desired.pods import (
    CONFIG_HASH,
    CONTAINER_SECURITY,
    credential_volume,
    labels,
    pod_base,
    pod_fields,
    pod_security,
    probes,
    projected_token,
    secret_volume,
    selector,
    spread,
)
from kwitness.operator.kinds.telemetry_collector.config import STATE
from kwitness.operator.settings import OperatorSettings
from kwitness.runtime.child_names import collector_name, collector_replicas_name

__all__ = ["PORTS", "stateful_set"]

PORTS = {"api": COLLECTOR_PORT, "otlp-http": OTLP_HTTP_PORT, "otlp-grpc": OTLP_GRPC_PORT, "metrics": PROBE_PORT}


def stateful_set(
    collector: TelemetryCollector,
    files: KafkaClientFiles,
    settings: OperatorSettings,
    *,
    metadata: dict[str, Any],
    config_hash: str,
) -> dict[str, Any]:
    """Build it; ``config_hash`` changes when a restart is needed."""
    name = collector.metadata.name
    chosen = selector("collector", name)
    volumes, mounts = _volumes(collector, files)
    claims: list[dict[str, Any]] = []
    storage = collector.spec.storage
    storage_class = storage.storage_class_name or settings.collector.storage_class
    if storage_class:
        claims = [
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {"name": "state"},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "storageClassName": storage_class,
                    "resources": {"requests": {"storage": storage.size}},
                },
            }
        ]
    else:
        volumes.append({"name": "state", "emptyDir": {"sizeLimit": storage.size}})
    pod: dict[str, Any] = {
        **pod_base(settings),
        "serviceAccountName": settings.collector.service_account,
        "automountServiceAccountToken": True,
        "terminationGracePeriodSeconds": 30,
        "securityContext": pod_security(settings.pods.run_as_user, settings.pods.fs_group),
        "containers": [_container(collector, settings, mounts)],
        "volumes": volumes,
        "topologySpreadConstraints": spread("collector", name),
    }
    made = {
        "metadata": {"labels": labels("collector", name), "annotations": {CONFIG_HASH: config_hash}},
        "spec": pod,
    }
    template = with_pod_settings(made, collector.spec.pod)
    spec: dict[str, Any] = {
        "replicas": 0 if collector.spec.suspend else collector.spec.replicas,
        "serviceName": collector_replicas_name(name),
        "podManagementPolicy": "Parallel",
        "selector": {"matchLabels": chosen},
        "template": with_pod_values(template, settings.collector.pod, chosen, settings.trust_bundle),
    }
    if claims:
        spec["volumeClaimTemplates"] = claims
        # By default a later collector of this name, maybe of another cluster, does not go on with this one's counters.
        spec["persistentVolumeClaimRetentionPolicy"] = {"whenDeleted": storage.when_deleted, "whenScaled": "Retain"}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {**metadata, "name": collector_name(name)},
        "spec": spec,
    }


def _container(
    collector: TelemetryCollector, settings: OperatorSettings, mounts: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "name": "collector",
        "image": settings.images.collector,
        "imagePullPolicy": settings.images.collector_pull_policy,
        "env": pod_fields(POD_NAME="metadata.name", POD_NAMESPACE="metadata.namespace"),
        "ports": [{"name": port, "containerPort": number, "protocol": "TCP"} for port, number in PORTS.items()],
        **probes(starts=60, period_s=3),
        "resources": container_resources(collector.spec.resources, settings.collector.resources),
        "securityContext": CONTAINER_SECURITY,
        "volumeMounts": mounts,
    }


def _volumes(
    collector: TelemetryCollector, files: KafkaClientFiles
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    spec, name = collector.spec, collector_name(collector.metadata.name)
    # The replicas hand pushes to each other.
    audience = collector_audience(collector.metadata.namespace, collector.metadata.name)
    secrets: list[dict[str, Any]] = []
    if spec.ingest.tls.secret_ref is not None:
        secrets.append(secret_volume("ingest-tls", spec.ingest.tls.secret_ref.name, "tls.crt", "tls.key"))
    if spec.ingest.tokens_secret_ref is not None:
        secrets.append(secret_volume("ingest-tokens", spec.ingest.tokens_secret_ref.name, "tokens"))
    if treated(spec.identity):
        # Without it a replica starts, takes no push, and says why.
        secrets.append(identity_key_volume())
    for number, forward in enumerate(spec.forward):
        if forward.headers_secret_ref is not None:
            secrets.append(
                credential_volume(f"forward-{number}", forward.headers_secret_ref.name, {"headers": "headers"})
            )
        if forward.tls.ca_secret_ref is not None:
            secrets.append(secret_volume(f"forward-{number}-ca", forward.tls.ca_secret_ref.name, "ca.crt"))
    volumes: list[dict[str, Any]] = [
        {"name": "config", "configMap": {"name": name, "defaultMode": 0o444}},
        projected_token("collector-token", audience),
        {"name": "tmp", "emptyDir": {"sizeLimit": "64Mi"}},
        *files.volumes,
        *secrets,
    ]
    mounts: list[dict[str, Any]] = [
        {"name": "config", "mountPath": "/etc/kwitness/collector", "readOnly": True},
        {"name": "collector-token", "mountPath": "/var/run/secrets/kwitness/collector", "readOnly": True},
        {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - an emptyDir, the root is read-only
        {"name": "state", "mountPath": STATE},
        *files.mounts,
        *({"name": one["name"], "mountPath": f"{SECRETS}/{one['name']}", "readOnly": True} for one in secrets),
    ]
    if spec.ingest.tls.ca_config_map_ref is not None:
        items = [{"key": "ca.crt", "path": "ca.crt"}]
        reference = {"name": spec.ingest.tls.ca_config_map_ref.name, "items": items, "defaultMode": 0o444}
        volumes.append({"name": "ingest-ca", "configMap": reference})
        mounts.append({"name": "ingest-ca", "mountPath": "/etc/kwitness/ingest-ca", "readOnly": True})
    return volumes, mounts
