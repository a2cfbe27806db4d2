"""What the table of objectives must hold, said once more in plain Python: no Spark, all records at once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from kwitness.contracts.records.sketch import SKETCH_BOUNDS
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.resources.objectives import LatencyObjective
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs.traffic_oracle import DAY_MS, HOUR_MS, MOST, states_of

Row = dict[str, Any]
Key = tuple[Any, ...]
SUMS = ("answers", "good", "bad", "errors")
_TRAFFIC_KINDS = {"partition", "api", "presence"}


def latency_slo(
    records: Iterable[KafkaRecord],
    objectives: Sequence[LatencyObjective],
    *,
    base_ms: int = 300_000,
    grace_ms: int = 600_000,
    retention_ms: int = 168 * HOUR_MS,
) -> tuple[dict[Key, Row], set[Key]]:
    """Rows by length, start, objective and group; and the places of the records that are bad."""
    audited = any(one.match.topic or "Topic" in one.group_by for one in objectives)
    read = [(record, _fact(record, retention_ms)) for record in records]
    bad = {(record.topic, record.partition, record.offset) for record, fact in read if fact is None}
    wanted = ("traffic", "requests") if audited else ("traffic",)
    good = [(record, fact) for record, fact in read if fact is not None and fact["of"] in wanted]
    if not good:
        return {}, bad
    latest = max(record.timestamp_ms for record, _ in good)
    once: dict[Key, Row] = {}
    for _, fact in sorted(good, key=lambda one: one[0][:3]):
        start = fact["window_start_ms"] // base_ms * base_ms
        number = (fact["event_source"], fact["event_epoch"], fact["event_seq"], fact["kind"] == "seal")
        once.setdefault((start, *number), fact)
    facts = [(key[0], fact) for key, fact in once.items()]
    states = states_of(facts, base_ms, grace_ms, latest)
    rows = {}
    for key, several in _parts(facts, objectives, base_ms).items():
        row = {name: sum(one[name] for one in several) for name in SUMS}
        rows[key] = row | {"sources": len({one["source"] for one in several}), "state": states[key[1]]}
    found = dict(rows)
    for length in (HOUR_MS, DAY_MS):
        rows = _longer(rows, length, grace_ms, latest)
        found |= rows
    return found, bad


def _parts(facts: list[tuple[int, Row]], objectives: Sequence[LatencyObjective], base_ms: int) -> dict[Key, list[Row]]:
    parts: dict[Key, list[Row]] = defaultdict(list)
    for start, fact in facts:
        for objective in objectives:
            for group in _groups(objective, fact):
                if (row := _counts(objective, fact))["answers"]:
                    parts[base_ms, start, objective.name, group].append(row | {"source": fact["event_source"]})
    return parts


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
        row = {name: sum(one[name] for one in several) for name in SUMS}
        row["sources"] = max(one["sources"] for one in several)
        found[key] = row | {"state": "sealed" if states[key[1]] == {"sealed"} else "grace"}
    return found


def _groups(objective: LatencyObjective, fact: Row) -> Iterator[Key]:
    by_topic = objective.match.topic is not None or "Topic" in objective.group_by
    if fact["kind"] != ("response" if by_topic else "api"):
        return
    names = {"namespace": "k8s_namespace", "workload": "k8s_workload"}
    for name, pattern in objective.match.model_dump(exclude={"topic"}, exclude_none=True).items():
        if not _matches(fact.get(names.get(name, name)), pattern):
            return
    wanted = objective.match.topic
    topics = {topic for topic in fact.get("topics") or () if wanted is None or _matches(topic, wanted)}
    if "Topic" not in objective.group_by:
        if wanted is None or topics:
            yield tuple(None if fact.get(name) is None else str(fact[name]) for name in grouped_by(objective))
        return
    for topic in topics:
        whole = fact | {"topic": topic}
        yield tuple(None if whole.get(name) is None else str(whole[name]) for name in grouped_by(objective))


def grouped_by(objective: LatencyObjective) -> list[str]:
    """The columns of an objective's groups."""
    return [{"Topic": "topic", "Api": "api"}.get(name, name) for name in objective.group_by]


def _matches(value: object, pattern: str) -> bool:
    if not isinstance(value, str):
        return False
    return value.startswith(pattern[:-1]) if pattern.endswith("*") else value == pattern


def _counts(objective: LatencyObjective, fact: Row) -> Row:
    threshold = parse_duration(objective.threshold).total_seconds() * 1_000_000
    errors = fact.get("errors") or {}
    if fact["kind"] == "response":
        served = _is_served(fact)
        answers = int(served)
        fast = int(served and fact["response_time_us"] <= threshold)
        wrong = int(bool(errors))
    else:
        bound = min(SKETCH_BOUNDS, key=lambda one: (abs(one - threshold), one))
        buckets = (fact.get("response_time") or {}).get("buckets") or {}
        answers = sum(buckets.values())
        fast = sum(count for bucket, count in buckets.items() if SKETCH_BOUNDS[int(bucket)] <= bound)
        wrong = sum(count for code, count in errors.items() if code != "0")
    good = max(0, fast - wrong) if objective.errors_are_bad else fast
    return {"answers": answers, "good": good, "bad": answers - good, "errors": wrong}


def _is_served(fact: Row) -> bool:
    if fact.get("response_time_us") is None or fact["api"] in {"JoinGroup", "SyncGroup"}:
        return False
    if fact["api"] in {"Fetch", "ShareFetch"}:
        return any(one["bytes"] > 0 for one in fact.get("partitions") or ())
    return True


def rate(row: Row, objective: LatencyObjective) -> Fraction:
    """How fast the budget goes."""
    return Fraction(row["bad"], row["answers"]) / (1 - Fraction(objective.target) / 100)


def _fact(record: KafkaRecord, retention_ms: int) -> Row | None:
    """What a record says with the topic that it is `of` or seals, or None if it is bad."""
    try:
        value = json.loads((record.value or b"").decode())
    except (ValueError, RecursionError):
        return None
    topic = record.topic.rpartition(".")[2]
    if not isinstance(value, dict) or len(record.value or b"") > 2**20 or value.get("schema") != f"kwitness.{topic}/1":
        return None
    if topic == "requests":
        at = value.get("occurred_at_ms")
        value |= {"window_start_ms": at, "window_end_ms": at + 1 if isinstance(at, int) else at}
    good = _has_counts(value) and _is_timely(value, record, retention_ms)
    return _of_topic(value, topic) if good else None


def _is_timely(value: Row, record: KafkaRecord, retention_ms: int) -> bool:
    return (
        0 < value["window_end_ms"] - value["window_start_ms"] <= DAY_MS
        and -HOUR_MS <= record.timestamp_ms - value["window_start_ms"] <= retention_ms
    )


def _of_topic(value: Row, topic: str) -> Row | None:
    if topic == "seals":
        whole = value.get("topic") is not None and value.get("count") is not None
        return value | {"kind": "seal", "of": value["topic"]} if whole else None
    kind = value.get("kind")
    known = kind in (_TRAFFIC_KINDS if topic == "traffic" else {"request", "response"})
    named = value.get("api") is not None or (topic == "traffic" and kind != "api")
    return value | {"of": topic} if known and named and isinstance(value.get("topics") or [], list) else None


def _has_counts(value: Row) -> bool:
    needed = ("event_epoch", "event_seq", "window_start_ms", "window_end_ms")
    optional = [name for name in ("requests", "response_time_us", "count") if value.get(name) is not None]
    sketch = value.get("response_time") or {}
    if not isinstance(sketch, dict) or not isinstance(sketch.get("sum_us") or 0, int):
        return False
    errors, buckets = value.get("errors") or {}, sketch.get("buckets") or {}
    return (
        isinstance(errors, dict)
        and isinstance(buckets, dict)
        and value.get("event_source") is not None
        and all(_is_count(value.get(name)) for name in (*needed, *optional))
        and all(count is None or _is_count(count) for one in (errors, buckets) for count in one.values())
        and all(key.isdigit() and int(key) < len(SKETCH_BOUNDS) for key in buckets)
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST
