"""An invented fleet in a real collector: clients that push, that observers see, and that only brokers count."""

from __future__ import annotations

import itertools
import time
from typing import Any

from tests.collector.collector_process import SIDECAR, CollectorProcess
from tests.collector.collector_samples import batch, gauges, java_push, push
from tests.collector.event_samples import connection, listed, of_sidecar, request
from tests.collector.window_samples import behind

OWNERS = [
    {"match": {"principal": "User:checkout"}, "team": "orders", "contact": "#orders"},
    {"match": {"clientId": "ledger*"}, "team": "payments", "contact": "payments@example.org"},
    {"match": {"topic": "orders*"}, "team": "orders", "contact": "#orders"},
]
_JAVA = {"client_software_name": "apache-kafka-java", "client_software_version": "4.3.1"}
_OLD_JAVA = {"client_software_name": "apache-kafka-java", "client_software_version": "3.8.0"}
_PYTHON = {"client_software_name": "kafka-python", "client_software_version": "2.0.2"}
CHECKOUT = {"client_id": "checkout", "principal": "User:checkout", **_JAVA}
OLD_CHECKOUT = {"client_id": "checkout-canary", "principal": "User:checkout", **_OLD_JAVA}
LEDGER = {"client_id": "ledger", "principal": "User:ledger", **_JAVA}
REPORTS = {"client_id": "reports", "principal": "User:ANONYMOUS", **_PYTHON}
IN_POD = {"client_id": "app", "principal": "User:app", **_JAVA}
HOSTILE = "<script>alert(1)</script>\u202egnp\x07'\"&"
LONG = "long-" + "x" * 8_000
STRANGER = {"client_id": HOSTILE, "principal": "User:stranger", **_PYTHON}
LENGTHY = {"client_id": LONG, "principal": "User:lengthy", **_PYTHON}
PUSHING = (CHECKOUT, CHECKOUT, OLD_CHECKOUT, LEDGER)
"""Clients by the numbers of their instances, 1 and following."""
UNNAMED = {("kafkajs", "2.2.4"): 1_402, ("Sarama", "1.43.0"): 17}
_LENGTH_MS = 600_000
"""Windows are in answers for three lengths, and clients for three intervals."""
_numbers = itertools.count(1)
_windows = itertools.count(1)


def pushed(number: int, client: dict[str, str], at_ms: int) -> dict[str, Any]:
    """Return a push of an instance."""
    identity = {**client, "received_at_ms": at_ms, "client_address": f"10.0.0.{number}", "push_interval_ms": _LENGTH_MS}
    return push(next(_numbers), java_push(), client=f"instance-{number}", **identity)


def moved(client: dict[str, str], topic: str, requests_in_10_s: int, **more: Any) -> dict[str, Any]:
    """Return what an observer counts of a client and a topic."""
    requests = requests_in_10_s * _LENGTH_MS // 10_000
    numbers = {"requests": requests, "records": 50 * requests, "record_bytes": 20_000 * requests}
    return {"api": "Produce", "topic": topic, **client, **numbers, **more}


def fill(collector: CollectorProcess) -> None:
    """Send what plugin, gateway and sidecar of the fleet report."""
    now_ms = int(time.time() * 1000)
    pushes = [pushed(number, client, now_ms) for number, client in enumerate(PUSHING, start=1)]
    assert collector.push(batch(pushes)).status == 200
    traffic = [
        moved(CHECKOUT, "orders", 400),
        moved(OLD_CHECKOUT, "orders", 30, errors={"6": 3}),
        moved(LEDGER, "orders", 380, api="Fetch", fetch_lag=120, fetch_lag_ms=3_200),
        moved(LEDGER, "postings", 90),
        moved(REPORTS, "orders", 20, api="Fetch", fetch_lag=90_000),
        moved(REPORTS, "postings", 10, api="Fetch", fetch_lag=40, fetch_lag_ms=65_000),
        moved(STRANGER, "postings", 1),
        moved(LENGTHY, "postings", 1, api="Fetch"),
    ]
    apis = [{"api": "Fetch", **REPORTS, "requests": 40, "throttled_responses": 4, "throttle_ms": 9_000}]
    groups = [behind("ledger-group", 120, committed_lag_ms=3_400), behind("reports-group", 90_000)]
    back = [{"group_id": "ledger-group", "topic": "orders", "commits": 2, "most_records": 4_000}]
    seen = window(now_ms, traffic=traffic, apis=apis, groups=groups, commits_back=back)
    assert collector.observe(request(totals=[seen])).status == 200
    beside = window(now_ms, traffic=[moved(IN_POD, "postings", 44)])
    assert collector.observe(request(totals=[beside], **of_sidecar("app")), token=SIDECAR).status == 200
    stay(collector)


def stay(collector: CollectorProcess) -> None:
    """Send what brokers and observers send every few seconds, and are forgotten without."""
    connections = {tuple(_JAVA.values()): 5, tuple(_OLD_JAVA.values()): 1, **UNNAMED}
    assert collector.post("/v1/gauges", gauges(connections, sent_at_ms=int(time.time() * 1000))).status == 200
    list_connections(collector)


def window(end_ms: int, **lists: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a window of an observer."""
    return {"seq": next(_windows), "start_ms": end_ms - _LENGTH_MS, "end_ms": end_ms, **lists}


def list_connections(collector: CollectorProcess) -> None:
    """Have observers list what they have open, as they do after a question."""
    collector.get("/v1/connections")
    clients = (CHECKOUT, CHECKOUT, {**LEDGER, "group_id": "ledger-group"}, REPORTS, STRANGER)
    opened = [connection(number, **client) for number, client in enumerate(clients, start=1)]
    assert collector.observe(request(open_connections=listed(*opened))).status == 200
    beside = request(open_connections=listed(connection(9, **IN_POD)), **of_sidecar("app"))
    assert collector.observe(beside, token=SIDECAR).status == 200
