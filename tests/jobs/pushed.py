"""Pushes as the topic telemetry holds them: of counters, gauges and histograms, late, twice, in no order, and bad."""

from __future__ import annotations

import random
from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
    Summary,
    SummaryDataPoint,
)

from kwitness.jobs.frame.kafka_record import KafkaRecord

TELEMETRY = "kwitness.telemetry"
#: The start of an hour that ends with its day, in 2026.
START_MS = 1_790_035_200_000 - 3_600_000
_DELTA, _TOTAL = 1, 2
_HOUR_MS = 3_600_000


def payload(*metrics: Metric) -> bytes:
    """The bytes of a push."""
    scope = ScopeMetrics(metrics=metrics)
    return bytes(MetricsData(resource_metrics=[ResourceMetrics(scope_metrics=[scope])]).SerializeToString())


def gauge(name: str, *values: float, **attributes: str | bool | float) -> Metric:
    """Values with the same attributes."""
    return Metric(name=name, unit="ms", gauge=Gauge(data_points=[_number(value, 0, attributes) for value in values]))


def total(name: str, value: float, start_ms: int, *, rises: bool = True, **attributes: str | bool | float) -> Metric:
    """A sum since its start."""
    points = [_number(value, start_ms, attributes)]
    return Metric(name=name, sum=Sum(data_points=points, aggregation_temporality=_TOTAL, is_monotonic=rises))


def delta(name: str, value: float, *, rises: bool = True, **attributes: str | bool | float) -> Metric:
    """What came to a sum."""
    points = [_number(value, 0, attributes)]
    return Metric(name=name, sum=Sum(data_points=points, aggregation_temporality=_DELTA, is_monotonic=rises))


def histogram(name: str, bounds: list[float], counts: list[int], value: float, start_ms: int | None = None) -> Metric:
    """A distribution: since its start, or what came to it where there is none."""
    point = HistogramDataPoint(
        explicit_bounds=bounds,
        bucket_counts=counts,
        count=sum(counts),
        sum=value,
        start_time_unix_nano=(start_ms or 0) * 1_000_000,
    )
    kind = _DELTA if start_ms is None else _TOTAL
    return Metric(name=name, histogram=Histogram(data_points=[point], aggregation_temporality=kind))


def foreign(name: str) -> Metric:
    """A summary, which is not read."""
    return Metric(name=name, summary=Summary(data_points=[SummaryDataPoint(count=1, sum=2.0)]))


def _number(value: float, start_ms: int, attributes: dict[str, Any]) -> NumberDataPoint:
    given = {"as_int": value} if isinstance(value, int) else {"as_double": value}
    return NumberDataPoint(
        **given,
        start_time_unix_nano=start_ms * 1_000_000,
        attributes=[KeyValue(key=key.replace("_", "."), value=_any(one)) for key, one in attributes.items()],
    )


def _any(value: str | float) -> AnyValue:
    if isinstance(value, bool):
        return AnyValue(bool_value=value)
    if isinstance(value, int):
        return AnyValue(int_value=value)
    return AnyValue(double_value=value) if isinstance(value, float) else AnyValue(string_value=value)


_PLAIN = 3
"""Clients with this number and higher ones send plain OTLP."""


def push(content: bytes | None, offset: int = 0, at: int = START_MS, **headers: str | bytes | None) -> KafkaRecord:
    """A record; a header that is None is left out."""
    texts: dict[str, str | bytes | None] = {
        "schema": "kwitness.telemetry/1",
        "event_source": "c/1",
        "event_epoch": "1",
        "event_seq": str(offset),
        "received_at_ms": str(at),
        "cluster_id": "c",
        "client_instance_id": "AAAAAAAAAAAAAAAAAAAAAA",
        "client_id": "orders",
        **headers,
    }
    known = ((key, one.encode() if isinstance(one, str) else one) for key, one in texts.items() if one is not None)
    return KafkaRecord(TELEMETRY, 0, offset, at + 2_000, b"key", content, tuple(known))


def bad_pushes() -> list[KafkaRecord]:
    """One of each kind that must go to quarantine."""
    good = payload(gauge("a", 1.5))
    contents = [b"\xff\x00garbage", good[:-1], b"\xfa\x01\x04oops", b"\x0a" * 70_000, b"\x0a\x05\x12\x03\x0a\x01\xff"]
    headers: list[dict[str, str | bytes | None]] = [
        {"schema": None},
        {"schema": "kwitness.telemetry/2"},
        {"event_source": None},
        {"event_epoch": ""},
        {"event_seq": None},
        {"event_seq": "-1"},
        {"client_instance_id": None},
        {"received_at_ms": None},
        {"received_at_ms": "yesterday"},
        {"received_at_ms": "9" * 16},
        {"received_at_ms": "9" * 40},
        {"received_at_ms": str(START_MS - 169 * _HOUR_MS)},
        {"received_at_ms": str(START_MS + 2 * _HOUR_MS)},
        {"client_id": b"\xff\xfe"},
        {"principal": b"\xc3"},
    ]
    return [push(one) for one in contents] + [push(good, 0, START_MS, **one) for one in headers]


def mixed(seed: int, minutes: int = 75, clients: int = 6) -> list[KafkaRecord]:
    """An hour and more of a few client instances, of which some are started again.

    Two are services that send plain OTLP and call their only instance by one name; another names none.
    """
    dice = random.Random(seed)  # noqa: S311
    found: list[tuple[float, KafkaRecord]] = []
    seq = 0
    for number in range(clients):
        started = START_MS - dice.randrange(2) * 600_000
        held = {"records": 0, "seconds": 0.0}
        counts = [0, 0, 0]
        who: dict[str, str | bytes | None] = {
            "client_instance_id": f"instance-{number}",
            "client_id": dice.choice(["orders", "billing", "größe" * 200, None]),
            "principal": dice.choice(["User:a", None]),
            "client_software_version": dice.choice(["4.3.1", "4.3.2"]),
            "event_source": f"c/{number % 2}",
        }
        key = b"key"
        if number >= _PLAIN:
            key = f"otlp//service-{number}/0".encode()
            who |= {"client_instance_id": "0" if number < clients - 1 else None, "event_source": f"otlp/{number}"}
        for minute in range(number, minutes):
            if dice.random() < 0.5:
                continue
            at = START_MS + minute * 60_000 + dice.randrange(60_000)
            if dice.random() < 0.05:
                started, held, counts = at - dice.randrange(5_000), {"records": 0, "seconds": 0.0}, [0, 0, 0]
            held["records"] += dice.randrange(1_000)
            held["seconds"] += dice.random() * 10
            counts = [one + dice.randrange(5) for one in counts]
            content = _content(dice, held, counts, started)
            seq += 1
            epoch = "2" if number == 1 and minute > minutes // 2 else "1"
            record = push(content, 0, at, **{**who, "event_epoch": epoch, "event_seq": str(seq)})._replace(key=key)
            for again in range(1 + (dice.random() < 0.15)):
                late = dice.choice([0.0] * 8 + [3.0, 20.0, 90.0])
                found.append((min(minute + late + again, minutes - 1), record))
    found += [(dice.random() * minutes, one) for one in dice.sample(bad_pushes(), 6)]
    found.sort(key=lambda one: one[0])
    ends = [-1, -1]
    records = []
    for when, record in found:
        partition = dice.randrange(2)
        ends[partition] += 1
        sent = record.timestamp_ms if "received_at_ms" not in dict(record.headers) else START_MS + round(when) * 60_000
        records.append(record._replace(partition=partition, offset=ends[partition], timestamp_ms=sent + 62_000))
    return records


def _content(dice: random.Random, held: dict[str, Any], counts: list[int], started: int) -> bytes | None:
    if dice.random() < 0.1:
        return dice.choice([None, b""])
    metrics = [
        gauge("io.wait", dice.random() * 100, dice.random(), node_id=str(dice.randrange(2))),
        gauge("idle", dice.choice([float("nan"), float("inf"), 0.0, -0.0, 3])),
        total("records.total", held["records"], started),
        total("seconds.total", held["seconds"], dice.choice([started, 0]), topic="a", part=dice.randrange(2)),
        total("queue", dice.random() - 0.5, started, rises=False),
        delta("sent", dice.random() * 10, ours=True),
        delta("sent", -1.0),
        delta("moved", dice.random() - 0.5, rises=False),
        histogram("latency", [0.5, 1.5], counts, sum(counts) * 1.25, started),
        histogram("took", dice.choice([[0.5, 1.5], [0.5, 2.0]]), [1, dice.randrange(3), 2], dice.random()),
        histogram("broken", [2.0, 1.0], [1, 1, 1], 1.0),
        histogram("plain", [], [], 0.0),
        foreign("quantiles"),
    ]
    return payload(*dice.sample(metrics, dice.randrange(1, len(metrics))))
