"""Makes events of pushes and heartbeats of brokers as the inventory records them."""

from __future__ import annotations

from kwitness.collector.core import Applied
from kwitness.collector.events import Event
from kwitness.contracts.envelopes import GaugeSnapshot

from tests.collector.collector_samples import LATENCY_AVG

NOTHING = Applied(0, (LATENCY_AVG,), {}, None)


def applied(*metrics: str) -> Applied:
    return Applied(len(metrics), metrics, {}, None)


def event(
    client: str = "a", interval_ms: int | None = 60_000, *, terminating: bool = False, received_at_ms: int = 0
) -> Event:
    identity = {"cluster_id": "c", "client_instance_id": client}
    return Event("c/1", 1, 1, received_at_ms, identity, b"", interval_ms, terminating)


def snapshot(seq: int, connections: int, broker: str = "1", epoch: int = 1) -> GaugeSnapshot:
    return GaugeSnapshot.model_validate(
        {
            "source": f"c/{broker}",
            "epoch": epoch,
            "seq": seq,
            "cluster_id": "c",
            "broker_id": broker,
            "sent_at_ms": 0,
            "connections": [
                {
                    "listener": "L",
                    "client_software_name": "sarama",
                    "client_software_version": "1",
                    "connections": connections,
                }
            ],
        }
    )
