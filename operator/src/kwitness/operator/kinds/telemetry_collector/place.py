"""Say whether a TelemetryCollector acts for a whole Kafka cluster, or for its own namespace."""

from __future__ import annotations

from collections.abc import Iterator

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.environment.collectors import acts_for_all
from kwitness.operator.kinds.telemetry_collector.needs import NAMED
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.work import View

__all__ = ["acting_condition"]

_TYPE = "ActsForCluster"


def acting_condition(collector: TelemetryCollector, cluster: KafkaCluster, view: View) -> Verdict:
    """Say for whom it acts, and which other KafkaCluster names it without being named."""
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    own = Key(collector.metadata.namespace, collector.metadata.name)
    others = sorted(key for key in _naming(own, view) if key != at)
    if others:
        message = (
            f"KafkaCluster {others[0]} names this one in spec.collectorRef, and spec.clusterRef here names {at}:"
            " correct one of the two"
        )
        return Verdict(_TYPE, "False", "CollectorDiffers", message)
    if acts_for_all(collector, cluster, view):
        return Verdict(_TYPE, "True", "ActsForCluster", f"it acts for all of KafkaCluster {at}")
    message = (
        f"it takes what the resources of namespace {own.namespace} report, and nothing of others; the owner of"
        f" KafkaCluster {at} can have it act for the whole cluster by spec.collectorRef"
    )
    return Verdict(_TYPE, "False", "ActsForNamespace", message)


def _naming(own: Key, view: View) -> Iterator[Key]:
    """KafkaClusters of its namespace whose spec.collectorRef names it; of others nothing is shown here."""
    for body in view[NAMED].value or ():
        try:
            cluster = parse_resource(KafkaCluster, body)
        except OperatorError:
            continue
        reference, home = cluster.spec.collector_ref, cluster.metadata.namespace
        if home == own.namespace and reference is not None and (reference.namespace or home, reference.name) == own:
            yield Key(home, cluster.metadata.name)
