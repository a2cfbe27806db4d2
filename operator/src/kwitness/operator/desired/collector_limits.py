"""What an installation lets a TelemetryCollector have."""

from __future__ import annotations

from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.settings import OperatorSettings

__all__ = ["check_namespace", "too_many_replicas", "within_limits"]


def check_namespace(namespace: str, settings: OperatorSettings) -> None:
    """Check that pods of a collector can be made.

    Raises
    ------
    TerminalError
        NamespaceNotEnabled.
    """
    enabled = settings.collector.namespaces
    if enabled is not None and namespace not in enabled:
        raise TerminalError(
            "NamespaceNotEnabled",
            f"collectors do not run in namespace {namespace}, which has no service account"
            f" {settings.collector.service_account} for them: add it to the Helm value collector.namespaces, or apply"
            f" the resource in one of {', '.join(enabled) or 'none'}",
        )


def within_limits(collector: TelemetryCollector, settings: OperatorSettings) -> TelemetryCollector:
    """Return it with as many replicas as are allowed, which all who count them have to agree upon."""
    most = settings.limits.max_collector_replicas
    if collector.spec.replicas <= most:
        return collector
    return collector.model_copy(update={"spec": collector.spec.model_copy(update={"replicas": most})})


def too_many_replicas(collector: TelemetryCollector, settings: OperatorSettings) -> Verdict | None:
    """Say that it asks for more."""
    most = settings.limits.max_collector_replicas
    if collector.spec.replicas <= most:
        return None
    message = (
        f"spec.replicas is {collector.spec.replicas}, above this installation's {most}, and {most} run: ask for less,"
        " or have the Helm value limits.maxCollectorReplicas raised"
    )
    return Verdict("Ready", "False", "LimitExceeded", message)
