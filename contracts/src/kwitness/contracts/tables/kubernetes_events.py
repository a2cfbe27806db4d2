"""Generated from contracts/registry/kubernetes_events.yaml by `make generate`; do not edit."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from kwitness.contracts.registry_entries import KubernetesEvent

ENTRIES: tuple[KubernetesEvent, ...] = (
    KubernetesEvent(reason="DriftRepaired", type="Warning", kinds=("ClientMetricsSubscription", "TelemetryCollector", "AnalyticsJob"), meaning="A foreign change of a broker configuration or child object was undone."),
    KubernetesEvent(reason="ClientsAtRisk", type="Warning", kinds=("ClientMetricsSubscription",), meaning="A subscription was held back or withdrawn because connected clients would crash."),
    KubernetesEvent(reason="Expired", type="Normal", kinds=("ClientMetricsSubscription",), meaning="The time of spec.expireAfter is over and the subscription was taken off the brokers."),
    KubernetesEvent(reason="Swept", type="Normal", kinds=("KafkaCluster",), meaning="Broker configurations of deleted subscriptions were removed."),
    KubernetesEvent(reason="NewFindings", type="Warning", kinds=("AnalyticsJob",), meaning="The analysis found something of a kind that it had not found before."),
    KubernetesEvent(reason="NotCleanedUp", type="Warning", kinds=("KafkaCluster",), meaning="Subscriptions of a deleted KafkaCluster could not be removed from its brokers within 24 hours; the note has the command that does."),
)
