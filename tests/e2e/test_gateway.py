"""A gateway in front of a listener: clients are relayed, what they do is counted, and it stops being read at once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kwitness.demo import up
from kwitness.demo.platform import GATEWAY, NAMESPACE, Platform
from kwitness.demo.toolbox import Toolbox

from tests.e2e import gateway_client, subscriptions, topic_records
from tests.e2e.eventually import eventually
from tests.e2e.gateway_client import KIND, TOPIC
from tests.eventually import remains

pytestmark = pytest.mark.needs(up.gateway, up.clients)


def through_the_gateway(platform: Platform, toolbox: Toolbox, client_id: str, records: int) -> dict[str, Any]:
    return gateway_client.through(GATEWAY, platform, toolbox, client_id=client_id, records=records)


def counted(platform: Platform, client_id: str, api: str) -> float:
    return platform.latest(f'kafka_client_records_total{{client_id="{client_id}",api="{api}",topic="{TOPIC}"}}')


def test_what_a_client_sends_and_reads_through_the_gateway_is_counted_exactly(
    platform: Platform, toolbox: Toolbox
) -> None:
    done = through_the_gateway(platform, toolbox, "e2e-gateway", 1000)

    host = f"kwitness-gateway-{GATEWAY}.{NAMESPACE}.svc"
    assert [broker.partition(":")[0] for broker in done["brokers"]] == [host]
    eventually(lambda: counted(platform, "e2e-gateway", "Produce"), lambda now: now == 1000)
    eventually(lambda: counted(platform, "e2e-gateway", "Fetch"), lambda now: now >= 1000)
    rows = [json.loads(one.value) for one in topic_records.of_clients(toolbox, "kwitness.traffic", "e2e-gateway")]
    produced = [row for row in rows if row["kind"] == "partition" and row["api"] == "Produce"]
    assert sum(row["records"] for row in produced) == 1000
    assert {row["reported_by"] for row in rows} == {row["observer_mode"] for row in rows} == {"gateway"}
    assert {
        str(partition): sorted(
            offset
            for row in produced
            if row["partition"] == int(partition)
            for one in row["offset_ranges"]
            for offset in range(one["first"], one["last"] + 1)
        )
        for partition in done["offsets"]
    } == {partition: sorted(offsets) for partition, offsets in done["offsets"].items()}


def test_the_gateways_status_tells_address_connections_and_coverage(platform: Platform) -> None:
    def status() -> dict[str, Any]:
        return dict(subscriptions.found(platform, GATEWAY, KIND)["status"])

    told = eventually(status, lambda now: bool(now.get("connections")) and "coverage" in now)

    assert told["bootstrapServers"] == f"kwitness-gateway-{GATEWAY}.{NAMESPACE}.svc:9092"
    assert told["coverage"]["connectionsObserved"] >= told["connections"] > 0
    unseen = {one["clientSoftwareName"] for one in told["coverage"]["unseen"]}
    assert "kafka-python" in unseen  # this program of the demo goes to the brokers directly
    assert "confluent-kafka-python" in {
        sample["metric"]["client_software_name"]
        for sample in platform.query('kafka_client_connections{source="observer"}')
    }


def test_a_suspended_gateway_relays_and_reads_nothing(platform: Platform, toolbox: Toolbox) -> None:
    def unread() -> float:
        return platform.total(f'kwitness_observer_connections{{name="{GATEWAY}",state="relay_only"}}')

    def suspend(value: bool) -> None:
        subscriptions.change(platform, KIND, GATEWAY, suspend=value)

    def read_again() -> float:
        through_the_gateway(platform, toolbox, "e2e-read-again", 10)
        return counted(platform, "e2e-read-again", "Produce")

    suspend(True)
    try:
        # The collector tells the gateway, before Kubernetes brings the pod its file.
        eventually(unread, lambda now: now > 0)
        done = through_the_gateway(platform, toolbox, "e2e-unread", 100)
        assert sum(len(offsets) for offsets in done["offsets"].values()) == 100
        remains(lambda: counted(platform, "e2e-unread", "Produce"), lambda now: now == 0, seconds=25, every=5)
    finally:
        suspend(False)
    eventually(read_again, lambda now: now > 0, every=5)
