"""Where the injector is, where it is told, and what it was told last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from kwitness.contracts.injections import INJECTION_HASHES_KEY, INJECTIONS_CONFIG_MAP
from kwitness.contracts.interceptor_injections import INTERCEPTORS_CONFIG_MAP
from kwitness.operator.environment.clusters import present
from kwitness.operator.model.pod_marks import PodMarks
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import NamedObject
from kwitness.operator.shapes.work import View

__all__ = ["INJECTOR", "config_map_key", "interceptors_config_map_key", "restart_line", "told"]

INJECTOR: Final = "kwitness-injector"
"""Name of its Deployment, in the release's namespace; the chart makes it."""

_RESTARTED: Final[Mapping[str, str]] = {
    "DaemonSet": "daemonset",
    "Deployment": "deployment",
    "StatefulSet": "statefulset",
}
"""Kinds that kubectl restarts, by its word for them."""


def config_map_key(settings: OperatorSettings) -> Key:
    """The ConfigMap with all injections of observers."""
    return Key(settings.namespace, INJECTIONS_CONFIG_MAP)


def interceptors_config_map_key(settings: OperatorSettings) -> Key:
    """The ConfigMap with all injections of interceptors."""
    return Key(settings.namespace, INTERCEPTORS_CONFIG_MAP)


def told(view: View, at: Key) -> Mapping[str, str | None] | None:
    """Hashes by owner, as the injector was told them last by the ConfigMap ``at``; None while it was told nothing."""
    found = present(view, NamedObject("ConfigMap", at))
    text = ((found or {}).get("data") or {}).get(INJECTION_HASHES_KEY)
    try:
        hashes = json.loads(text) if text else None
    except ValueError:
        # Somebody changed it; it is about to be put right.
        return None
    return hashes if isinstance(hashes, dict) else None


def restart_line(pod: PodMarks) -> str | None:
    """The command after which what made a pod makes it again; None where kubectl has none."""
    workload = pod.workload
    if workload is None or workload.kind not in _RESTARTED:
        return None
    return f"kubectl rollout restart {_RESTARTED[workload.kind]}/{workload.name} --namespace {pod.namespace}"
