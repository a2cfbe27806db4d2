"""The parts that all pods we make have in common: Pod Security ``restricted``, a read-only root, what Helm decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kwitness.contracts.endpoints import HEALTH_PATH, READY_PATH
from kwitness.contracts.resources.meta import API_VERSION, ObjectMeta
from kwitness.operator.model.ownership import MANAGED
from kwitness.operator.settings import OperatorSettings

__all__ = [
    "CONFIG_HASH",
    "CONTAINER_SECURITY",
    "child_metadata",
    "credential_volume",
    "disruption_budget",
    "labels",
    "owner",
    "pod_base",
    "pod_fields",
    "pod_security",
    "probes",
    "projected_token",
    "secret_volume",
    "selector",
    "spread",
]

CONFIG_HASH: Final = "kwitness.dev/config-hash"
"""Annotation of a pod template; it changes when a restart is needed."""

CONTAINER_SECURITY: Final[dict[str, Any]] = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
}


def labels(component: str, instance: str) -> dict[str, str]:
    """Recommended labels of Kubernetes; ``instance`` is the resource's name."""
    return {
        "app.kubernetes.io/name": f"kwitness-{component}",
        "app.kubernetes.io/instance": instance,
        "app.kubernetes.io/component": component,
        "app.kubernetes.io/part-of": "kwitness",
        "app.kubernetes.io/managed-by": "kwitness-operator",
    }


def selector(component: str, instance: str) -> dict[str, str]:
    """The labels that pods are selected by; a selector cannot be changed later, so it has only what never changes."""
    return {"app.kubernetes.io/name": f"kwitness-{component}", "app.kubernetes.io/instance": instance}


def owner(kind: str, name: str, uid: str) -> dict[str, Any]:
    """Owner reference, so that Kubernetes removes the child with its resource."""
    return {
        "apiVersion": API_VERSION,
        "kind": kind,
        "name": name,
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": False,
    }


def child_metadata(kind: str, component: str, child: str, parent: ObjectMeta) -> dict[str, Any]:
    """Metadata of the object named ``child`` that stands for a resource of ``kind``, and goes with it."""
    return {
        "name": child,
        "namespace": parent.namespace,
        "labels": {**labels(component, parent.name), MANAGED: "true"},
        "ownerReferences": [owner(kind, parent.name, parent.uid)],
    }


def pod_fields(**paths: str) -> list[dict[str, Any]]:
    """Environment variables with what the pod knows of itself: paths into the pod by name of the variable."""
    return [
        {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
        for name, path in paths.items()
    ]


def probes(*, starts: int, period_s: int) -> dict[str, Any]:
    """Probes at the container's port ``metrics``; its start is asked about ``starts`` times, every 2 s."""
    health = {"path": HEALTH_PATH, "port": "metrics"}
    return {
        "startupProbe": {"httpGet": health, "periodSeconds": 2, "failureThreshold": starts},
        "readinessProbe": {
            "httpGet": {"path": READY_PATH, "port": "metrics"},
            "periodSeconds": period_s,
            "timeoutSeconds": period_s,
        },
        "livenessProbe": {"httpGet": health, "periodSeconds": 20, "timeoutSeconds": 5, "failureThreshold": 3},
    }


def pod_security(user: int | None, group: int | None) -> dict[str, Any]:
    """Pod security context; None leaves the number to the cluster."""
    context: dict[str, Any] = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    if user is not None:
        context.update(runAsUser=user, runAsGroup=user)
    if group is not None:
        context.update(fsGroup=group, fsGroupChangePolicy="OnRootMismatch")
    return context


def spread(component: str, instance: str) -> list[dict[str, Any]]:
    """Topology spread constraints that keep replicas on different nodes where there are such."""
    return [
        {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": selector(component, instance)},
        }
    ]


def disruption_budget(component: str, instance: str, metadata: dict[str, Any]) -> dict[str, Any]:
    """A PodDisruptionBudget by which nodes are drained one replica at a time."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata,
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": selector(component, instance)}},
    }


def pod_base(settings: OperatorSettings) -> dict[str, Any]:
    """Fields of a pod spec that all pods have."""
    base: dict[str, Any] = {"enableServiceLinks": False}
    if settings.image_pull_secrets:
        base["imagePullSecrets"] = [{"name": name} for name in settings.image_pull_secrets]
    return base


def secret_volume(purpose: str, secret: str, *keys: str) -> dict[str, Any]:
    """A volume with these keys of a Secret and no others; 0440, since the group is ours."""
    items = [{"key": key, "path": key} for key in keys]
    return {"name": purpose, "secret": {"secretName": secret, "defaultMode": 0o440, "items": items}}


def credential_volume(purpose: str, secret: str, files: Mapping[str, str]) -> dict[str, Any]:
    """A volume with a Secret's credential (``files``: key by name of file) and its key ``hosts``, if it has that."""
    items = [{"key": key, "path": file} for file, key in files.items()]
    hosts = {"name": secret, "items": [{"key": "hosts", "path": "hosts"}], "optional": True}
    sources = [{"secret": {"name": secret, "items": items}}, {"secret": hosts}]
    return {"name": purpose, "projected": {"defaultMode": 0o440, "sources": sources}}


def projected_token(name: str, audience: str) -> dict[str, Any]:
    """A volume with a token of the pod's service account for one audience."""
    source = {"serviceAccountToken": {"audience": audience, "expirationSeconds": 3600, "path": "token"}}
    return {"name": name, "projected": {"defaultMode": 0o440, "sources": [source]}}
