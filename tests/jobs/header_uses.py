"""Records of header keys as the topics headers and seals hold them: in no order, twice, late, not sealed, and bad."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from typing import Any

from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs.observed import DELAY_MS, LENGTH_MS, START_MS, Value, event, seal

HEADERS, SEALS = "kwitness.headers", "kwitness.seals"
_TOPIC_ID = "BwcHBwcHBwcHBwcHBwcHBw"


def row(**fields: Any) -> Value:
    """A row of a key, as interceptors of a producer report it; None leaves a field out."""
    plain = {
        "schema": "kwitness.headers/1",
        "reported_by": None,
        "observer_mode": None,
        "instance": "one",
        "seen_by": "python",
        "side": "producer",
        "topic": "orders",
        "key": "charge.tag",
        "registered": True,
        "records_passed": 10,
        "records_looked_at": 10,
        "headers": 10,
    }
    return event(**(plain | fields))


def placed(values: Iterable[Value | bytes | None], seed: int = 0) -> list[KafkaRecord]:
    """Values as records, each in some partition of its topic; their times go with their windows."""
    dice, ends, records = random.Random(seed), dict[tuple[str, int], int](), []  # noqa: S311
    for value in values:
        fields = value if isinstance(value, dict) else {}
        topic = SEALS if fields.get("schema") == "kwitness.seals/1" else HEADERS
        where = (topic, dice.randrange(2))
        offset = ends[where] = ends.get(where, -1) + 1
        sent = fields.get("sent_at_ms", fields.get("window_end_ms", START_MS))
        timestamp = sent + DELAY_MS if isinstance(sent, int) else START_MS
        content = json.dumps(value).encode() if isinstance(value, dict) else value
        records.append(KafkaRecord(topic, where[1], offset, timestamp, b"key", content, ()))
    return records


def bad_values() -> list[Value | bytes | None]:
    """One of each kind that must go to quarantine."""
    whole = json.dumps(row()).encode()
    fields: list[Mapping[str, Any]] = [
        *({name: None} for name in ("schema", "event_source", "event_epoch", "event_seq", "side", "seen_by")),
        *({name: None} for name in ("window_start_ms", "window_end_ms")),
        {"schema": "kwitness.headers/2"},
        {"schema": "kwitness.traffic/1"},
        {"headers": -1},
        {"records_passed": 2**53 + 1},
        {"headers": "many"},
        {"values": [{"value": "a", "records": -1}]},
        {"values": [{"value": "a"}]},
        {"values": [{"records": 1}]},
        {"values": {"a": 1}},
        {"window_end_ms": START_MS},
        {"window_end_ms": START_MS + 90_000_000},
        {"window_start_ms": START_MS + 3_700_000, "window_end_ms": START_MS + 3_760_000, "sent_at_ms": START_MS},
    ]
    return [None, b"", b"[]", b"\xff", whole[:-1], *(row(seq=10_000 + at, **one) for at, one in enumerate(fields))]


def mixed(seed: int, minutes: int = 75) -> list[KafkaRecord]:
    """An hour and more of a few clients: a restarted one, one that dies; records late, twice, in no order, and bad."""
    dice = random.Random(seed)  # noqa: S311
    values: list[tuple[float, Value | bytes | None]] = []
    for number in range(3):
        source, epoch, seq = f"shop/orders-{number}/{'0' * 16}", 1, 0
        client = {
            "client_id": dice.choice(["orders", None]),
            "principal": dice.choice(["User:a", None]),
            "k8s_workload": dice.choice(["Deployment/orders", None]),
            "seen_by": dice.choice(["java", "observer"]),
        }
        for minute in range(minutes):
            if number == 1 and minute == minutes // 2:
                epoch, seq = 2, 0
            if dice.random() < 0.6 or (number == 2 and minute > minutes // 2):
                continue
            place = {"source": source, "epoch": epoch, "at": START_MS + minute * LENGTH_MS}
            rows = [one | {"event_seq": seq + nth} for nth, one in enumerate(_rows(dice, place | client))]
            seq += len(rows)
            own = [*rows, seal(len(rows), seq=seq, topic="headers", **place)]
            if dice.random() < 0.2:
                own.append(seal(1, seq=seq + 1, topic="traffic", **place))
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
            value.setdefault("sent_at_ms", START_MS + round(when + 1) * LENGTH_MS)
    return placed((value for _, value in values), seed=seed)


def _rows(dice: random.Random, place: dict[str, Any]) -> list[Value]:
    """What instances of a client report of a window: of each topic all keys, with the same numbers of records."""
    found = []
    places = [(topic, address) for topic in ("orders", "stock", None) for address in ("10.0.0.1", "10.0.0.2")]
    for topic, address in dice.sample(places, dice.randrange(1, 4)):
        side = dice.choice(["producer", "producer", "consumer"])
        passed = dice.randrange(1, 200)
        of_topic = {
            **place,
            "client_address": address,
            "side": side,
            "topic": topic,
            "topic_id": _TOPIC_ID if topic in (None, "stock") else None,
            "records_passed": passed,
            "records_looked_at": dice.choice([passed, dice.randrange(passed + 1)]),
        }
        keys = dice.sample(["charge.tag", "trace", "größe", "x" * 128, ""], dice.randrange(4))
        if not keys:
            found.append(row(**of_topic, key=None, headers=None, registered=None))
        found += [_key(dice, key, of_topic) for key in keys]
    if dice.random() < 0.2:
        overflow = {"topic": None, "key": None, "registered": None, "overflowed": True, "headers": 3}
        found.append(row(**(place | overflow | {"records_passed": None, "records_looked_at": None})))
    return found


def _key(dice: random.Random, key: str, of_topic: dict[str, Any]) -> Value:
    values = {dice.choice(["red", "blue", "größe"]): dice.randrange(1, 9) for _ in range(dice.randrange(3))}
    return row(
        **of_topic,
        key=key,
        registered=dice.choice([True, False, None]),
        headers=dice.randrange(100),
        bytes=dice.randrange(1000),
        wrong_type=dice.choice([None, 2]),
        missing=dice.choice([None, 0, 5]),
        removed=dice.choice([None, 1]),
        values=[{"value": text, "records": count} for text, count in values.items()] or None,
        values_left_out=dice.choice([None, 4]),
        unknown_field={"x": [1]},
    )
