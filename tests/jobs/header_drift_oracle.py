"""HeaderDrift once more in plain Python: no Spark, no cleverness, all records at once."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs.traffic_oracle import states_of

CLIENT = (
    *("topic", "topic_id", "side", "seen_by", "principal", "client_id"),
    *("client_software_name", "client_software_version", "k8s_namespace", "k8s_workload"),
)
SUMS = (
    *("headers", "bytes", "unregistered", "wrong_type", "too_large", "deprecated", "testing_id"),
    *("missing", "removed", "values_left_out"),
)
COUNTS = ("records_passed", "records_looked_at")
HOUR_MS, DAY_MS = 3_600_000, 86_400_000
MOST = 2**53
MOST_VALUES = 256

Row = dict[str, Any]
Key = tuple[Any, ...]


def header_drift(records: Iterable[KafkaRecord], grace_ms: int = 600_000) -> tuple[dict[Key, Row], set[Key]]:
    """Rows by length, start, kind, key and client; and the places of the records that are bad."""
    base_ms = 300_000
    good, bad = [], set()
    for record in records:
        fact = _fact(record)
        if fact is None:
            bad.add((record.topic, record.partition, record.offset))
        elif fact["kind"] != "other":
            good.append((record, fact))
    if not good:
        return {}, bad
    latest = max(record.timestamp_ms for record, _ in good)
    once: dict[Key, Row] = {}
    for _, fact in sorted(good, key=lambda one: one[0][:3]):
        start = fact["window_start_ms"] // base_ms * base_ms
        who = (fact["event_source"], fact["event_epoch"], fact["event_seq"], fact["kind"] == "seal")
        once.setdefault((start, *who), fact)
    facts = [(key[0], fact) for key, fact in once.items()]
    rows = _base_rows(facts, states_of(facts, base_ms, grace_ms, latest), base_ms)
    return rows | _hours(rows, grace_ms, latest), bad


def _base_rows(facts: list[tuple[int, Row]], states: dict[int, str], base_ms: int) -> dict[Key, Row]:
    keys: dict[Key, list[Row]] = defaultdict(list)
    looked_at: dict[Key, dict[Key, list[int]]] = defaultdict(dict)
    sources: dict[Key, set[str]] = defaultdict(set)
    for start, fact in facts:
        if fact["kind"] == "seal":
            continue
        client = tuple(fact[name] for name in CLIENT)
        if fact["kind"] != "topic":
            keys[base_ms, start, fact["kind"], fact["key"], *client].append(fact)
        window = tuple(fact.get(name) for name in ("event_source", "event_epoch", "window_start_ms", "whole"))
        known = looked_at[start, *client].setdefault(window, [0, 0])
        known[:] = [max(one, fact[name]) for one, name in zip(known, COUNTS, strict=True)]
        sources[start, *client].add(fact["event_source"])
    rows = {}
    for (start, *client), windows in looked_at.items():
        counts = [sum(several) for several in zip(*windows.values(), strict=True)]
        of_topic: Row = dict.fromkeys((*SUMS, "values")) | dict(zip(COUNTS, counts, strict=True))
        of_topic |= {"sources": len(sources[start, *client]), "state": states[start]}
        rows[base_ms, start, "topic", None, *client] = of_topic
    for key, several in keys.items():
        of_topic = rows[base_ms, key[1], "topic", None, *key[4:]]
        row = _added(several) | {name: of_topic[name] for name in COUNTS}
        row["sources"] = len({one["event_source"] for one in several})
        rows[key] = row | {"state": states[key[1]]}
    return rows


def _hours(rows: dict[Key, Row], grace_ms: int, latest: int) -> dict[Key, Row]:
    parts: dict[Key, list[Row]] = defaultdict(list)
    states: dict[int, set[str]] = defaultdict(set)
    for key, row in rows.items():
        start = key[1] // HOUR_MS * HOUR_MS
        if start + HOUR_MS + grace_ms < latest:
            parts[HOUR_MS, start, *key[2:]].append(row)
            states[start].add(row["state"])
    found: dict[Key, Row] = {}
    for key, several in parts.items():
        row = dict.fromkeys((*SUMS, "values")) if key[2] == "topic" else _added(several)
        of_topic = parts[HOUR_MS, key[1], "topic", None, *key[4:]]
        row |= {name: sum(one[name] for one in of_topic) for name in COUNTS}
        row["sources"] = max(one["sources"] for one in several)
        found[key] = row | {"state": "sealed" if states[key[1]] == {"sealed"} else "grace"}
    return found


def _added(several: list[Row]) -> Row:
    row: Row = {name: sum(one[name] for one in several) for name in SUMS}
    values: Counter[str] = Counter()
    for one in several:
        values.update(one["values"])
    most = sorted(values.items(), key=lambda one: (-one[1], one[0]))
    row["values"] = dict(most[:MOST_VALUES])
    row["values_left_out"] += sum(count for _, count in most[MOST_VALUES:])
    return row


def _fact(record: KafkaRecord) -> Row | None:
    """What a record says, or None if it is bad; the kind of a seal is `seal`, or `other` if it seals another topic."""
    try:
        value = json.loads((record.value or b"").decode())
    except ValueError:
        return None
    is_seal = record.topic == "kwitness.seals"
    if not isinstance(value, dict) or not _is_event(value, record, "seals" if is_seal else "headers"):
        return None
    if is_seal:
        return value | {"kind": "seal" if value["topic"] == "headers" else "other"}
    if value.get("side") is None or value.get("seen_by") is None:
        return None
    key = value.get("key")
    kind = "overflow" if value.get("overflowed") else "topic" if key is None else "key"
    fact = {"kind": kind, "key": key, **{name: value.get(name) for name in CLIENT}}
    fact |= {name: value.get(name) or 0 for name in (*SUMS, *COUNTS)}
    fact["unregistered"] = 0 if value.get("registered") or kind != "key" else fact["headers"]
    fact["topic_id"] = None if fact["topic"] is not None else fact["topic_id"]
    fact["values"] = {one["value"]: one["records"] for one in value.get("values", [])}
    kept = ("event_source", "event_epoch", "event_seq", "window_start_ms", "window_end_ms")
    fact["whole"] = tuple(value.get(name) for name in ("instance", *IDENTITY_KEYS))
    return fact | {name: value.get(name) for name in kept}


def _is_event(value: Row, record: KafkaRecord, topic: str) -> bool:
    needed = ("event_epoch", "event_seq", "window_start_ms", "window_end_ms")
    known = [value[name] for name in (*needed, *SUMS, *COUNTS, "count") if value.get(name) is not None]
    values = value.get("values", [])
    return (
        value.get("schema") == f"kwitness.{topic}/1"
        and all(value.get(name) is not None for name in (*needed, "event_source"))
        and all(isinstance(one, int) and 0 <= one <= MOST for one in known)
        and isinstance(values, list)
        and all("value" in one and 0 <= one.get("records", -1) <= MOST for one in values)
        and 0 < value["window_end_ms"] - value["window_start_ms"] <= DAY_MS
        and record.timestamp_ms - value["window_start_ms"] >= -HOUR_MS
    )
