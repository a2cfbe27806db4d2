"""A collector's pods are replaced for what they read once, and for nothing that they read again."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.collector_config import CollectorConfig, IngestConfig, PrometheusConfig
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.operator.kinds.telemetry_collector.config import pods_hash

CONFIG = CollectorConfig(
    cluster_id="cluster", namespace="kafka", name="main", kafka=KafkaConnection(bootstrap_servers=("kafka:9092",))
)


@pytest.mark.parametrize(
    ("changes", "replaced"),
    [
        ({"denied_addresses": ()}, True),
        ({"cluster_id": "another"}, True),
        ({"ingest": IngestConfig(ca_file="/ca.crt")}, True),
        ({"replicas": 2}, False),
        ({"prometheus": PrometheusConfig(max_series=5)}, False),
    ],
)
def test_pods_are_replaced_for_what_they_read_once(changes: dict[str, Any], *, replaced: bool) -> None:
    assert (pods_hash(CONFIG.model_copy(update=changes)) != pods_hash(CONFIG)) == replaced
