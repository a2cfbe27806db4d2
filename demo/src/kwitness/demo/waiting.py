"""What is still missing, in words: pods, workloads, custom resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.demo.cluster import DemoCluster


def workload(cluster: DemoCluster, *, kind: str, name: str, namespace: str) -> str | None:
    """None when every replica of a Deployment or StatefulSet is the present one and ready, else what it lacks."""
    found = cluster.find(kind, name, namespace)
    if not found:
        return f"{kind} {name} to be made"
    wanted = found["spec"].get("replicas", 1)
    status = found.get("status", {})
    current = status.get("observedGeneration", 0) >= found["metadata"]["generation"]
    # Those of before a change are ready, too, as long as they are there.
    counts = [status.get(field, 0) for field in ("replicas", "readyReplicas", "updatedReplicas")]
    if current and counts == [wanted] * 3:
        return None
    selector = ",".join(f"{key}={value}" for key, value in found["spec"]["selector"]["matchLabels"].items())
    troubles = [trouble for pod in cluster.pods(namespace, selector) if (trouble := _pod_trouble(pod))]
    return f"{kind} {name}: {status.get('readyReplicas', 0)} of {wanted} ready" + "".join(
        f"; {one}" for one in troubles
    )


def resource(cluster: DemoCluster, *, kind: str, name: str, namespace: str) -> str | None:
    """None when a custom resource is Ready for its present generation, else its reason and message."""
    found = cluster.find(kind, name, namespace)
    if not found:
        return f"{kind} {name} to be applied"
    ready = condition(found, "Ready")
    if ready is None:
        return f"{kind} {name}: the operator has not looked at it yet"
    if ready["status"] == "True" and ready.get("observedGeneration", 0) >= found["metadata"]["generation"]:
        return None
    return f"{kind} {name}: {ready.get('reason')}: {ready.get('message')}"


def condition(found: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    """The condition of that type, if the status has one."""
    conditions = found.get("status", {}).get("conditions", [])
    return next((dict(one) for one in conditions if one["type"] == kind), None)


def _pod_trouble(pod: Mapping[str, Any]) -> str | None:
    """Why a pod is not ready, from its container states or its scheduling."""
    name = pod["metadata"]["name"]
    status = pod.get("status", {})
    for container in [*status.get("initContainerStatuses", []), *status.get("containerStatuses", [])]:
        state = container.get("state", {})
        for phase in ("waiting", "terminated"):
            if phase in state and state[phase].get("reason") not in (None, "PodInitializing", "Completed"):
                return f"{name}/{container['name']} {state[phase]['reason']} {state[phase].get('message', '')}".strip()
    for one in status.get("conditions", []):
        if one["type"] == "PodScheduled" and one["status"] != "True":
            return f"{name} {one.get('message', 'not scheduled')}"
    return None
