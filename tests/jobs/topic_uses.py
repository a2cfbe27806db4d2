"""Records of topics in use, and the table that they make once more, as plainly as possible: no Spark, one pass."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from typing import Any

from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs.traffic import CONNECTIONS, START_MS, counted

TRAFFIC = "kwitness.traffic"
DAY_MS = 86_400_000
_Said = tuple[str, str, str | None, str | None]
"""Kind, subject and listener of a row, and which use a record tells of it."""
_BY = ("principal", "client_id", "client_software_name", "client_software_version")
_OBSERVER = (("reported_by", b"gateway"),)


def observed(of: str = TRAFFIC, /, offset: int = 0, **changes: object) -> KafkaRecord:
    """A record of an observer: a row of traffic of kind partition, unless told otherwise; None leaves a field out."""
    fields: dict[str, object] = {
        "schema": "kwitness.traffic/1" if of == TRAFFIC else "kwitness.connections/1",
        "kind": "partition",
        "event_source": "shop/gw-0",
        "event_epoch": 1,
        "event_seq": offset,
        "reported_by": "gateway",
        "observer_mode": "gateway",
        "cluster_id": "cluster-1",
        "client_id": "orders",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        **({"window_start_ms": START_MS, "window_end_ms": START_MS + 10_000} if of == TRAFFIC else {}),
        **changes,
    }
    value = json.dumps({key: entry for key, entry in fields.items() if entry is not None}).encode()
    return KafkaRecord(of, 0, offset, START_MS + 10 * DAY_MS, None, value, _OBSERVER)


def snapshot_of(offset: int, at_ms: int, connections: list[Any], cluster: str = "cluster-1") -> KafkaRecord:
    """A record of a broker."""
    fields = {
        "schema": "kwitness.connections/1",
        "kind": "snapshot",
        "event_source": f"{cluster}/1",
        "event_epoch": 1,
        "event_seq": offset,
        "cluster_id": cluster,
        "broker_id": "1",
        "sent_at_ms": at_ms,
        "connections": connections,
    }
    return KafkaRecord(CONNECTIONS, 0, offset, START_MS + 10 * DAY_MS, None, json.dumps(fields).encode(), ())


def uses(seed: int, count: int = 100, cluster: str = "cluster") -> list[KafkaRecord]:
    """Records about a few topics and clients of two clusters: late, twice, in no order, good ones and bad ones."""
    dice = random.Random(seed)  # noqa: S311
    records = []
    for offset in range(count):
        at = START_MS + dice.randrange(4) * DAY_MS + dice.randrange(3)
        client = {
            "cluster_id": f"{cluster}-{dice.choice('12')}",
            "client_id": dice.choice(["orders", "größe", None]),
            "principal": dice.choice(["User:a", "User:b", None]),
            "group_id": dice.choice(["g", None]),
            "client_software_name": dice.choice(["sarama", "franz-go", None]),
            "client_software_version": dice.choice(["1", "2", None]),
        }
        told = dice.choice([{"topic": "a"}, {"topic": "b", "topic_id": "I" * 22}, {"topic_id": "J" * 22}, {}])
        traffic = client | {"window_end_ms": at}
        match dice.randrange(8):
            case 0 | 1 | 2:
                api = dice.choice(["Produce", "Fetch", "ShareFetch"])
                records.append(observed(offset=offset, api=api, overflowed=not told, **traffic, **told))
            case 3:
                records.append(observed(offset=offset, kind="presence", overflowed=not told, **traffic, **told))
            case 4:
                unread = dice.choice([{}, {"version": 2}])
                api = dice.choice(["Fetch", "Metadata"])
                records.append(observed(offset=offset, kind="api", api=api, unread=unread, **traffic))
            case 5:
                kind = dice.choice(["opened", "authenticated", "closed", "snapshot"])
                opaque = dice.choice(["tls", None])
                records.append(
                    observed(CONNECTIONS, offset=offset, kind=kind, occurred_at_ms=at, opaque=opaque, **client)
                )
            case 6:
                entries: list[Any] = [
                    counted(dice.choice(["sarama", "kwitness-x", None]), "1", dice.randrange(2))
                    for _ in range(dice.randrange(3))
                ]
                records.append(snapshot_of(offset, at, entries, f"{cluster}-1"))
            case _:
                bad = dice.choice([{"schema": "kwitness.traffic/9"}, {"window_end_ms": None}, {"event_source": None}])
                records.append(observed(offset=offset, **(traffic | bad)))
    records += dice.sample(records, count // 5)
    dice.shuffle(records)
    return records


def table_of(records: Iterable[KafkaRecord]) -> tuple[dict[tuple[Any, ...], dict[str, Any]], set[tuple[str, int]]]:
    """What the table must hold, by cluster, kind, subject and listener; and topics and offsets of bad records."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    bad = set()
    for record in records:
        event = json.loads(record.value or b"")
        told = event.get("window_end_ms", event.get("occurred_at_ms", event.get("sent_at_ms")))
        schema = "kwitness.traffic/1" if record.topic == TRAFFIC else "kwitness.connections/1"
        if event["schema"] != schema or told is None or "event_source" not in event:
            bad.add((record.topic, record.offset))
            continue
        at = min(told, record.timestamp_ms)
        for kind, subject, listener, use in _says(record, event):
            row = rows.setdefault((event["cluster_id"], kind, subject, listener), _unseen(at))
            row["first_seen_ms"] = min(row["first_seen_ms"], at)
            row["last_seen_ms"] = max(row["last_seen_ms"], at)
            if use in {"counted", "observed"}:
                row[f"{use}_days"] = sorted({*row[f"{use}_days"], at // DAY_MS})
            if use in {"produced", "fetched"}:
                who = [at, *(event.get(name) for name in (*_BY, "group_id"))][: 5 if use == "produced" else 6]
                row[use] = max(row[use] or [-1], who, key=_ordered)
    return rows, bad


def as_oracle(rows: Iterable[dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Rows of the table in the shape of `table_of`."""
    found = {}
    for row in rows:
        produced = [row[f"last_produced_{name}"] for name in ("ms", *_BY)]
        fetched = [row[f"last_fetched_{name}"] for name in ("ms", *_BY, "group_id")]
        key = tuple(row[name] for name in ("cluster_id", "kind", "subject", "listener"))
        assert key not in found, f"two rows for {key}"
        found[key] = {
            **{name: row[name] for name in ("first_seen_ms", "last_seen_ms", "counted_days", "observed_days")},
            "produced": produced if produced[0] is not None else None,
            "fetched": fetched if fetched[0] is not None else None,
        }
    return found


def _says(record: KafkaRecord, event: dict[str, Any]) -> list[_Said]:
    software = "/".join(event.get(f"client_software_{name}") or "unknown" for name in ("name", "version"))
    if record.topic == TRAFFIC:
        return _traffic_says(event, software)
    if record.headers:
        found: list[_Said] = []
        if event["kind"] != "snapshot" and event.get("client_software_name"):
            found.append(("software", software, None, "observed"))
        if event["kind"] != "snapshot" and event.get("opaque"):
            found.append(("gap", "Opaque", None, None))
        return found
    found = [("broker", event["broker_id"], None, "counted")]
    for one in event["connections"]:
        if one["connections"] > 0:
            name = f"{one['client_software_name'] or 'unknown'}/{one['client_software_version']}"
            found.append(("software", name, one["listener"], "counted"))
    return found


def _traffic_says(event: dict[str, Any], software: str) -> list[_Said]:
    found: list[_Said] = []
    if event.get("client_software_name") or not event.get("overflowed"):
        found.append(("software", software, None, "observed"))
    if event["kind"] == "api":
        if event["api"] == "Fetch" and event["unread"]:
            found.append(("gap", "Unread", None, None))
        return found
    use = "produced" if event.get("api") == "Produce" else "fetched"
    for kind in ("topic", "topic_id"):
        if kind in event:
            return [*found, (kind, event[kind], None, use)]
    return [*found, ("gap", "Overflowed", None, None)] if use == "fetched" else found


def _unseen(at: int) -> dict[str, Any]:
    return {
        "first_seen_ms": at,
        "last_seen_ms": at,
        "counted_days": [],
        "observed_days": [],
        "produced": None,
        "fetched": None,
    }


def _ordered(who: list[Any]) -> list[tuple[bool, Any]]:
    # None before every text.
    return [(value is not None, value or "") for value in who]
