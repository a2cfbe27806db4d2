"""Requests as interceptors send them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any

from kwitness.contracts.own_metrics import own_metric

from tests.collector.collector_process import INTERCEPTED_POD
from tests.collector.collector_samples import CLUSTER

EPOCH = 1_760_000_000_000
REPORTER = "9f86d081884c7d65"
LATENCY_COUNTS = len(own_metric("kafka_client_interceptor_end_to_end_latency_seconds").bounds) + 1
SIZE_COUNTS = len(own_metric("kafka_client_interceptor_record_size_bytes").bounds) + 1
_sent = itertools.count(EPOCH)


def header(headers: int = 10, *, key: str | None = "trace-id", **more: Any) -> dict[str, Any]:
    """What is new of one key: so many headers of 16 bytes, one of them of another type and removed."""
    return {
        "side": "producer",
        "topic": "orders",
        "key": key,
        "client_id": "orders",
        "registered": True,
        "headers": headers,
        "bytes": 16 * headers,
        "problems": {"wrong_type": 1},
        "removed": 1,
        **more,
    }


def statistics(client_id: str, **more: Any) -> dict[str, Any]:
    """Statistics of one window: full queues, and two of all that is counted."""
    counts = ("sent_bytes", "received_bytes", "retries", "timeouts", "disconnects", "round_trips", "requests")
    return {
        "client_id": client_id,
        "window_ms": 60_000,
        "queued_records": 4,
        "queued_bytes": 400,
        "queue_limit_records": 100_000,
        "queue_limit_bytes": 1 << 30,
        "fetched_bytes": 900,
        "round_trip_us": 3_000_000,
        "request_queue_us": 500_000,
        **dict.fromkeys(counts, 2),
        **more,
    }


def intercepted(seq: int, sent: int = 10, *, client_id: str = "orders", distinct: int = 7) -> dict[str, Any]:
    """What is new in one window: `sent` records, one of them too large, all handed to a group."""
    topic = {"topic": "orders", "client_id": client_id}
    return {
        "seq": seq,
        "topics": [
            {**topic, "sent": sent, "acknowledged": sent - 1, "failures": {"MESSAGE_TOO_LARGE": 1}},
            {
                **topic,
                "group_id": "billing",
                "consumed": sent - 1,
                "commits": 1,
                "commit_failures": {"REBALANCE_IN_PROGRESS": 1},
                "anomalies": {"negative_latency": 1},
            },
        ],
        "latencies": [
            {
                "measure": "acknowledgement",
                "topic": "orders",
                "counts": [sent - 1, *[0] * (LATENCY_COUNTS - 1)],
                "sum_us": 1_000 * (sent - 1),
            },
            {
                "measure": "end_to_end",
                "topic": "orders",
                "group_id": "billing",
                "counts": [0, sent - 2, *[0] * (LATENCY_COUNTS - 2)],
                "sum_us": 6_000 * (sent - 2),
            },
        ],
        "sizes": [
            {
                "side": "producer",
                "topic": "orders",
                "counts": [0, sent, *[0] * (SIZE_COUNTS - 2)],
                "sum_bytes": 100 * sent,
            }
        ],
        "keys": [{"side": "producer", "topic": "orders", "distinct": distinct, "window_ms": 60_000}],
        "statistics": [
            statistics(client_id),
            statistics("reader", group_id="billing", fetched_records=9, rebalances=1),
        ],
        "topic_statistics": [
            {"topic": "orders", "client_id": client_id, "queued_records": 4, "queued_bytes": 400},
            {"topic": "orders", "client_id": "reader", "group_id": "billing", "lag": 30},
        ],
        "hooks": [{"interceptor": "audit", "hook": "on_send", "calls": sent, "errors": 1, "time_ns": 1_000_000_000}],
        "headers": [header(sent, client_id=client_id)],
        "dropped": {"queue_full": 2},
    }


def interceptors_head(pod: str = INTERCEPTED_POD, **more: Any) -> dict[str, Any]:
    """A heartbeat of a reporter in the pod that the test's token knows."""
    reporter = more.get("reporter", REPORTER)
    return {
        "schema": "kwitness.interceptor_events/1",
        "source": f"{pod}/{reporter}",
        "epoch": EPOCH,
        "cluster_id": CLUSTER,
        "profile": {"namespace": "shop", "name": "front"},
        "runtime": "java",
        "reporter": reporter,
        "process_id": 1,
        "workload": {"kind": "Deployment", "name": "orders"},
        "sent_at_ms": next(_sent),
        "state": {"clients": [{"side": "producer", "clients": 2}], "not_intercepted": {"share_group": 1}},
        **more,
    }


def interceptors_request(rows: Iterable[tuple[Mapping[str, Any], bytes]] = (), /, **more: Any) -> bytes:
    """A whole request."""
    listed = list(rows)
    first = json.dumps(interceptors_head(rows=[entry for entry, _ in listed], **more)).encode()
    return b"".join(line + b"\n" for line in (first, *(line for _, line in listed)))
