"""What the table of traffic must hold, said once more in plain Python: no Spark, no cleverness, all records at once."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from fractions import Fraction
from math import ceil
from typing import Any

from kwitness.contracts.records.sketch import SKETCH_BOUNDS
from kwitness.jobs.frame.kafka_record import KafkaRecord

WHO = (
    "principal",
    "client_id",
    "client_software_name",
    "client_software_version",
    "k8s_namespace",
    "k8s_workload",
    "client_address",
    "group_id",
    "listener",
)
OPTIONAL = WHO[-3:]
SUMS = (
    "requests",
    "records",
    "bytes",
    "batches",
    "unknown_batches",
    "transactional_records",
    "aborted_records",
    "duplicate_batches",
    "rejected_bytes",
    "unconfirmed",
    "request_bytes",
    "response_bytes",
    "committed_transactions",
    "aborted_transactions",
)
HOUR_MS, DAY_MS = 3_600_000, 86_400_000
MOST = 2**53

Row = dict[str, Any]
Key = tuple[Any, ...]


def traffic(
    records: Iterable[KafkaRecord],
    *,
    base_ms: int = 300_000,
    grace_ms: int = 600_000,
    retention_ms: int = 168 * HOUR_MS,
    topics: tuple[str, ...] = (),
) -> tuple[dict[Key, Row], set[Key]]:
    """Rows by length, start, kind, api, topic, its id and identity; and the places of the records that are bad."""
    good, bad = [], set()
    for record in records:
        fact = _fact(record, retention_ms)
        if fact is None:
            bad.add((record.topic, record.partition, record.offset))
        else:
            good.append((record, fact))
    good = [(record, fact) for record, fact in good if fact["kind"] != "other"]
    if not good:
        return {}, bad
    latest = max(record.timestamp_ms for record, _ in good)
    once: dict[Key, Row] = {}
    for _, fact in sorted(good, key=lambda one: one[0][:3]):
        start = fact["window_start_ms"] // base_ms * base_ms
        who = (fact["event_source"], fact["event_epoch"], fact["event_seq"], fact["kind"] == "seal")
        once.setdefault((start, *who), fact)
    facts = [(key[0], fact) for key, fact in once.items()]
    rows = _base_rows(facts, base_ms, grace_ms, latest, topics)
    found = dict(rows)
    for length in (HOUR_MS, DAY_MS):
        rows = _longer(rows, length, grace_ms, latest)
        found |= rows
    return found, bad


def _base_rows(
    facts: list[tuple[int, Row]], base_ms: int, grace_ms: int, latest: int, topics: tuple[str, ...]
) -> dict[Key, Row]:
    states = states_of(facts, base_ms, grace_ms, latest)
    parts: dict[Key, list[Row]] = defaultdict(list)
    for start, fact in facts:
        if fact["kind"] == "seal" or (topics and fact["kind"] != "api" and fact.get("topic") not in topics):
            continue
        topic = fact.get("topic")
        topic_id = None if topic is not None else fact.get("topic_id")
        who = [None if name in OPTIONAL else fact.get(name) for name in WHO]
        parts[base_ms, start, fact["kind"], fact["api"], topic, topic_id, *who].append(fact)
    rows = {}
    for key, several in parts.items():
        row = _added(several)
        row["sources"] = len({one["event_source"] for one in several})
        rows[key] = row | {"state": states[key[1]]}
    return rows


def _longer(rows: dict[Key, Row], length: int, grace_ms: int, latest: int) -> dict[Key, Row]:
    parts: dict[Key, list[Row]] = defaultdict(list)
    states: dict[int, set[str]] = defaultdict(set)
    for key, row in rows.items():
        start = key[1] // length * length
        if start + length + grace_ms < latest:
            parts[length, start, *key[2:]].append(row)
            states[start].add(row["state"])
    found = {}
    for key, several in parts.items():
        row = _added(several)
        row["sources"] = max(one["sources"] for one in several)
        found[key] = row | {"state": "sealed" if states[key[1]] == {"sealed"} else "grace"}
    return found


def _added(several: list[Row]) -> Row:
    row: Row = {}
    for name in (*SUMS, "response_time_us", "waited_us"):
        known = [one[name] for one in several if one.get(name) is not None]
        row[name] = sum(known) if known else None
    asked = [one["partitions"] for one in several if one.get("partitions") is not None]
    row["partitions"] = max(asked, default=None)
    for name in ("errors", "unread", "response_time", "waited"):
        counts: Counter[Any] = Counter()
        for one in several:
            counts.update(one.get(name) or {})
            for code in one.get(name) or {}:
                counts[code] += 0
        row[name] = dict(counts)
    row["error_count"] = sum(count for code, count in row["errors"].items() if code != "0")
    for name in ("response_time", "waited"):
        row[f"{name}_p50_us"] = _quantile(row[name], Fraction(1, 2))
        row[f"{name}_p99_us"] = _quantile(row[name], Fraction(99, 100))
    return row


def _quantile(buckets: dict[int, int], share: Fraction) -> int | None:
    values = [bucket for bucket in sorted(buckets) for _ in range(buckets[bucket])]
    return SKETCH_BOUNDS[values[max(1, ceil(share * len(values))) - 1]] if values else None


def states_of(facts: list[tuple[int, Row]], base_ms: int, grace_ms: int, latest: int) -> dict[int, str]:
    seals = [fact for _, fact in facts if fact["kind"] == "seal"]
    states = {}
    for start in {one for one, _ in facts}:
        end = start + base_ms
        inside = [fact for one, fact in facts if one == start]
        sealed = True
        for source in {(fact["event_source"], fact["event_epoch"]) for fact in inside}:
            own = [fact for fact in inside if (fact["event_source"], fact["event_epoch"]) == source]
            promised = sum(fact["count"] for fact in own if fact["kind"] == "seal")
            given = sum(fact["kind"] != "seal" for fact in own)
            reaches = any(
                (fact["event_source"], fact["event_epoch"]) == source
                and start <= fact["window_start_ms"] <= end + grace_ms
                and fact["window_end_ms"] >= end
                for fact in seals
            )
            sealed = sealed and reaches and given >= promised
        states[start] = "sealed" if sealed else "grace" if latest > end + grace_ms else "open"
    return states


def _fact(record: KafkaRecord, retention_ms: int) -> Row | None:
    """What a record says, or None if it is bad; the kind of a seal is `seal`, or `other` if it seals another topic."""
    try:
        value = json.loads((record.value or b"").decode())
    except (ValueError, RecursionError):
        return None
    is_seal = "seals" in record.topic
    if not isinstance(value, dict) or not _is_event(value, record, is_seal=is_seal, retention_ms=retention_ms):
        return None
    if is_seal:
        whole = value.get("topic") is not None and value.get("count") is not None
        return value | {"kind": "seal" if value["topic"] == "traffic" else "other"} if whole else None
    if not _is_traffic(value):
        return None
    for name in ("response_time", "waited"):
        sketch = value.get(name) or {}
        buckets = {int(key): count for key, count in (sketch.get("buckets") or {}).items()}
        value |= {name: buckets, f"{name}_us": sketch.get("sum_us")}
    return value


def _is_event(value: Row, record: KafkaRecord, *, is_seal: bool, retention_ms: int) -> bool:
    needed = ("event_epoch", "event_seq", "window_start_ms", "window_end_ms")
    known = [value[name] for name in (*needed, *SUMS, "partitions", "count") if value.get(name) is not None]
    return (
        len(record.value or b"") <= 2**20
        and value.get("schema") == ("kwitness.seals/1" if is_seal else "kwitness.traffic/1")
        and all(value.get(name) is not None for name in (*needed, "event_source"))
        and all(map(_is_count, known))
        and 0 < value["window_end_ms"] - value["window_start_ms"] <= DAY_MS
        and -HOUR_MS <= record.timestamp_ms - value["window_start_ms"] <= retention_ms
    )


def _is_traffic(value: Row) -> bool:
    counted = value.get("partitions" if value.get("kind") == "presence" else "requests")
    return (
        value.get("kind") in {"partition", "api", "presence"}
        and value.get("api") is not None
        and counted is not None
        and all(_are_counts(value.get(name) or {}) for name in ("errors", "unread"))
        and all(_is_sketch(value.get(name) or {}) for name in ("response_time", "waited"))
    )


def _is_sketch(value: object) -> bool:
    if not isinstance(value, dict) or not _is_count(value.get("sum_us") or 0):
        return False
    buckets = value.get("buckets") or {}
    return _are_counts(buckets) and all(key.isdigit() and int(key) < len(SKETCH_BOUNDS) for key in buckets)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST


def _are_counts(value: object) -> bool:
    return isinstance(value, dict) and all(_is_count(count) for count in value.values())


def day_of(milliseconds: int) -> date:
    """The day in UTC."""
    return date(1970, 1, 1) + timedelta(days=milliseconds // DAY_MS)
