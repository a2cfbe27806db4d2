"""The client inventory once more, as plainly as possible: no Spark, one pass over all records, nothing incremental."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.jobs.frame.kafka_record import KafkaRecord

# Written out here and not taken from the registry: a mistake there must not hide here.
REQUIRED = {
    "producer": [
        "org.apache.kafka.producer." + name
        for name in (
            "connection.creation.rate",
            "connection.creation.total",
            "node.request.latency.avg",
            "node.request.latency.max",
            "produce.throttle.time.avg",
            "produce.throttle.time.max",
            "record.queue.time.avg",
            "record.queue.time.max",
        )
    ],
    "consumer": [
        "org.apache.kafka.consumer." + name
        for name in (
            "connection.creation.rate",
            "connection.creation.total",
            "node.request.latency.avg",
            "node.request.latency.max",
            "poll.idle.ratio.avg",
            "coordinator.commit.latency.avg",
            "coordinator.commit.latency.max",
            "coordinator.assigned.partitions",
            "coordinator.rebalance.latency.avg",
            "coordinator.rebalance.latency.max",
            "coordinator.rebalance.latency.total",
            "fetch.manager.fetch.latency.avg",
            "fetch.manager.fetch.latency.max",
        )
    ],
}


def inventory(records: Iterable[tuple[str, KafkaRecord]]) -> tuple[dict[tuple[Any, ...], dict[str, Any]], set[Any]]:
    """What the table must hold, and which records must be in quarantine.

    Parameters
    ----------
    records
        Each with the kind of its topic: `telemetry` or `connections`.

    Returns
    -------
    dict
        Rows by what they are about, without `row_id`.
    set
        (topic, partition, offset) of what cannot be used.
    """
    pushes: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    counts: dict[tuple[Any, ...], list[tuple[int, int]]] = {}
    bad = set()
    for kind, record in records:
        try:
            if kind == "telemetry":
                push = _push(record)
                pushes.setdefault(("instance", push["cluster_id"], push["client_instance_id"]), []).append(push)
            else:
                for key, time_ms, connections in _snapshot(record):
                    counts.setdefault(("software", *key), []).append((time_ms, connections))
        except (AssertionError, KeyError, ValueError, RecursionError, DecodeError):  # a mistake here is another one
            bad.add((record.topic, record.partition, record.offset))
    rows = {key: _instance(found) for key, found in pushes.items()}
    rows |= {key: _software(key, found) for key, found in counts.items()}
    return rows, bad


def _push(record: KafkaRecord) -> dict[str, Any]:
    texts = {key: value.decode() for key, value in record.headers if value is not None and _is_read(key)}
    assert texts["schema"] == "kwitness.telemetry/1"
    assert texts["cluster_id"]
    assert texts["client_instance_id"]
    assert texts["received_at_ms"].isascii()
    assert texts["received_at_ms"].isdigit()
    assert int(texts["received_at_ms"]) < 2**53
    data = MetricsData.FromString(record.value or b"")
    assert not record.value or data.resource_metrics
    names = {m.name for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics}
    terminating = {"true": True, "false": False}[texts.get("terminating", "false")]
    identity = {key: texts.get(key) for key in IDENTITY_KEYS}
    return {**identity, "at": int(texts["received_at_ms"]), "names": names, "terminating": terminating}


def _is_read(key: str) -> bool:
    return key in {*IDENTITY_KEYS, "schema", "received_at_ms", "terminating"}


def _snapshot(record: KafkaRecord) -> list[tuple[tuple[Any, ...], int, int]]:
    snapshot = json.loads((record.value or b"").decode())
    assert isinstance(snapshot, dict)
    assert snapshot["schema"] == "kwitness.connections/1"
    if snapshot.get("kind") != "snapshot":
        return []
    assert isinstance(snapshot["cluster_id"], str)
    assert type(snapshot["sent_at_ms"]) is int
    assert isinstance(snapshot["connections"], list)
    totals: dict[tuple[Any, ...], int] = {}
    for entry in snapshot["connections"]:
        assert isinstance(entry, dict)
        texts = [entry.get(name) for name in ("listener", "client_software_name", "client_software_version")]
        assert all(text is None or isinstance(text, str) for text in texts)
        assert all(text is None or text.encode() is not None for text in texts)
        assert type(entry["connections"]) is int
        assert entry["connections"] >= 0
        key = (snapshot["cluster_id"], *texts)
        totals[key] = totals.get(key, 0) + entry["connections"]
    return [(key, snapshot["sent_at_ms"], total) for key, total in totals.items() if total]


def _instance(pushes: list[dict[str, Any]]) -> dict[str, Any]:
    latest = max(pushes, key=lambda one: (one["at"], [(one[k] is not None, one[k] or "") for k in IDENTITY_KEYS]))
    names = set().union(*(one["names"] for one in pushes))
    roles = {
        role
        for role, word in [
            ("admin", "admin"),
            ("consumer", "consumer"),
            ("producer", "producer"),
            ("streams", "stream"),
        ]
        if any(name.startswith(f"org.apache.kafka.{word}.") for name in names)
    }
    missing = sorted(name for role in roles & set(REQUIRED) for name in REQUIRED[role] if name not in names)
    return {
        "kind": "instance",
        **{key: latest[key] for key in IDENTITY_KEYS},
        "first_seen_ms": min(one["at"] for one in pushes),
        "last_seen_ms": max(one["at"] for one in pushes),
        "versions": _versions(
            [(one["client_software_name"], one["client_software_version"], one["at"]) for one in pushes]
        ),
        "metrics": sorted(names),
        "metrics_truncated": False,
        "roles": sorted(roles),
        "terminated": any(one["terminating"] for one in pushes),
        "max_connections": None,
        "missing_required": missing,
        "ours": _ours(latest),
        "conforms": not missing if roles & set(REQUIRED) else None,
        "ended": any(one["terminating"] for one in pushes),
    }


def _software(key: tuple[Any, ...], seen: list[tuple[int, int]]) -> dict[str, Any]:
    _, cluster_id, listener, name, version = key
    known = {
        "cluster_id": cluster_id,
        "listener": listener,
        "client_software_name": name,
        "client_software_version": version,
    }
    return {
        "kind": "software",
        **{one: known.get(one) for one in IDENTITY_KEYS},
        "first_seen_ms": min(at for at, _ in seen),
        "last_seen_ms": max(at for at, _ in seen),
        "versions": _versions([(name, version, at) for at, _ in seen]),
        "metrics": [],
        "metrics_truncated": False,
        "roles": [],
        "terminated": None,
        "max_connections": max(count for _, count in seen),
        "missing_required": None,
        "ours": _ours(known),
        "conforms": None,
        "ended": False,
    }


def _versions(seen: list[tuple[str | None, str | None, int]]) -> list[dict[str, Any]]:
    softwares = sorted({one[:2] for one in seen}, key=lambda one: [(text is not None, text or "") for text in one])
    return [
        {
            "client_software_name": software[0],
            "client_software_version": software[1],
            "first_seen_ms": min(at for *one, at in seen if tuple(one) == software),
            "last_seen_ms": max(at for *one, at in seen if tuple(one) == software),
        }
        for software in softwares
    ]


def _ours(row: dict[str, Any]) -> bool:
    named = any((row.get(key) or "").startswith("kwitness-") for key in ("client_id", "client_software_name"))
    return named or (row.get("client_software_version") or "").endswith("-kwitness")
