"""What the API server calls many of each kind; for whoever asks for resources and reads no model of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["PLURALS"]

PLURALS: Final[Mapping[str, str]] = {
    "KafkaCluster": "kafkaclusters",
    "ClientMetricsSubscription": "clientmetricssubscriptions",
    "ObserverDeployment": "observerdeployments",
    "TelemetryCollector": "telemetrycollectors",
    "InterceptorProfile": "interceptorprofiles",
    "AnalyticsJob": "analyticsjobs",
    "HeaderRegistry": "headerregistries",
}
"""By kind, in the order of the reference."""
