"""The ledger audit once more, as plainly as possible: sets of numbers, one pass over all records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from kwitness.jobs.frame.kafka_record import KafkaRecord

Key = tuple[str, str, int]


def numbered(record: KafkaRecord) -> tuple[Key, int, dict[str, Any]] | None:
    """The epoch, the number, and what a seal says; None for what nobody numbered."""
    headers = {name: (value or b"").decode() for name, value in record.headers}
    topic = record.topic.removeprefix("kwitness.")
    said = json.loads(record.value) if record.value and topic != "telemetry" else {}
    if not headers:
        if said.get("kind") == "snapshot":
            return None
        headers = {name: str(said[name]) for name in ("event_source", "event_epoch", "event_seq")}
    source = headers["event_source"]
    if topic == "telemetry":
        kind = "Otlp" if source.startswith("otlp/") else "Plugin"
    else:
        kind = "Interceptors" if source.count("/") >= 2 else "Observer"
    return (kind, source, int(headers["event_epoch"])), int(headers["event_seq"]), said if topic == "seals" else {}


def audit(records: Iterable[KafkaRecord], grace_ms: int = 600_000) -> dict[Key, dict[str, Any]]:
    """What people read in the table, by epoch."""
    epochs: dict[Key, list[tuple[int, KafkaRecord, dict[str, Any]]]] = {}
    for record in records:
        one = numbered(record)
        if one is not None:
            epochs.setdefault(one[0], []).append((one[1], record, one[2]))
    return {key: _epoch(key[0], found, grace_ms) for key, found in epochs.items()}


def _epoch(  # noqa: C901 - in one piece, so that it can be read beside the guide
    kind: str, found: list[tuple[int, KafkaRecord, dict[str, Any]]], grace_ms: int
) -> dict[str, Any]:
    times: dict[int, int] = {}
    topics: dict[int, str] = {}
    seals: dict[int, dict[str, Any]] = {}
    for seq, record, said in found:
        times[seq] = min(record.timestamp_ms, times.get(seq, record.timestamp_ms))
        topics[seq] = record.topic.removeprefix("kwitness.")
        if said:
            seals[seq] = said
    seen = set(times)
    first_of = {topic: min(seq for seq in seen if topics[seq] == topic) for topic in set(topics.values())}
    ranges = {
        seq: set() if seal["first_seq"] == seq else set(range(seal["first_seq"], seal["last_seq"] + 1))
        for seq, seal in seals.items()
    }
    covered = set(seals).union(*ranges.values())
    gaps: set[int] = set()
    missing = 0
    since = []
    for seq, seal in seals.items():
        lacks = max(0, seal["count"] - len(ranges[seq] & seen))
        if lacks and seal["last_seq"] >= first_of.get(seal["topic"], 0):
            missing += lacks
            gaps |= ranges[seq] - seen
            since.append(times[seq])
    known = seen | covered
    untold = set(range(min(known), max(known))) - known
    unsealed: set[int] = set()
    if kind in ("Observer", "Interceptors"):
        unsealed = seen - covered
    if kind == "Plugin":
        gaps, missing, untold = untold, len(untold), set()
        since = [times[seq] for run in _runs(seen)[1:] for seq in range(run[0], run[1] + 1)]
    last_seal = max(seals, default=-1)
    waits = [times[seq] for seq in unsealed if seq > last_seal]
    for first, last in _runs(seen):
        if any(seq in unsealed and seq < last_seal for seq in range(first, last + 1)):
            waits.append(min(times[seq] for seq in range(first, last + 1)))
    last_ms = max(record.timestamp_ms for _, record, _ in found)
    sums: Counter[str] = Counter()
    for seal in seals.values():
        sums.update(seal["dropped"])
    duplicates = len(found) - len(seen)
    missing_since = min(since) if missing else None
    unsealed_since = min(waits) if unsealed else None
    if missing_since is not None and missing_since + grace_ms < last_ms:
        state = "Gap"
    elif unsealed_since is not None and unsealed_since + grace_ms < last_ms:
        state = "Uncertain"
    else:
        state = "Duplicate" if duplicates else "Open" if missing or unsealed else "Closed"
    return {
        "state": state,
        "records": len(found),
        "numbers": len(seen),
        "duplicates": duplicates,
        "missing": missing,
        "gaps": _pairs(gaps)[:20],
        "missing_since_ms": missing_since,
        "dropped": sum(sums.values()),
        "dropped_by_reason": dict(sums),
        "unsealed": len(unsealed),
        "unsealed_ranges": _pairs(unsealed)[:20],
        "unsealed_since_ms": unsealed_since,
        "untold": len(untold),
        "topics": {
            topic: (
                sum(topics[seq] == topic for seq in seen),
                sum(seal["count"] for seal in seals.values() if seal["topic"] == topic),
                first_of.get(topic),
            )
            for topic in {*topics.values(), *(seal["topic"] for seal in seals.values())}
        },
        "first_seq": min(seen),
        "last_seq": max(seen),
        "last_seal_seq": max(seals, default=None),
        "first_ms": min(times.values()),
        "last_ms": last_ms,
        "sealed_until_ms": max((seal["window_end_ms"] for seal in seals.values()), default=None),
        "ranges": [
            {"first": first, "last": last, "since_ms": min(times[seq] for seq in range(first, last + 1))}
            for first, last in _runs(seen)
        ],
    }


def _pairs(numbers: set[int]) -> list[dict[str, int]]:
    return [{"first": first, "last": last} for first, last in _runs(numbers)]


def _runs(numbers: set[int]) -> list[tuple[int, int]]:
    firsts = sorted(one for one in numbers if one - 1 not in numbers)
    lasts = sorted(one for one in numbers if one + 1 not in numbers)
    return list(zip(firsts, lasts, strict=True))
