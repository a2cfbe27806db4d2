"""The peer: the operator one writes first with kopf, the official client and a handler for each event.

It does the same work as ours for one kind: each ClientMetricsSubscription becomes a CLIENT_METRICS config of the
broker, and its status says so. Configured by BOOTSTRAP_SERVERS and KUBECONFIG.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import kopf
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

LOCK = threading.Lock()
"""kafka-python's admin client is for one thread at a time, and kopf runs handlers in several."""
ADMIN = KafkaAdminClient(bootstrap_servers=os.environ["BOOTSTRAP_SERVERS"], client_id="plain-operator")


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Leave everything as it is but the events, which would only make it slower."""
    settings.posting.enabled = False


@kopf.on.resume("kwitness.dev", "v1beta1", "clientmetricssubscriptions")
@kopf.on.create("kwitness.dev", "v1beta1", "clientmetricssubscriptions")
@kopf.on.update("kwitness.dev", "v1beta1", "clientmetricssubscriptions")
def apply(spec: kopf.Spec, name: str | None, namespace: str | None, patch: kopf.Patch, **_: Any) -> None:
    """Write the broker's config and the status."""
    configs = {"metrics": ("SET", ",".join(spec["metrics"])), "interval.ms": ("SET", "60000")}
    resource = ConfigResource(ConfigResourceType.CLIENT_METRICS, f"plain.{namespace}.{name}", configs)
    with LOCK:
        answer = ADMIN.alter_configs([resource], raise_on_unknown=False, incremental=True)
    if set(answer["client_metrics"].values()) != {"OK"}:
        raise kopf.TemporaryError(str(answer))
    patch.status["conditions"] = [
        {
            "type": "Ready",
            "status": "True",
            "reason": "Applied",
            "message": "applied",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
    ]
