"""KafkaCluster as the engine sees it."""

from __future__ import annotations

from typing import Final

from kwitness.operator.kinds.kafka_cluster.decide import decide
from kwitness.operator.kinds.kafka_cluster.needs import KIND, needs
from kwitness.operator.shapes.work import KindSpec, Unit

__all__ = ["KAFKA_CLUSTER"]

KAFKA_CLUSTER: Final = KindSpec(kind=KIND, unit=lambda key: Unit(KIND, key), needs=needs, decide=decide)
