"""Records of observers as the topics traffic and seals hold them: in no order, twice, late, not sealed, and bad."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from typing import Any

from kwitness.contracts.records.sketch import SKETCH_BOUNDS
from kwitness.jobs.frame.kafka_record import KafkaRecord

TRAFFIC, SEALS = "kwitness.traffic", "kwitness.seals"
#: The start of an hour that ends with its day, in 2026.
START_MS = 1_790_035_200_000 - 3_600_000
#: Length of the windows of sources, and how long a record takes to Kafka.
LENGTH_MS = 60_000
DELAY_MS = 2_000
_TOPIC_ID = "BwcHBwcHBwcHBwcHBwcHBw"

Value = dict[str, Any]


def event(source: str = "shop/gateway-0", epoch: int = 1, seq: int = 0, at: int = START_MS, **fields: Any) -> Value:
    """What all records of a window have; a field that is None is left out."""
    whole = {
        "schema": "kwitness.traffic/1",
        "event_source": source,
        "event_epoch": epoch,
        "event_seq": seq,
        "reported_by": "gateway",
        "observer_mode": "gateway",
        "window_start_ms": at,
        "window_end_ms": at + LENGTH_MS,
        "client_id": "orders",
        **fields,
    }
    return {name: value for name, value in whole.items() if value is not None}


def partition(**fields: Any) -> Value:
    """A row of a partition."""
    given = {"kind": "partition", "api": "Produce", "topic": "orders", "partition": 0, "requests": 1, **fields}
    return event(**given)


def api(**fields: Any) -> Value:
    """A row of an api."""
    return event(**{"kind": "api", "api": "Fetch", "api_version": 13, "requests": 1, **fields})


def presence(**fields: Any) -> Value:
    """A row of a topic that a client asks for."""
    return event(**{"kind": "presence", "api": "Fetch", "topic": "orders", "partitions": 3, **fields})


def seal(count: int, **fields: Any) -> Value:
    """A seal of traffic, unless another topic is named."""
    own = {"schema": "kwitness.seals/1", "topic": "traffic", "count": count, "first_seq": 0, "last_seq": 0}
    return event(**{**own, "client_id": None, **fields})


def placed(values: Iterable[Value | bytes | None], partitions: int = 2, seed: int = 0) -> list[KafkaRecord]:
    """Values as records, each in some partition of its topic; their times go with their windows."""
    dice, ends, records = random.Random(seed), dict[tuple[str, int], int](), []  # noqa: S311
    for value in values:
        fields = value if isinstance(value, dict) else {}
        topic = SEALS if fields.get("schema") == "kwitness.seals/1" else TRAFFIC
        where = (topic, dice.randrange(partitions))
        offset = ends[where] = ends.get(where, -1) + 1
        sent = fields.get("sent_at_ms", fields.get("window_end_ms", START_MS))
        timestamp = sent + DELAY_MS if isinstance(sent, int) else START_MS
        content = json.dumps(value).encode() if isinstance(value, dict) else value
        records.append(KafkaRecord(topic, where[1], offset, timestamp, b"key", content, (("reported_by", b"gateway"),)))
    return records


def bad_values() -> list[Value | bytes | None]:
    """One of each kind that must go to quarantine."""
    text = json.dumps(partition()).encode()
    raw: list[Value | bytes | None] = [
        None,
        b"",
        b"{",
        b"[]",
        b"[" * 5_000,
        b"7",
        b'"text"',
        b"null",
        b"\xff\xfe",
        text[:-1],
    ]
    raw += [b"[" + text + b"]", text.replace(b'"requests": 1', b'"requests": 1.5')]
    fields: list[Mapping[str, Any]] = [
        {"schema": None},
        {"schema": "kwitness.traffic/2"},
        {"schema": "kwitness.requests/1"},
        {"event_source": None},
        {"event_epoch": None},
        {"event_seq": None},
        {"event_seq": "7"},
        {"event_seq": -1},
        {"event_seq": 2**63},
        {"kind": None},
        {"kind": "total"},
        {"api": None},
        {"requests": None},
        {"requests": True},
        {"requests": "many"},
        {"bytes": -1},
        {"bytes": 2**62},
        {"bytes": 10**30},
        {"errors": [1]},
        {"errors": {"6": "x"}},
        {"errors": {"6": -1}},
        {"window_start_ms": None},
        {"window_end_ms": None},
        {"window_end_ms": START_MS},
        {"window_end_ms": START_MS + 90_000_000},
        {
            "window_start_ms": START_MS - 169 * 3_600_000,
            "window_end_ms": START_MS - 168 * 3_600_000,
            "sent_at_ms": START_MS,
        },
        {"window_start_ms": START_MS + 3_700_000, "window_end_ms": START_MS + 3_760_000, "sent_at_ms": START_MS},
    ]
    raw += [partition(seq=10_000 + at, **one) for at, one in enumerate(fields)]
    sketches: list[Any] = [{"buckets": {"a": 1}}, {"buckets": {"-1": 1}}, {"buckets": {str(len(SKETCH_BOUNDS)): 1}}]
    sketches += [{"buckets": {"99999": 1}}, {"buckets": {"1": -2}}, {"sum_us": -1}, 7]
    raw += [api(seq=11_000 + at, response_time=one) for at, one in enumerate(sketches)]
    raw += [
        presence(seq=12_000, partitions=None),
        seal(0, seq=12_001, topic=None),
        seal(0, seq=12_002) | {"count": None},
    ]
    return raw


def mixed(seed: int, minutes: int = 75, sources: int = 3, start: int = START_MS) -> list[KafkaRecord]:
    """An hour and more of a few sources: a restarted one, one that dies; records late, twice, in no order, and bad."""
    dice = random.Random(seed)  # noqa: S311
    values: list[tuple[float, Value | bytes | None]] = []
    for number in range(sources):
        source, epoch, seq = f"shop/gateway-{number}", 1, 0
        for minute in range(minutes):
            if number == 1 and minute == minutes // 2:
                epoch, seq = 2, 0
            if dice.random() < 0.55 or (number == 2 and minute > minutes // 2):
                continue
            at = start + minute * LENGTH_MS
            rows = [_row(dice, source, epoch, seq + nth, at) for nth in range(dice.randrange(1, 4))]
            seq += len(rows)
            own = [*rows, seal(len(rows), source=source, epoch=epoch, seq=seq, at=at)]
            if dice.random() < 0.2:
                own.append(seal(1, source=source, epoch=epoch, seq=seq + 1, at=at, topic="headers"))
            seq += 2
            for value in own:
                late = dice.choice([0.0] * 8 + [3.0, 20.0, 90.0])
                if dice.random() < 0.03:
                    continue
                came = [minute + late + again for again in range(1 + (dice.random() < 0.15))]
                # The clock ends with the last minute, so that the last windows are open.
                values += [(min(when, minutes - 1), value) for when in came]
    values += [(dice.random() * minutes, one) for one in dice.sample(bad_values(), 6)]
    values.sort(key=lambda one: one[0])
    for when, value in values:
        if isinstance(value, dict) and isinstance(value.get("window_end_ms"), int):
            value.setdefault("sent_at_ms", start + round(when + 1) * LENGTH_MS)
    return placed((value for _, value in values), seed=seed)


def _row(dice: random.Random, source: str, epoch: int, seq: int, at: int) -> Value:
    who = {
        "client_id": dice.choice(["orders", "billing", None]),
        "principal": dice.choice(["User:a", None]),
        "client_software_version": dice.choice(["4.3.1", None]),
        "k8s_workload": dice.choice(["Deployment/orders", None]),
    }
    place: dict[str, Any] = {"source": source, "epoch": epoch, "seq": seq, "at": at, **who}
    kind = dice.random()
    if kind < 0.5:
        named = dice.choice([{}, {"topic": None, "topic_id": _TOPIC_ID}, {"topic": "stock", "topic_id": _TOPIC_ID}])
        return partition(
            **place,
            **named,
            records=dice.randrange(1000),
            bytes=dice.randrange(10**6),
            batches=dice.randrange(5),
            unconfirmed=dice.choice([None, 3]),
            errors=dice.choice([None, {}, {"6": 2}, {"6": 1, "0": 5, "-1": 1}]),
            compression={"zstd": 1},
        )
    if kind < 0.85:
        buckets = {str(dice.randrange(200, 900)): dice.randrange(1, 5) for _ in range(dice.randrange(4))}
        return api(
            **place,
            request_bytes=dice.randrange(1000),
            response_bytes=dice.randrange(1000),
            response_time={"buckets": buckets, "sum_us": dice.randrange(10**6)},
            waited=dice.choice([None, {"buckets": {"1000": 1}, "sum_us": 5}]),
            unread=dice.choice([None, {"version": 1}]),
            unknown_field={"x": [1]},
        )
    return presence(**place, partitions=dice.randrange(9))
