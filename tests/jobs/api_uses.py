"""Records of clients that use old and new versions of APIs: late, twice, in no order, of several epochs, and bad."""

from __future__ import annotations

import random
from typing import Any

from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs.topic_uses import DAY_MS, observed, snapshot_of
from tests.jobs.traffic import CONNECTIONS, START_MS, counted

LENGTH_MS = 10_000


def request(offset: int = 0, **changes: object) -> KafkaRecord:
    """A row of traffic of kind api."""
    plain = {"kind": "api", "api": "Fetch", "api_version": 13, "requests": 1}
    return observed(offset=offset, **(plain | changes))


def connection(offset: int = 0, **changes: object) -> KafkaRecord:
    """A connection that has ended, unless told otherwise."""
    return observed(CONNECTIONS, offset=offset, **({"kind": "closed", "occurred_at_ms": START_MS} | changes))


def api_uses(seed: int, count: int = 100, cluster: str = "cluster") -> list[KafkaRecord]:
    """Records of a few clients, some of whom say little of themselves; one in five comes twice."""
    dice = random.Random(seed)  # noqa: S311
    records = []
    for offset in range(count):
        at = START_MS + dice.randrange(4) * DAY_MS + dice.randrange(3)
        client = {
            "event_epoch": dice.choice([1, 2]),
            "cluster_id": f"{cluster}-{dice.choice('12')}",
            "client_id": dice.choice(["orders", "größe", None]),
            "principal": dice.choice(["User:a", "User:b", None]),
            "client_software_name": dice.choice(["sarama", None]),
            "client_software_version": dice.choice(["1", None]),
            "k8s_namespace": dice.choice(["shop", None]),
        }
        window = {"window_start_ms": at, "window_end_ms": at + LENGTH_MS}
        match dice.randrange(7):
            case 0 | 1 | 2:
                used = dice.choice([("Fetch", 3), ("Fetch", 13), ("Produce", 2), ("99", 0), ("1", 3), ("other", None)])
                sizes: dict[str, Any] = {
                    "requests": dice.randrange(100),
                    "request_bytes": dice.choice([7, None]),
                    "response_bytes": dice.choice([2**53, 9]),
                }
                records.append(request(offset, api=used[0], api_version=used[1], **client, **window, **sizes))
            case 3:
                records.append(observed(offset=offset, api="Fetch", topic="a", **client, **window))
            case 4:
                kind = dice.choice(["opened", "authenticated", "closed", "snapshot"])
                opaque = dice.choice(["tls", None])
                records.append(connection(offset, kind=kind, occurred_at_ms=at, opaque=opaque, **client))
            case 5:
                entries = [
                    counted(dice.choice(["sarama", "unknown", None]), "1", dice.randrange(3))
                    for _ in range(dice.randrange(3))
                ]
                records.append(snapshot_of(offset, at, entries, f"{cluster}-1"))
            case _:
                bad: dict[str, Any] = dice.choice(
                    [
                        {"schema": "kwitness.traffic/9"},
                        {"window_start_ms": at + LENGTH_MS + 1},
                        {"requests": -1},
                        {"requests": None},
                        {"api": None},
                        {"api_version": 2**15},
                        {"response_bytes": 2**53 + 1},
                        {"event_epoch": None},
                    ]
                )
                records.append(request(offset, **(client | window | bad)))
    records += dice.sample(records, count // 5)
    dice.shuffle(records)
    return records
