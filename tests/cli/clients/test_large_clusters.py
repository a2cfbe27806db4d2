"""`brokers` and `subscriptions` of a cluster whose status does not have all of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.clients.conftest import PRODUCER, lines
from tests.collector.collector_samples import CLUSTER

pytestmark = pytest.mark.slow

FIRST = [
    {"id": number, "host": f"kafka-{number}", "port": 9092, "telemetry": True, "plugin": "0.1.0", "version": "4.3.1"}
    for number in range(10)
]


@pytest.fixture
def large(with_status) -> None:
    counts = {"total": 12, "telemetry": 11, "plugin": 11}
    with_status("kfc", "orders", clusterId=CLUSTER, brokers={**counts, "nodeIds": list(range(12)), "first": FIRST})


def state(**broker: Any) -> tuple[int, dict[str, Any]]:
    return 200, {"cluster_id": CLUSTER, "brokers": [{"last_heartbeat_ms": 1, **broker}]}


@pytest.mark.usefixtures("large")
def test_versions_of_brokers_behind_the_first_ten_come_from_the_collector(types, door) -> None:
    door.replaced[f"/v1/clusters/{CLUSTER}"] = state(broker_id="10", plugin_version="0.2.0", kafka_version="4.2.0")
    done = types("brokers")

    assert done.returncode == 0, done.stderr
    assert lines(done)[0] == ["ID", "ADDRESS", "RACK", "TELEMETRY", "PLUGIN", "KAFKA"]
    assert lines(done)[1] == ["0", "kafka-0:9092", "-", "yes", "0.1.0", "4.3.1"]
    assert lines(done)[11:] == [["10", "-", "-", "yes", "0.2.0", "4.2.0"], ["11", "-", "-", "-", "-", "-"]]
    rows = json.loads(types("brokers", "orders", "-o", "json").stdout)["items"]
    assert rows[0] == FIRST[0]
    assert rows[11] == {"id": 11}


@pytest.mark.usefixtures("large")
def test_without_an_answer_of_the_collector_all_brokers_are_listed_with_a_warning(types, door) -> None:
    door.replaced[f"/v1/clusters/{CLUSTER}"] = (503, {"error": {"reason": "Busy", "message": "ask again"}})
    done = types("brokers")

    assert done.returncode == 0
    assert [line[0] for line in lines(done)[1:]] == [str(number) for number in range(12)]
    assert "which versions all but the first ten brokers have is not known: collector main: ask again" in done.stderr


def test_subscriptions_behind_the_first_ten_come_from_the_collector(types, with_status) -> None:
    first = [{"name": f"a{number}", "owner": "Foreign", "interval": "5m"} for number in range(10)]
    with_status("kfc", "orders", subscriptions={"foreign": 12, "prefix": "kwitness.it.", "first": first})
    done = types("subscriptions", "list")

    assert (done.returncode, done.stderr) == (0, "")
    assert [line[:6] for line in lines(done)[1:]] == [
        ["lively", "orders", "Foreign", "500ms", PRODUCER, "clientId=lively"],
        ["slow-orders", "orders", "Foreign", "5m", PRODUCER, "clientId=orders-7"],
    ]
