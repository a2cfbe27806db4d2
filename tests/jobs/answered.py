"""Answers of brokers one by one, as the topic requests holds them, beside the traffic of `tests.jobs.observed`."""

from __future__ import annotations

import random
from typing import Any

from kwitness.contracts.topics import SCHEMAS
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs import observed
from tests.jobs.observed import LENGTH_MS, START_MS, Value

REQUESTS = "kwitness.requests"


def request_event(at: int = START_MS, **fields: Any) -> Value:
    """A request or an answer."""
    given = {"kind": "response", "api": "Produce", "occurred_at_ms": at, "connection_id": "1/1", **fields}
    whole = (
        observed.event(at=at, **given)
        | {"schema": SCHEMAS["requests"]}
        | ({"schema": fields["schema"]} if "schema" in fields else {})
    )
    return {name: value for name, value in whole.items() if not name.startswith("window_") and value is not None}


def bad_values() -> list[Value]:
    """One of each kind that must go to quarantine."""
    fields: list[dict[str, Any]] = [
        {"schema": "kwitness.requests/9"},
        {"event_seq": None},
        {"occurred_at_ms": None},
        {"occurred_at_ms": -5},
        {"kind": "answer"},
        {"api": None},
        {"response_time_us": -1},
        {"response_time_us": "long"},
        {"topics": "orders"},
        {"errors": {"6": -2}},
        {"errors": {"6": None, "7": 2**60}},
        {"occurred_at_ms": START_MS - 200 * 3_600_000},
    ]
    return [request_event(seq=20_000 + at, **one) for at, one in enumerate(fields)]


def mixed(seed: int, minutes: int = 40) -> list[KafkaRecord]:
    """Some requests and answers of two observers, with their seals: late, twice, in no order, and bad."""
    dice = random.Random(f"answered/{seed}")  # noqa: S311
    values: list[tuple[int, Value]] = []
    for number in range(2):
        source, seq = f"shop/audit-{number}", 0
        for minute in range(minutes):
            if dice.random() < 0.5:
                continue
            at = START_MS + minute * LENGTH_MS
            rows = []
            for _ in range(dice.randrange(1, 6)):
                rows.append(_event(dice, source, seq, at + dice.randrange(LENGTH_MS)))
                seq += 1
            end = at + LENGTH_MS
            values += [(end + dice.choice((0, 0, 0, 3, 70)) * LENGTH_MS, one) for one in rows if dice.random() > 0.03]
            values += [(end + LENGTH_MS, one) for one in rows if dice.random() < 0.1]
            values.append((end, observed.seal(len(rows), source=source, seq=seq, at=at, topic="requests")))
            seq += 1
    values += [(START_MS + dice.randrange(minutes) * LENGTH_MS, one) for one in dice.sample(bad_values(), 6)]
    values.sort(key=lambda one: one[0])
    last = START_MS + 74 * LENGTH_MS
    for when, value in values:
        value["sent_at_ms"] = min(when, last)
    ends: dict[tuple[str, int], int] = {}
    found = []
    for record in observed.placed((value for _, value in values), partitions=1, seed=seed):
        # Partitions of their own, so that offsets do not meet those of other records.
        topic = REQUESTS if b'"kwitness.seals/1"' not in (record.value or b"") else record.topic
        where = (topic, 7)
        offset = ends[where] = ends.get(where, -1) + 1
        found.append(record._replace(topic=topic, partition=7, offset=offset))
    return found


def _event(dice: random.Random, source: str, seq: int, at: int) -> Value:
    kind = dice.choice(["response"] * 4 + ["request"])
    api = dice.choice(["Produce", "Fetch", "ShareFetch", "JoinGroup", "Metadata"])
    partitions = [{"topic": "orders", "partition": 0, "bytes": dice.choice((0, 300))} for _ in range(dice.randrange(3))]
    return request_event(
        source=source,
        seq=seq,
        at=at,
        kind=kind,
        api=api,
        client_id=dice.choice(["orders", "billing", None]),
        principal=dice.choice(["User:a", "User:b", None]),
        k8s_namespace=dice.choice(["shop", None]),
        topics=dice.choice([None, [], ["orders"], ["orders", "orders.old"], ["stock", "orders"], ["stock"]]),
        response_time_us=None if kind == "request" else dice.choice([None, 400, 50_000, 50_001, 900_000]),
        errors=dice.choice([None, {}, {"6": 2}]),
        partitions=partitions,
        fields={"throttle": [1]},
    )
