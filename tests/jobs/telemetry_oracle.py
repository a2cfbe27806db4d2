"""What the table of clients' telemetry must hold, said once more in plain Python: no Spark, all records at once."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from kwitness.jobs.analyses.telemetry_rollup.protobuf_decoder import read_push
from kwitness.jobs.frame.kafka_record import KafkaRecord

WHO = ("principal", "client_id", "client_software_name", "client_software_version", "k8s_namespace", "k8s_workload")
NAMED = ("kind", "metric", "type", "unit", "attributes", "bounds", *WHO)
SIZES = ("pushes", "payload_bytes", "left_out", "without_value", "unusable")
COUNTS = ("points", "without_start", "observations", *SIZES)
FRACTIONS = ("value_sum", "increase", "observed_sum")
NUMBERS = ("clients", *COUNTS, *FRACTIONS, "value_min", "value_max", "value_last", "last_ms", "bucket_counts")
HOUR_MS, DAY_MS = 3_600_000, 86_400_000
MOST = 2**53

Row = dict[str, Any]
Key = tuple[Any, ...]


def telemetry(
    records: Iterable[KafkaRecord],
    *,
    base_ms: int = 300_000,
    grace_ms: int = 600_000,
    retention_ms: int = 168 * HOUR_MS,
    prefixes: tuple[str, ...] = (),
    most: int = 1_000,
) -> tuple[dict[Key, Row], set[Key]]:
    """Rows by length, start and `NAMED`, and the places of the records that are bad."""
    good, bad = [], set()
    for record in records:
        fact = _fact(record, retention_ms, prefixes, most)
        if fact is None:
            bad.add((record.topic, record.partition, record.offset))
        else:
            good.append((record, fact))
    if not good:
        return {}, bad
    latest = max(record.timestamp_ms for record, _ in good)
    once: dict[Key, Row] = {}
    for _, fact in sorted(good, key=lambda one: one[0][:3]):
        start = fact["at_ms"] // base_ms * base_ms
        once.setdefault((start, fact["event_source"], fact["event_epoch"], fact["event_seq"]), fact)
    rows = _base_rows(((key[0], fact) for key, fact in once.items()), base_ms, grace_ms, latest)
    found = dict(rows)
    for length in (HOUR_MS, DAY_MS):
        rows = _longer(rows, length, grace_ms, latest)
        found |= rows
    return found, bad


def _base_rows(facts: Iterable[tuple[int, Row]], base_ms: int, grace_ms: int, latest: int) -> dict[Key, Row]:
    parts: dict[Key, list[Row]] = defaultdict(list)
    totals: dict[Key, list[Row]] = defaultdict(list)
    for start, fact in facts:
        who = tuple(fact[name] for name in WHO)
        instance = fact["client_instance_id"]
        size = {name: fact[name] for name in SIZES} | {"points": len(fact["read"])}
        parts[(base_ms, start, "push", *[None] * 5, *who), instance, ""].append(size)
        for point in fact["read"]:
            kind = point["shape"].removesuffix("_total")
            bounds = tuple(point["bounds"]) if kind == "histogram" else None
            key = (base_ms, start, "metric", point["metric"], kind, point["unit"], point["attributes"], bounds, *who)
            if point["shape"].endswith("_total"):
                totals[key, instance, point["start_ms"]].append(point)
            else:
                parts[key, instance, point["shape"]].append(_part(kind, point, fact["at_ms"]))
    for (key, instance, began), points in totals.items():
        parts[key, instance, began].append(_growth(key[4], points, has_begun=began >= key[1]))
    by_instance: dict[Key, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for (key, instance, _), several in parts.items():
        by_instance[key][instance].append(_together(several))
    rows = {}
    for key, instances in by_instance.items():
        row = _together([one for several in instances.values() for one in several]) | {"clients": len(instances)}
        rows[key] = row | {"state": "grace" if latest > key[1] + base_ms + grace_ms else "open"}
    return rows


def _part(kind: str, point: Row, at_ms: int) -> Row:
    value = point["value"]
    if kind in {"gauge", "level"}:
        seen = {f"value_{name}": value for name in ("sum", "min", "max", "last")}
        return {"points": 1, "last_ms": at_ms, **seen}
    if kind == "histogram":
        counts = point["bucket_counts"]
        return {"points": 1, "observations": point["observations"], "observed_sum": value, "bucket_counts": counts}
    return {"points": 1, "increase": value} | ({"without_start": 0} if kind == "counter" else {})


def _growth(kind: str, points: list[Row], *, has_begun: bool) -> Row:
    """What came to a total in the window: since its start, or since its first point."""
    is_counter = kind == "counter"
    order = sorted(
        points, key=lambda one: (0 if is_counter else one["observations"], one["value"], one["bucket_counts"])
    )
    first, last = order[0], order[-1]

    def grown(name: str) -> Any:
        return last[name] if has_begun else last[name] - first[name]

    row: Row = {"points": len(points), "without_start": int(not has_begun)}
    if is_counter:
        return row | {"increase": grown("value")}
    counts = last["bucket_counts"]
    if not has_begun:
        counts = [max(0, one - before) for one, before in zip(counts, first["bucket_counts"], strict=True)]
    return row | {"observations": grown("observations"), "observed_sum": grown("value"), "bucket_counts": counts}


def _together(several: list[Row]) -> Row:
    def known(name: str) -> list[Any]:
        return [one[name] for one in several if one.get(name) is not None]

    row: Row = dict.fromkeys(NUMBERS)
    for name in (*COUNTS, *FRACTIONS):
        if known(name):
            # One after the other, in order: rounding depends on it.
            row[name] = 0
            for one in sorted(known(name)):
                row[name] += one
    row["value_min"], row["value_max"] = min(known("value_min"), default=None), max(known("value_max"), default=None)
    latest = [(one["last_ms"], one["value_last"]) for one in several if one.get("last_ms") is not None]
    row["last_ms"], row["value_last"] = max(latest, default=(None, None))
    if counts := known("bucket_counts"):
        row["bucket_counts"] = [sum(one) for one in zip(*counts, strict=True)]
    return row


def _longer(rows: dict[Key, Row], length: int, grace_ms: int, latest: int) -> dict[Key, Row]:
    parts: dict[Key, list[Row]] = defaultdict(list)
    for key, row in rows.items():
        start = key[1] // length * length
        if start + length + grace_ms < latest:
            parts[length, start, *key[2:]].append(row)
    return {
        key: _together(several) | {"clients": max(one["clients"] for one in several), "state": "grace"}
        for key, several in parts.items()
    }


def _fact(record: KafkaRecord, retention_ms: int, prefixes: tuple[str, ...], most: int) -> Row | None:
    needed = ("event_epoch", "event_seq", "received_at_ms")
    try:
        texts = {key: value.decode() for key, value in record.headers if value is not None}
    except UnicodeDecodeError:
        return None
    if texts.get("schema") != "kwitness.telemetry/1" or not texts.get("event_source"):
        return None
    numbers = [texts.get(name, "") for name in needed]
    if not all(one.isascii() and one.isdigit() and int(one) < MOST for one in numbers):
        return None
    key = (record.key or b"").decode()
    # What came by plain OTLP is known by its service as well.
    is_plain = texts["event_source"].startswith("otlp/") and key.startswith("otlp/")
    instance = key if is_plain else texts.get("client_instance_id")
    if not instance or not -HOUR_MS <= record.timestamp_ms - int(numbers[2]) <= retention_ms:
        return None
    push = read_push(record.value or b"", prefixes, most)
    if push.outcome:
        return None
    who = {name: _bounded(texts.get(name)) for name in WHO} | {"client_instance_id": _bounded(instance)}
    sizes = {"pushes": 1, "payload_bytes": len(record.value or b""), **push._asdict(), "read": push.points}
    numbered = dict(zip(("event_epoch", "event_seq", "at_ms"), map(int, numbers), strict=True))
    return {**who, **sizes, **numbered, "event_source": texts["event_source"]}


def _bounded(text: str | None) -> str | None:
    if text is None or len(text) <= 512:
        return text
    return f"{text[:495]}~{hashlib.sha256(text.encode()).hexdigest()[:16]}"
