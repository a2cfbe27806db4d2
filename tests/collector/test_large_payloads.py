"""A push of some megabytes is rewritten beside the event loop, where requests, scrapes and probes have their turn."""

from __future__ import annotations

import asyncio
import dataclasses
import time

from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.events import Event
from kwitness.collector.privacy.privacy import Privacy
from kwitness.contracts.collector_config import CollectorConfig

from tests.collector.collector_samples import CLUSTER, add_number

BAR_S = 0.05
PAUSE_S = 0.002
RAW = {"client_instance_id": "uuid-1"}


def privacy() -> Privacy:
    config = {
        "cluster_id": CLUSTER,
        "namespace": "kwitness",
        "name": "main",
        "replicas": 1,
        "kafka": {"bootstrap_servers": ["127.0.0.1:1"]},
        "topics": None,
        "ingest": {"tokens_file": None},
        "state_dir": "unused",
        "filter": {"drop_attributes": ["topic"]},
    }
    return Privacy(CollectorConfig.model_validate(config))


def large(metrics: int = 42_000) -> bytes:
    """Each metric is small, and has an attribute that is to go: the slowest that there is, byte by byte."""
    data = MetricsData()
    for number in range(metrics):
        name = f"org.apache.kafka.consumer.fetch.manager.records.lag.{number}"
        add_number(data, name, number, attributes={"topic": f"orders-{number}"})
    return bytes(data.SerializeToString())


async def lags(until: asyncio.Task[Event]) -> list[float]:
    """By how much each turn of the loop came late, in seconds."""
    found = []
    while not until.done():
        began = time.monotonic()
        await asyncio.sleep(PAUSE_S)
        found.append(time.monotonic() - began - PAUSE_S)
    return sorted(found)


async def test_others_have_their_turn_while_four_megabytes_are_rewritten() -> None:
    payload, settings = large(), privacy()
    assert len(payload) > 4_000_000

    began = time.monotonic()
    task = asyncio.create_task(settings.treat(Event("s", 1, 1, 1, RAW, payload)))
    late = await lags(task)

    took = time.monotonic() - began
    event = await task
    assert (event.malformed, settings.attributes) == (None, 42_000)
    assert b"topic" not in event.payload
    # Processors that are busy with something else make a turn late, too, but neither most of them nor by so much.
    assert late[len(late) * 9 // 10] < BAR_S, late[-20:]
    assert late[-1] < took / 4, (late[-1], took)
    assert len(late) > 1 + took / 4 / (PAUSE_S + BAR_S), (len(late), took)


async def test_it_makes_no_difference_where_a_payload_is_rewritten() -> None:
    settings, small = privacy(), large(100)
    aside = await settings.treat(Event("s", 1, 1, 1, RAW, large(1_000)))

    for payload in (small, b"\xff" * 20, b"\xff" * 100_000):
        here = await settings.treat(Event("s", 1, 1, 1, RAW, payload))
        assert here.malformed is None or here.payload == b""
    assert (len(MetricsData.FromString(aside.payload).resource_metrics[0].scope_metrics[0].metrics)) == 1_000
    assert settings.attributes == 1_100
    broken = [await settings.treat(Event("s", 1, 1, 1, RAW, b"\xff" * size)) for size in (20, 100_000)]
    assert [dataclasses.replace(one, malformed=None) for one in broken] == [
        dataclasses.replace(one, malformed=None) for one in reversed(broken)
    ]
    assert all(one.malformed is not None for one in broken)
