"""Pushes per CPU-second decoded into data points: by Rust in mapInArrow, and by protobuf's library in Python.

Candidates read the same payloads from the same Parquet files into the same data points. `native` is what the job
TelemetryRollup decodes by, in mapInArrow. `python udf` is what one would write first: a Python UDF that takes a payload
and returns its data points, by protobuf's library (upb, written in C). Java then counts the data points. `whole job` is the
job's decoding to facts, headers and checks with it; `whole job in python` the same by the stand-in for where the native
module is not installed. Spark runs on core 1 alone, one task at a time; processor time is that of Java and of all its
Python workers.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AggregationTemporality,
    Gauge,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import StructField, StructType
from spark.session import ProcessorTime, start

from kwitness.bench.bars import HEAD, at_least, row
from kwitness.bench.results import write_results
from kwitness.contracts.client_metrics import CLIENT_METRICS
from kwitness.contracts.resources.analytics_parameters import TelemetryRollupParameters
from kwitness.images.image_parts import otlp_decoder
from kwitness.jobs.analyses.telemetry_rollup import decoder, native_decoder, protobuf_decoder
from kwitness.jobs.analyses.telemetry_rollup.schema import POINTS, READ
from kwitness.jobs.analyses.telemetry_rollup.transform import decode
from kwitness.jobs.frame.job import JobInput

FILES, IN_A_FILE, CLIENTS, METRICS = 6, 5_000, 200, 30
PUSHES = FILES * IN_A_FILE
NATIVE, UDF, WHOLE, PYTHON = "native", "python udf", "whole job", "whole job in python"
START_MS = 1_790_000_000_000


def main() -> int:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder for spark_telemetry_rollup.json and .md")
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--warm", type=float, default=20.0)
    wanted = parser.parse_args()
    load = os.getloadavg()[0]
    module = str(otlp_decoder())
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [module, os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryDirectory() as folder:
        session = start("TelemetryRollup", Path(folder))
        payload_bytes = write_pushes(session, Path(folder))
        rows = measure(session, Path(folder), wanted.blocks, wanted.warm)
        spark = session.version
        session.stop()
    wanted.results.mkdir(parents=True, exist_ok=True)
    raw = {"spark": spark, "python": platform.python_version(), "load": load, "payload_bytes": payload_bytes}
    lines = section(payload_bytes, load, rows)
    write_results(wanted.results, "spark_telemetry_rollup", {**raw, "blocks": rows}, lines)
    return 0


def write_pushes(session: SparkSession, folder: Path) -> int:
    """Write the pushes of a few clients; return the bytes of one payload."""
    names = [metric.name for metric in CLIENT_METRICS][: 3 * METRICS]
    payloads = [payload((names[kind * 7 :] + names)[:METRICS]) for kind in range(3)]
    schema = (
        "topic string, partition int, offset long, timestamp_ms long, key binary, value binary, "
        "headers array<struct<key: string, value: binary>>, kind string"
    )
    rows = [("t", 0, at, START_MS, b"k", payloads[at % 3], headers(at), "telemetry") for at in range(IN_A_FILE)]
    frame = session.createDataFrame(rows, schema).coalesce(1)
    for _ in range(FILES):
        frame.write.mode("append").parquet(str(folder / "pushes"))
    return len(payloads[0])


def payload(names: list[str]) -> bytes:
    """A push as Kafka's Java client writes it: gauges, sums of deltas, a few of a node's."""
    metrics = []
    for at, name in enumerate(names):
        attributes = [KeyValue(key="node.id", value=AnyValue(string_value="1"))] if at % 5 == 0 else []
        point = NumberDataPoint(time_unix_nano=START_MS * 1_000_000, as_double=at + 0.5, attributes=attributes)
        if at % 3 == 0:
            total = Sum(
                data_points=[point],
                aggregation_temporality=AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA,
                is_monotonic=True,
            )
            metrics.append(Metric(name=name, sum=total))
        else:
            metrics.append(Metric(name=name, gauge=Gauge(data_points=[point])))
    data = MetricsData(resource_metrics=[ResourceMetrics(scope_metrics=[ScopeMetrics(metrics=metrics)])])
    return bytes(data.SerializeToString())


def headers(at: int) -> list[tuple[str, bytes]]:
    """The headers of a push as the collector writes them."""
    texts = {
        "schema": "kwitness.telemetry/1",
        "event_source": "c/1",
        "event_epoch": "1",
        "event_seq": str(at),
        "received_at_ms": str(START_MS + at),
        "content_type": "application/x-protobuf",
        "push_interval_ms": "5000",
        "cluster_id": "c",
        "broker_id": "1",
        "listener": "PLAINTEXT",
        "principal": "User:app",
        "client_id": f"app-{at % CLIENTS}",
        "client_instance_id": f"instance-{at % CLIENTS}",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "client_address": "10.0.0.1",
        "client_source_port": "12345",
    }
    return [(key, value.encode()) for key, value in texts.items()]


def measure(session: SparkSession, folder: Path, blocks: int, warm_seconds: float) -> list[dict[str, Any]]:
    """Pushes per CPU-second of each candidate in each block, in random order."""
    records = session.read.parquet(str(folder / "pushes"))
    udf = F.udf(points_of, POINTS)
    frames = {
        NATIVE: records.select("value").mapInArrow(native_points, StructType([StructField("points", POINTS)])),
        UDF: records.select(udf("value").alias("points")),
        WHOLE: decoded(records),
        PYTHON: decoded_in_python(records),
    }
    values = {name: added(frame) for name, frame in frames.items()}
    # All must find the same.
    assert set(values.values()) == {(PUSHES * METRICS, values[UDF][1])}, values  # noqa: S101
    runs: dict[str, Callable[[], int]] = {name: partial(counted, frame) for name, frame in frames.items()}
    until = time.monotonic() + warm_seconds
    while time.monotonic() < until:
        for run in runs.values():
            run()
    clock = ProcessorTime(session)
    rows = []
    for block in range(blocks):
        order = list(runs)
        random.shuffle(order)
        measured: dict[str, Any] = {"block": block, "order": order}
        for name in order:
            began, used = time.monotonic(), clock.seconds()
            runs[name]()
            measured[name] = PUSHES / (clock.seconds() - used)
            measured[f"{name} seconds"] = time.monotonic() - began
        rows.append(measured)
        print(f"  block {block}: " + ", ".join(f"{name} {measured[name]:,.0f}" for name in runs), flush=True)
    return rows


def decoded(records: DataFrame) -> DataFrame:
    """The job's own decoding, to the points of facts."""
    job_input = JobInput(TelemetryRollupParameters(), 300.0)
    return decode(records, job_input).select(F.col("row.points").alias("points"))


def decoded_in_python(records: DataFrame) -> DataFrame:
    """Its stand-in, without the checks that follow."""

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return decoder.decode(batches, (), 1_000, protobuf_decoder.read_batch)

    schema = StructType([*records.schema.fields, StructField("push", READ)])
    return records.mapInArrow(read, schema).select(F.col("push.points").alias("points"))


def points_of(value: bytes) -> list[dict[str, Any]]:
    """What a UDF returns for one push."""
    return protobuf_decoder.read_push(bytes(value)).points


def native_points(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The points of payloads, and nothing else."""
    for batch in batches:
        for _, columns in native_decoder.read_payloads(batch.column("value"), (), 1_000):
            yield pa.RecordBatch.from_arrays([columns[-1]], ["points"])


def counted(pushes: DataFrame) -> int:
    """How many points there are."""
    found: int = pushes.agg(F.sum(F.size("points"))).collect()[0][0]
    return found


def added(pushes: DataFrame) -> tuple[int, float]:
    """How many points there are, and the sum of their values."""
    one = F.aggregate("points", F.lit(0.0), lambda total, point: total + point["value"])
    found = pushes.agg(F.sum(F.size("points")), F.sum(one)).collect()[0]
    return found[0], found[1]


def section(payload_bytes: int, load: float, rows: list[dict[str, Any]]) -> str:
    """The section of docs/benchmarks.md."""
    rates = {name: statistics.median(one[name] for one in rows) for name in (NATIVE, UDF, WHOLE, PYTHON)}
    lines = [
        "## Spark: pushes into data points",
        "",
        f"{PUSHES:,} pushes of {CLIENTS} clients, {METRICS} data points each ({payload_bytes:,} bytes); {len(rows)} blocks;",
        f"load average {load:.1f} at the start. Pushes per CPU-second of Java and its Python workers:",
        "",
        *HEAD,
    ]
    compared = (
        (NATIVE, UDF, "decode in mapInArrow by Rust vs protobuf in a Python UDF", at_least(8, 25)),
        (
            WHOLE,
            PYTHON,
            "the job's decoding, headers and checks too, vs headers and points by protobuf in mapInArrow",
            at_least(1, 8),
        ),
    )
    for ours, beside, title, bar in compared:
        ratios = [one[ours] / one[beside] for one in rows]
        lines.append(row(title, f"{rates[ours]:,.0f}", f"{rates[beside]:,.0f}", ratios, bar))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
