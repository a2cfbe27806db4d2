"""Whether a gateway serves clients, from its Deployment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from kwitness.contracts.resources.gateway import Gateway
from kwitness.contracts.resources.kafka_cluster import ClientListener
from kwitness.operator.kinds.observer_deployment.environment import uses_sasl
from kwitness.operator.model.conditions import Verdict, ready

__all__ = ["is_current", "readiness", "ready_replicas", "security_protocol"]


def security_protocol(
    gateway: Gateway, listener: ClientListener
) -> Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]:
    """What clients set to use the gateway: TLS is its own, SASL is the brokers'."""
    if gateway.certificate is None:
        return "SASL_PLAINTEXT" if uses_sasl(listener) else "PLAINTEXT"
    return "SASL_SSL" if uses_sasl(listener) else "SSL"


def ready_replicas(deployment: Mapping[str, Any] | None) -> int:
    """Replicas that relay now."""
    return int(((deployment or {}).get("status") or {}).get("readyReplicas") or 0)


def is_current(deployment: Mapping[str, Any] | None, wanted: int) -> bool:
    """Whether the pods are those of the Deployment as it is now."""
    state = (deployment or {}).get("status") or {}
    generation = ((deployment or {}).get("metadata") or {}).get("generation")
    return state.get("observedGeneration") == generation and int(state.get("updatedReplicas") or 0) >= wanted


def readiness(deployment: Mapping[str, Any] | None, wanted: int, *, suspended: bool) -> Verdict:
    """Whether clients are served."""
    count = ready_replicas(deployment)
    if suspended:
        return ready("Suspended", f"{count} of {wanted} replicas relay and read nothing, as spec.suspend says")
    if count >= wanted and is_current(deployment, wanted):
        return ready("Available", f"{count} of {wanted} replicas are ready")
    message = f"{count} of {wanted} replicas are ready: wait; if it stays so, see the pods' events"
    return Verdict("Ready", "False", "Progressing", message)
