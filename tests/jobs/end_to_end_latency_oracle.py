"""What the table of end-to-end latency must hold, said once more in plain Python: no Spark, all records at once."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from kwitness.contracts.records.sketch import SKETCH_BOUNDS
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs.traffic_oracle import DAY_MS, HOUR_MS, MOST, _quantile, states_of

Row = dict[str, Any]
Key = tuple[Any, ...]
WHO = ("topic", "group_id", "client_id", "principal", "k8s_namespace", "k8s_workload")


def end_to_end_latency(
    records: Iterable[KafkaRecord],
    *,
    base_ms: int = 300_000,
    grace_ms: int = 600_000,
    retention_ms: int = 168 * HOUR_MS,
    topics: tuple[str, ...] = (),
) -> tuple[dict[Key, Row], set[Key]]:
    """Rows by length, start, topic and consumer; and the places of the records that are bad."""
    read = [(record, _fact(record, retention_ms)) for record in records]
    bad = {(record.topic, record.partition, record.offset) for record, fact in read if fact is None}
    good = [(record, fact) for record, fact in read if fact is not None and fact["kind"] != "other"]
    latest = max(record.timestamp_ms for record, _ in good)
    once: dict[Key, Row] = {}
    for _, fact in sorted(good, key=lambda one: one[0][:3]):
        start = fact["window_start_ms"] // base_ms * base_ms
        number = (fact["event_source"], fact["event_epoch"], fact["event_seq"], fact["kind"] == "seal")
        once.setdefault((start, *number), fact)
    facts = [(key[0], fact) for key, fact in once.items()]
    states = states_of(facts, base_ms, grace_ms, latest)
    parts: dict[Key, list[Row]] = defaultdict(list)
    for start, fact in facts:
        if fact["kind"] != "topic" or fact["side"] != "consumer":
            continue
        row = _counts(fact)
        some = row["consumed"] or row["negative"] or sum(row["latency"].values())
        if some and (not topics or fact.get("topic") in topics):
            parts[(base_ms, start, *(fact.get(name) for name in WHO))].append(row)
    rows = {key: _added(several) | {"state": states[key[1]]} for key, several in parts.items()}
    for key, several in parts.items():
        rows[key]["sources"] = len({one["sources"] for one in several})
    found = dict(rows)
    for length in (HOUR_MS, DAY_MS):
        rows = _longer(rows, length, grace_ms, latest)
        found |= rows
    return found, bad


def _counts(fact: Row) -> Row:
    sketch = fact.get("end_to_end_latency") or {}
    return {
        "consumed": fact.get("consumed") or 0,
        "negative": (fact.get("anomalies") or {}).get("negative_latency", 0),
        "latency_us": sketch.get("sum_us"),
        "latency": {int(bucket): count for bucket, count in (sketch.get("buckets") or {}).items()},
        "sources": fact["event_source"],
    }


def _added(several: list[Row]) -> Row:
    row: Row = {}
    for name in ("consumed", "negative", "latency_us"):
        known = [one[name] for one in several if one[name] is not None]
        row[name] = sum(known) if known else None
    latency: Counter[int] = Counter()
    for one in several:
        latency.update(one["latency"])
    row["latency"] = dict(latency)
    row["measured"] = sum(latency.values())
    for percent in (50, 90, 99):
        row[f"latency_p{percent}_us"] = _quantile(row["latency"], Fraction(percent, 100))
    whole = row["negative"] + row["measured"]
    row["clock_skew"] = row["negative"] / whole if whole else None
    return row


def _longer(rows: dict[Key, Row], length: int, grace_ms: int, latest: int) -> dict[Key, Row]:
    parts: dict[Key, list[Row]] = defaultdict(list)
    states: dict[int, set[str]] = defaultdict(set)
    for (_, at, *rest), row in rows.items():
        start = at // length * length
        if start + length + grace_ms < latest:
            parts[(length, start, *rest)].append(row)
            states[start].add(row["state"])
    found = {}
    for key, several in parts.items():
        state = "sealed" if states[key[1]] == {"sealed"} else "grace"
        found[key] = _added(several) | {"sources": max(one["sources"] for one in several), "state": state}
    return found


def _fact(record: KafkaRecord, retention_ms: int) -> Row | None:
    try:
        value = json.loads((record.value or b"").decode())
    except (ValueError, RecursionError):
        return None
    topic = record.topic.rpartition(".")[2]
    if not isinstance(value, dict) or value.get("schema") != f"kwitness.{topic}/1" or not _has_counts(value):
        return None
    start, end = value["window_start_ms"], value["window_end_ms"]
    if not 0 < end - start <= DAY_MS or not -HOUR_MS <= record.timestamp_ms - start <= retention_ms:
        return None
    if topic == "seals":
        return value | {"kind": "seal" if value["topic"] == "interceptions" else "other"}
    known = value.get("kind") in {"topic", "keys", "client"} and value.get("side") is not None
    return value if known else None


def _has_counts(value: Row) -> bool:
    needed = ("event_epoch", "event_seq", "window_start_ms", "window_end_ms")
    optional = [name for name in ("consumed", "count") if value.get(name) is not None]
    sketch = value.get("end_to_end_latency") or {}
    if not isinstance(sketch, dict) or not _is_count(sketch.get("sum_us") or 0):
        return False
    buckets, anomalies = sketch.get("buckets") or {}, value.get("anomalies") or {}
    return (
        value.get("event_source") is not None
        and all(_is_count(value.get(name)) for name in (*needed, *optional))
        and all(map(_is_count, (*buckets.values(), *anomalies.values())))
        and all(int(key) < len(SKETCH_BOUNDS) for key in buckets)
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST
