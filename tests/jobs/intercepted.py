"""What interceptors counted, as the topic interceptions holds it: in no order, twice, late, not sealed, and bad."""

from __future__ import annotations

import random
from typing import Any

from kwitness.contracts.records.sketch import SKETCH_BOUNDS
from kwitness.contracts.topics import SCHEMAS
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs import observed
from tests.jobs.observed import LENGTH_MS, START_MS, Value

INTERCEPTIONS = "kwitness.interceptions"


def row(at: int = START_MS, **fields: Any) -> Value:
    """A row of a client instance: of a topic that it reads, unless another kind or side is given."""
    own = {
        "schema": SCHEMAS["interceptions"],
        "kind": "topic",
        "side": "consumer",
        "runtime": "python",
        "topic": "orders",
    }
    whole = observed.event(at=at, **(own | {"consumed": 1, "instance": "9f86d081884c7d65/3"} | fields))
    return {name: value for name, value in whole.items() if name not in {"reported_by", "observer_mode"}}


def bad_values() -> list[Value]:
    """One of each kind that must go to quarantine."""
    sketches: list[Any] = [{"buckets": {str(len(SKETCH_BOUNDS)): 1}}, {"buckets": {"1": -1}}, {"sum_us": 2**60}, [1]]
    fields: list[dict[str, Any]] = [
        *({"end_to_end_latency": one} for one in sketches),
        {"schema": "kwitness.interceptions/2"},
        {"event_source": None},
        {"kind": "total"},
        {"side": None},
        {"consumed": -1},
        {"anomalies": {"negative_latency": -7}},
        {"window_start_ms": None},
        {"window_end_ms": START_MS},
    ]
    return [row(seq=30_000 + at, **one) for at, one in enumerate(fields)]


def mixed(seed: int, minutes: int = 75, start: int = START_MS) -> list[KafkaRecord]:
    """An hour and more of a few reporters, one of them started again."""
    dice = random.Random(f"intercepted/{seed}")  # noqa: S311
    values: list[tuple[float, Value]] = []
    for number in range(3):
        source, epoch, seq = f"shop/billing-{number}/9f86d081884c7d6{number}", 1, 0
        for minute in range(minutes):
            if number == 1 and minute == minutes // 2:
                epoch, seq = 2, 0
            if dice.random() < 0.6:
                continue
            at = start + minute * LENGTH_MS
            place = {"source": source, "epoch": epoch, "at": at}
            rows = [_row(dice, seq=seq + nth, **place) for nth in range(dice.randrange(1, 4))]
            seq += len(rows) + 1
            for value in (*rows, observed.seal(len(rows), seq=seq - 1, topic="interceptions", **place)):
                if dice.random() < 0.03:
                    continue
                late = dice.choice([0.0] * 8 + [3.0, 20.0, 90.0])
                came = [minute + late + again for again in range(1 + (dice.random() < 0.15))]
                values += [(min(when, minutes - 1), value) for when in came]
    values += [(dice.random() * minutes, one) for one in dice.sample(bad_values(), 6)]
    values.sort(key=lambda one: one[0])
    for when, value in values:
        if isinstance(value.get("window_end_ms"), int):
            value.setdefault("sent_at_ms", start + round(when + 1) * LENGTH_MS)
    ends: dict[str, int] = {}
    found = []
    for record in observed.placed((value for _, value in values), partitions=1, seed=seed):
        topic = record.topic if b'"kwitness.seals/1"' in (record.value or b"") else INTERCEPTIONS
        offset = ends[topic] = ends.get(topic, -1) + 1
        found.append(record._replace(topic=topic, offset=offset))
    return found


def _row(dice: random.Random, **place: Any) -> Value:
    who = {
        "client_id": dice.choice(["billing", None]),
        "group_id": dice.choice(["billing", None]),
        "k8s_workload": dice.choice(["Deployment/billing", None]),
        "k8s_pod": "billing-1",
    }
    kind = dice.random()
    if kind < 0.15:
        return row(**place, kind=dice.choice(["keys", "client"]), topic=None, consumed=None)
    if kind < 0.3:
        return row(**place, side="producer", consumed=None, sent=3, anomalies={"own_timestamp": 1})
    buckets = {str(dice.randrange(200, 900)): dice.randrange(1, 5) for _ in range(dice.randrange(4))}
    negative = dice.choice([None, 0, 2])
    return row(
        **place,
        **who,
        topic=dice.choice(["orders", "stock", None]),
        consumed=dice.choice([None, sum(buckets.values()) + (negative or 0)]),
        end_to_end_latency=dice.choice([{"buckets": buckets, "sum_us": dice.randrange(10**6)}, {"buckets": buckets}]),
        anomalies=None if negative is None else {"negative_latency": negative, "own_timestamp": 1},
    )
