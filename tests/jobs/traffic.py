"""Records as the platform's topics hold them: good ones, and every way in which they can be bad."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping

from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, MetricsData, ResourceMetrics, ScopeMetrics

from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs.oracle import REQUIRED

TELEMETRY = "kwitness.telemetry"
CONNECTIONS = "kwitness.connections"
KINDS = {TELEMETRY: "telemetry", CONNECTIONS: "connections", "kwitness.traffic": "traffic", "kwitness.seals": "seals"}
START_MS = 1_790_000_000_000


def otlp(names: Iterable[str]) -> bytes:
    """A push with these metrics and no points, which is what names are read from."""
    scope = ScopeMetrics(metrics=[Metric(name=name) for name in names])
    return bytes(MetricsData(resource_metrics=[ResourceMetrics(scope_metrics=[scope])]).SerializeToString())


def push_headers(**changes: str | bytes | None) -> tuple[tuple[str, bytes | None], ...]:
    """The headers of a push; a change to None leaves one out."""
    headers: dict[str, str | bytes | None] = {
        "schema": "kwitness.telemetry/1",
        "event_source": "cluster-1/1",
        "event_epoch": "1",
        "event_seq": "1",
        "cluster_id": "cluster-1",
        "client_instance_id": "AAAAAAAAAAAAAAAAAAAAAA",
        "client_id": "orders",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "received_at_ms": str(START_MS),
        "terminating": "false",
        **changes,
    }
    pairs = ((key, value.encode() if isinstance(value, str) else value) for key, value in headers.items())
    return tuple(pair for pair in pairs if pair[1] is not None)


def push(offset: int = 0, value: bytes | None = b"", **changes: str | bytes | None) -> KafkaRecord:
    """A record of the telemetry topic."""
    return KafkaRecord(TELEMETRY, offset % 2, offset, START_MS + offset, b"key", value, push_headers(**changes))


def snapshot(offset: int = 0, **changes: object) -> KafkaRecord:
    """A record of the connections topic."""
    fields: dict[str, object] = {
        "schema": "kwitness.connections/1",
        "kind": "snapshot",
        "event_source": "cluster-1/1",
        "event_epoch": 1,
        "event_seq": offset,
        "cluster_id": "cluster-1",
        "broker_id": "1",
        "sent_at_ms": START_MS + offset,
        "connections": [counted()],
        **changes,
    }
    return KafkaRecord(CONNECTIONS, 0, offset, START_MS + offset, None, json.dumps(fields).encode(), ())


def counted(
    name: object = "apache-kafka-java", version: object = "4.3.1", connections: object = 2
) -> Mapping[str, object]:
    """An entry of a snapshot."""
    return {
        "listener": "PLAINTEXT",
        "client_software_name": name,
        "client_software_version": version,
        "connections": connections,
    }


def bad_records() -> list[KafkaRecord]:
    """One of each kind that must go to quarantine."""
    value = otlp(REQUIRED["producer"])
    pushes = [
        {"value": b"\xff\x00garbage"},
        {"value": value[:-3]},
        {"value": b"\xfa\x01\x04oops"},
        {"value": b"\x0a" * 70_000},
        {"schema": None},
        {"schema": "kwitness.telemetry/2"},
        {"cluster_id": None},
        {"cluster_id": ""},
        {"client_instance_id": None},
        {"received_at_ms": None},
        {"received_at_ms": "yesterday"},
        {"received_at_ms": "-1"},
        {"received_at_ms": "9" * 40},
        {"received_at_ms": b"\x00\x00\x01\x8f\x00\x00\x00\x00"},
        {"client_id": b"\xff\xfe"},
        {"terminating": "maybe"},
        {"terminating": b"\x01"},
    ]
    found = [push(1_000 + at, **one) for at, one in enumerate(pushes)]
    plain = snapshot()
    contents: list[bytes | None] = [None, b"", b"{", b"[]", b"\xff\xff", b"[" * 5_000, b'{"schema": 1}']
    found += [plain._replace(offset=2_000 + at, value=one) for at, one in enumerate(contents)]
    fields: list[dict[str, object]] = [
        {"schema": "kwitness.connections/9"},
        {"cluster_id": None},
        {"cluster_id": 7},
        {"sent_at_ms": "now"},
        {"sent_at_ms": 1.5},
        {"sent_at_ms": True},
        {"connections": None},
        {"connections": {}},
        {"connections": ["x"]},
        {"connections": [counted(connections=-1)]},
        {"connections": [counted(connections="2")]},
        {"connections": [counted(name=["a"])]},
        {"connections": [counted(version="\ud800")]},
    ]
    return found + [snapshot(3_000 + at, **one) for at, one in enumerate(fields)]


def mixed(seed: int, count: int = 120, cluster: str = "cluster", days: int = 0) -> list[KafkaRecord]:
    """Good and bad records of a few clients of two clusters: late, twice, in no order, changing version and address.

    They are of `days` later than otherwise.
    """
    dice = random.Random(seed)  # noqa: S311
    known = [*REQUIRED["producer"], *REQUIRED["consumer"], "org.apache.kafka.stream.thread.run", "my.own", "größe"]
    records: list[KafkaRecord] = []
    for offset in range(count):
        # So far apart that none is passed over for being close to another one.
        at = str(START_MS + 86_400_000 * days + 600_000 * dice.randrange(40))
        if dice.random() < 0.3:
            entries = [counted(dice.choice(["a", "kwitness-x", None]), dice.choice("12"), dice.randrange(4))]
            entries += [counted("a", "1", 1)] * dice.randrange(2)
            records.append(snapshot(offset, sent_at_ms=int(at), connections=entries, cluster_id=f"{cluster}-1"))
            continue
        role = dice.choice(["producer", "consumer"])
        names = dice.choice([REQUIRED[role], dice.sample(known, 3), []])
        changes = {
            "client_instance_id": f"instance-{dice.randrange(5)}",
            "client_id": dice.choice(["orders", "kwitness-collector-1", None]),
            "client_software_version": dice.choice(["4.3.1", "4.3.2-kwitness", None]),
            "client_address": dice.choice(["10.0.0.1", "10.0.0.2", None]),
            "cluster_id": f"{cluster}-{dice.choice('12')}",
            "received_at_ms": at,
            "terminating": dice.choice(["true", "false", None, "false", "false"]),
        }
        records.append(push(offset, otlp(names) if names else dice.choice([None, b""]), **changes))
    records += dice.sample(bad_records(), 8)
    records += dice.sample(records, count // 5)
    dice.shuffle(records)
    return records
