"""All children of a gateway."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kwitness.contracts.audiences import collector_audience
from kwitness.contracts.endpoints import PROBE_PORT
from kwitness.contracts.observer_settings import ObserverSettings
from kwitness.contracts.resources.gateway import Gateway
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.desired.child_settings import with_pod_settings, with_pod_values, with_service_settings
from kwitness.operator.desired.container_resources import container_resources
from kwitness.operator.desired.kafka_client_files import SECRETS
from kwitness.operator.desired.pods import (
    CONTAINER_SECURITY,
    child_metadata,
    disruption_budget,
    labels,
    pod_base,
    pod_fields,
    pod_security,
    probes,
    projected_token,
    selector,
    spread,
)
from kwitness.operator.environment.collectors import ServingCollector
from kwitness.operator.kinds.observer_deployment.gateway_settings import (
    AUTHORITY_KEY,
    SETTINGS_FOLDER,
    TOKEN_FOLDER,
    settings_text,
)
from kwitness.operator.kinds.observer_deployment.node_addresses import ADDRESSES_KEY
from kwitness.operator.kinds.observer_deployment.ports import SLOTS_KEY
from kwitness.operator.settings import OperatorSettings
from kwitness.runtime.child_names import gateway_name, gateway_ports_name

__all__ = ["SETTINGS_KEY", "gateway_objects"]

SETTINGS_KEY: Final = "observer.json"

_LINGER_SECONDS: Final = {"ClusterIP": 5, "NodePort": 15, "LoadBalancer": 15}
"""How long clients are let in after SIGTERM, by the Service's type: until Endpoints and load balancers follow."""
_DRAIN_SECONDS: Final = 20
"""How long connections may go on after that; clients then find another replica."""
_REPORT_SECONDS: Final = 15
"""Then the last window is sent."""


def gateway_objects(
    resource: ObserverDeployment,
    gateway: Gateway,
    settings: ObserverSettings,
    slots: Mapping[int, int],
    collector: ServingCollector,
    *,
    installation: OperatorSettings,
    secrets: Sequence[dict[str, Any]],
) -> tuple[dict[str, Any], ...]:
    """Build the children, in the order in which they are applied: what is remembered before what follows from it.

    ``secrets`` are volumes, each mounted into the pods below `SECRETS` by its name.
    """
    name = resource.metadata.name
    metadata = child_metadata("ObserverDeployment", "gateway", gateway_name(name), resource.metadata)
    files = {SETTINGS_KEY: settings_text(settings)}
    if collector.authority is not None:
        files[AUTHORITY_KEY] = collector.authority
    remembered = {SLOTS_KEY: json.dumps({str(node): slot for node, slot in sorted(slots.items())})}
    if settings.upstream.nodes:
        remembered[ADDRESSES_KEY] = json.dumps(settings.upstream.nodes)
    objects = [
        _config_map({**metadata, "name": gateway_ports_name(name)}, remembered),
        _config_map(metadata, files),
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata, "automountServiceAccountToken": False},
        _service(resource, gateway, settings, metadata),
        _deployment(resource, gateway, collector, installation, metadata, secrets=secrets),
    ]
    if gateway.replicas > 1:
        objects.append(disruption_budget("gateway", name, metadata))
    return tuple(objects)


def _config_map(metadata: dict[str, Any], data: dict[str, str]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def _service(
    resource: ObserverDeployment, gateway: Gateway, settings: ObserverSettings, metadata: dict[str, Any]
) -> dict[str, Any]:
    numbers = {"bootstrap": settings.listener.bootstrap_port} | {
        f"broker-{node}": port for node, port in settings.listener.brokers.items()
    }
    ports = []
    for name, number in numbers.items():
        port: dict[str, Any] = {"name": name, "port": number, "targetPort": number, "protocol": "TCP"}
        if gateway.service.type == "NodePort":
            # Clients are told the port of the gateway itself.
            port["nodePort"] = number
        ports.append(port)
    spec = {"selector": selector("gateway", resource.metadata.name), "ports": ports}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
    return with_service_settings(service, gateway.service)


def _deployment(
    resource: ObserverDeployment,
    gateway: Gateway,
    collector: ServingCollector,
    installation: OperatorSettings,
    metadata: dict[str, Any],
    *,
    secrets: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    name, chosen = resource.metadata.name, selector("gateway", resource.metadata.name)
    linger, of = _LINGER_SECONDS[gateway.service.type], collector.resource.metadata
    pod: dict[str, Any] = {
        **pod_base(installation),
        "serviceAccountName": metadata["name"],
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": linger + _DRAIN_SECONDS + _REPORT_SECONDS,
        "securityContext": pod_security(installation.pods.run_as_user, installation.pods.fs_group),
        "containers": [_container(gateway, installation, secrets, linger)],
        "volumes": [
            # Settings are read again when they change, so no pod is replaced for them.
            {"name": "settings", "configMap": {"name": metadata["name"], "defaultMode": 0o444}},
            projected_token("collector-token", collector_audience(of.namespace, of.name)),
            *secrets,
        ],
    }
    if gateway.replicas > 1:
        pod["topologySpreadConstraints"] = spread("gateway", name)
    made = with_pod_settings({"metadata": {"labels": labels("gateway", name)}, "spec": pod}, gateway.pod)
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {
            "replicas": gateway.replicas,
            "selector": {"matchLabels": chosen},
            # Clients must always find a replica.
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": with_pod_values(made, installation.observer.pod, chosen, installation.trust_bundle),
        },
    }


def _container(
    gateway: Gateway, installation: OperatorSettings, secrets: Sequence[dict[str, Any]], linger: int
) -> dict[str, Any]:
    return {
        "name": "observer",
        "image": installation.images.observer,
        "imagePullPolicy": installation.images.observer_pull_policy,
        "args": [
            "run",
            "--settings",
            f"{SETTINGS_FOLDER}/{SETTINGS_KEY}",
            "--linger-seconds",
            str(linger),
            "--drain-seconds",
            str(_DRAIN_SECONDS),
        ],
        "env": pod_fields(POD_NAME="metadata.name", POD_NAMESPACE="metadata.namespace"),
        "ports": [{"name": "metrics", "containerPort": PROBE_PORT, "protocol": "TCP"}],
        **probes(starts=30, period_s=3),
        "resources": container_resources(gateway.resources, installation.observer.resources),
        "securityContext": CONTAINER_SECURITY,
        "volumeMounts": [
            {"name": "settings", "mountPath": SETTINGS_FOLDER, "readOnly": True},
            {"name": "collector-token", "mountPath": TOKEN_FOLDER, "readOnly": True},
            *({"name": one["name"], "mountPath": f"{SECRETS}/{one['name']}", "readOnly": True} for one in secrets),
        ],
    }
