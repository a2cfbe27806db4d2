"""Requests as observers send them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any

from kwitness.contracts.own_metrics import own_metric

from tests.collector.collector_process import GATEWAY_SOURCE, SIDECAR_SOURCE
from tests.collector.collector_samples import CLUSTER

EPOCH = 1_760_000_000_000
CLIENT = {
    "principal": "User:alice",
    "client_id": "orders",
    "client_software_name": "apache-kafka-java",
    "client_software_version": "4.3.1",
}
COUNTS = len(own_metric("kafka_client_response_time_seconds").bounds) + 1
_sent = itertools.count(EPOCH)


def row(seq: int, topic: str = "traffic", **value: Any) -> tuple[dict[str, Any], bytes]:
    """One row: its entry in the head, and its line."""
    line = json.dumps({"event_seq": seq, **value}).encode()
    return {"seq": seq, "topic": topic, "key": f"key-{seq}", "bytes": len(line)}, line


def totals(seq: int, records: int = 10, **client: Any) -> dict[str, Any]:
    """What is new in one window: `records` produced by three requests that took about a millisecond."""
    who = {**CLIENT, **client}
    errors = {"6": 1}
    return {
        "seq": seq,
        "traffic": [
            {
                "api": "Produce",
                "topic": "orders",
                **who,
                "requests": 3,
                "records": records,
                "record_bytes": 100 * records,
                "errors": errors,
            }
        ],
        "apis": [
            {
                "api": "Produce",
                **who,
                "requests": 3,
                "request_bytes": 5_000,
                "response_bytes": 300,
                "errors": {"29": 1},
                "throttled_responses": 2,
                "throttle_ms": 1_250,
            }
        ],
        "times": [
            {
                "api": "Produce",
                "topic": "orders",
                "principal": who["principal"],
                "counts": [1, 2, *[0] * (COUNTS - 2)],
                "sum_us": 3_000,
            }
        ],
    }


def connections(count: int, name: str = "apache-kafka-java", version: str = "4.3.1") -> list[dict[str, Any]]:
    """Open connections of one software."""
    software = {"client_software_name": name, "client_software_version": version}
    return [{"listener": "GATEWAY", **software, "connections": count}]


def connection(number: int, **more: Any) -> dict[str, Any]:
    """An open connection, as an observer lists it."""
    return {
        "connection_id": f"{EPOCH}-{number}",
        "opened_at_ms": EPOCH + number,
        "state": "observed",
        "security_protocol": "SASL_PLAINTEXT",
        "listener": "GATEWAY",
        "broker_id": "1",
        "client_address": "10.0.0.7",
        "client_source_port": 40_000 + number,
        **CLIENT,
        **more,
    }


def listed(*connections: dict[str, Any], **left_out: int) -> dict[str, Any]:
    """A list of open connections."""
    return {"connections": list(connections), "left_out": left_out}


def head(**more: Any) -> dict[str, Any]:
    """A heartbeat of the gateway that the test's tokens know."""
    source = str(more.get("source", GATEWAY_SOURCE))
    return {
        "schema": "kwitness.events/1",
        "source": source,
        "epoch": EPOCH,
        "cluster_id": CLUSTER,
        "observer": {"namespace": source.partition("/")[0], "name": "front", "mode": "gateway"},
        "reported_by": "gateway",
        "version": "0.1.0",
        "sent_at_ms": next(_sent),
        **more,
    }


def of_sidecar(workload: str = "app") -> dict[str, Any]:
    """What differs in the head of the sidecar that the test's tokens know."""
    namespace = SIDECAR_SOURCE.partition("/")[0]
    return {
        "source": SIDECAR_SOURCE,
        "observer": {"namespace": namespace, "name": "beside", "mode": "sidecar"},
        "reported_by": "pod",
        "workload": {"kind": "Deployment", "name": workload},
    }


def request(rows: Iterable[tuple[Mapping[str, Any], bytes]] = (), /, **more: Any) -> bytes:
    """A whole request."""
    listed = list(rows)
    first = json.dumps(head(rows=[entry for entry, _ in listed], **more)).encode()
    return b"".join(line + b"\n" for line in (first, *(line for _, line in listed)))
