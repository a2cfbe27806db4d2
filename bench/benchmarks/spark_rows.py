"""Pushes per CPU-second through the job ClientInventory, beside the same result by other ways.

Candidates read the same 30,000 pushes from the same Parquet files and end with the same inventory rows:
`job` is the job's transform (mapInArrow: decoding and combining in Python, a small group-by in SQL); `python udf` decodes
with the same protobuf library in an ordinary Python UDF, row by row, and groups in SQL; `sql` gets the names decoded
already and only groups, which is what the same query in spark-sql costs. Spark runs on core 1 alone, with one task at a
time; processor time is that of Java and of all its Python workers.
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType, StringType
from spark.pushes import METRICS, START_MS, headers, kinds_of_pushes, payload
from spark.session import ProcessorTime, start

from kwitness.bench.paired_measurement import interval
from kwitness.bench.results import write_results
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.resources.analytics_parameters import ClientInventoryParameters
from kwitness.jobs.analyses.client_inventory.push import metric_names
from kwitness.jobs.analyses.client_inventory.schema import merged_metrics
from kwitness.jobs.analyses.client_inventory.transform import transform
from kwitness.jobs.frame.job import JobInput

FILES, IN_A_FILE, CLIENTS = 6, 5_000, 200
PUSHES = FILES * IN_A_FILE
CANDIDATES = ("job", "python udf", "sql")


def main() -> int:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder for spark_rows.json and .md")
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--warm", type=float, default=20.0)
    wanted = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        session = start("ClientInventory", Path(folder))
        payload_bytes = write_pushes(session, Path(folder))
        rows = measure(session, Path(folder), wanted.blocks, wanted.warm)
        spark = session.version
        session.stop()
    wanted.results.mkdir(parents=True, exist_ok=True)
    raw = {"spark": spark, "python": platform.python_version(), "load": load, "payload_bytes": payload_bytes}
    write_results(wanted.results, "spark_rows", {**raw, "blocks": rows}, section(payload_bytes, load, rows))
    return 0


def write_pushes(session: SparkSession, folder: Path) -> int:
    """Write the pushes of a few clients; return the bytes of one payload."""
    kinds = kinds_of_pushes()
    payloads = {kind: payload(sent) for kind, sent in kinds.items()}
    schema = (
        "topic string, partition int, offset long, timestamp_ms long, key binary, value binary, "
        "headers array<struct<key: string, value: binary>>, kind string, names array<string>"
    )
    rows = [
        (
            "t",
            0,
            at,
            START_MS,
            b"k",
            payloads[at % 3],
            headers(at % CLIENTS, at, START_MS + at),
            "telemetry",
            kinds[at % 3],
        )
        for at in range(IN_A_FILE)
    ]
    frame = session.createDataFrame(rows, schema).coalesce(1)
    for _ in range(FILES):
        frame.write.mode("append").parquet(str(folder / "pushes"))
    return len(payloads[0])


def measure(session: SparkSession, folder: Path, blocks: int, warm_seconds: float) -> list[dict[str, Any]]:
    """Pushes per CPU-second of each candidate in each block, in random order."""
    records = session.read.parquet(str(folder / "pushes"))
    runs: dict[str, Callable[[], int]] = {
        "job": lambda: job(records),
        "python udf": lambda: grouped(records.withColumn("names", F.udf(names_of, ArrayType(StringType()))("value"))),
        "sql": lambda: grouped(records),
    }
    until = time.monotonic() + warm_seconds
    while time.monotonic() < until:
        for run in runs.values():
            assert run() == CLIENTS  # noqa: S101 - all candidates must find the same
    clock = ProcessorTime(session)
    rows = []
    for block in range(blocks):
        order = list(runs)
        random.shuffle(order)
        row: dict[str, Any] = {"block": block, "order": order}
        for name in order:
            began, used = time.monotonic(), clock.seconds()
            runs[name]()
            row[name] = PUSHES / (clock.seconds() - used)
            row[f"{name} seconds"] = time.monotonic() - began
        rows.append(row)
        print(f"  block {block}: " + ", ".join(f"{name} {row[name]:,.0f}" for name in CANDIDATES), flush=True)
    return rows


def job(records: DataFrame) -> int:
    """The job's own transform, to the last row."""
    return len(transform(records.drop("names"), JobInput(ClientInventoryParameters(), 300.0)).rows.collect())


def grouped(records: DataFrame) -> int:
    """The same rows from pushes whose names are decoded, in SQL alone."""
    known = F.map_from_entries("headers")
    texts = {key: known[key].cast("string") for key in (*IDENTITY_KEYS, "received_at_ms", "terminating")}
    plain = records.select(*(text.alias(key) for key, text in texts.items()), "names")
    at = F.col("received_at_ms").cast("long")
    rows = plain.groupBy("cluster_id", "client_instance_id").agg(
        F.min(at).alias("first_seen_ms"),
        F.max(F.struct(at.alias("at"), *(key for key in IDENTITY_KEYS))).alias("latest"),
        F.collect_set(F.struct("client_software_name", "client_software_version")).alias("versions"),
        F.flatten(F.collect_set("names")).alias("names"),
        F.bool_or(F.col("terminating") == "true").alias("terminated"),
    )
    return len(rows.withColumn("names", merged_metrics(F.col("names"))).collect())


def names_of(value: bytes) -> list[str]:
    """What a UDF returns for one push."""
    return sorted(metric_names(bytes(value)))


def section(payload_bytes: int, load: float, rows: list[dict[str, Any]]) -> str:
    """The section of docs/benchmarks.md."""
    lines = [
        "## Spark: pushes into the client inventory",
        "",
        f"{PUSHES:,} pushes of {CLIENTS} clients, {METRICS} metrics each ({payload_bytes:,} bytes); {len(rows)} blocks;",
        f"load average {load:.1f} at the start. Pushes per CPU-second of Java and its Python workers:",
        "",
        "| Candidate | Median | Seconds for all |",
        "|---|---|---|",
    ]
    for name in CANDIDATES:
        rate = statistics.median(row[name] for row in rows)
        seconds = statistics.median(row[f"{name} seconds"] for row in rows)
        lines.append(f"| {name} | {rate:,.0f} | {seconds:.2f} |")
    lines += ["", "| Ratio | Median | 95 % interval | Bar |", "|---|---|---|---|"]
    for title, above, below, bar in (
        ("decode in mapInArrow vs protobuf in a Python UDF", "job", "python udf", "-"),
        ("the job vs grouping alone in spark-sql", "job", "sql", "-"),
    ):
        ratios = [row[above] / row[below] for row in rows]
        middle, low, high = interval(ratios)
        lines.append(f"| {title} | {middle:.2f} | {low:.2f} to {high:.2f} | {bar} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
