"""The job Traffic beside a query in SQL, written by hand for the same rows, and what it costs by the size of its input.

Candidates read the same Parquet files of generated records, some of which are late, there twice, out of order or corrupt.
`job` is what the job makes of them: decoding, first of each event id, rows of windows. `sql` is `spark/traffic.sql` of
what `spark/traffic_facts.sql` reads. Both give every row to a sink that throws it away. Their results are compared before,
at the smallest size; a row that only one of them has ends the measurement. Spark runs on core 1 alone, with one task at a
time; counted is the processor time of Java. `tables` is the whole job with its Delta tables, in batches as large as those
of a stream, once for each size, and the query with tables of its own likewise.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from spark.records import write_records
from spark.session import ProcessorTime, configuration, start

from kwitness.bench.bars import HEAD, at_least, row
from kwitness.bench.results import write_results
from kwitness.cli.fleet import Faults, Fleet, events
from kwitness.contracts.records import SKETCH_BOUNDS
from kwitness.jobs.analyses.traffic.job import JOB
from kwitness.jobs.frame.facts import unique
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.sinks import make_sink
from kwitness.jobs.frame.stream import MAX_RECORDS
from kwitness.jobs.frame.windows import inside, spans, window_start

SIZES = (100_000, 300_000, 1_000_000)
LARGER_BLOCKS = 3
"""Blocks that measure other sizes than the smallest too: they take minutes each."""
FACTS, ROWS = (Path(__file__).parent / "spark" / name for name in ("traffic_facts.sql", "traffic.sql"))
FAULTS = Faults(late=0.01, duplicates=0.01, reordered=0.01, corrupt=0.001)
FLEET = Fleet(clients=500, topics=50, sources=10, seconds=100_000, epochs=2, faults=FAULTS)
"""As long as the largest size needs; what comes later is not made."""
CANDIDATES = ("job", "sql")
BAR = at_least(0.95, 1.0)
INPUT = JobInput(JOB.parameters(), float(FLEET.window_s))
KEPT = ("topic", "partition", "offset", "timestamp_ms", "row", "rejected", "used")
"""What the stream keeps of decoded records."""


def main() -> int:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder for spark_traffic.json and .md")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="RECORDS")
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--warm", type=float, default=20.0)
    wanted = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = sorted(wanted.sizes)
        value_bytes = {size: write(size, folder) for size in sizes}
        session = start("Traffic", folder)
        frames = {size: session.read.parquet(str(folder / "records" / str(size))) for size in sizes}
        session.sql(f"DECLARE VARIABLE bounds ARRAY<BIGINT> DEFAULT from_json('{[*SKETCH_BOUNDS]}', 'array<bigint>')")
        rows = compare(session, frames[sizes[0]])
        clock = ProcessorTime(session)
        blocks = measure(clock, frames, wanted.blocks, wanted.warm)
        tables = [whole(clock, frames[size], size, folder / "tables" / str(size)) for size in sizes]
        spark = session.version
        session.stop()
    wanted.results.mkdir(parents=True, exist_ok=True)
    raw = {"spark": spark, "python": platform.python_version(), "load": load, "value_bytes": value_bytes}
    raw |= {"rows_compared": rows, "blocks": blocks, "tables": tables}
    write_results(wanted.results, "spark_traffic", raw, section(raw, sizes))
    return 0


def write(size: int, folder: Path) -> int:
    """Write so many traffic records of the fleet; return the bytes of their values."""
    traffic = (record for record in events(FLEET) if record.kind == "traffic")
    return write_records(itertools.islice(traffic, size), folder / "records" / str(size))


def decoded(records: DataFrame) -> DataFrame:
    """What the job decodes."""
    return JOB.sink.decode(records, INPUT).select(*KEPT)


def by_job(kept: DataFrame) -> DataFrame:
    """The rows that the job makes of what it has decoded."""
    places = [F.col(name).alias(f"kafka_{name}") for name in ("topic", "partition", "offset", "timestamp_ms")]
    facts = kept.where("row IS NOT NULL").select(*places, "row.*")
    start = window_start(F.col("window_start_ms"), FLEET.window_s)
    return JOB.sink.derived(JOB.sink.windows(unique(facts, start), INPUT), INPUT)


def job(records: DataFrame) -> None:
    """The job, which keeps what it has decoded as its stream does: for its facts, its rows and the quarantine."""
    kept = decoded(records).persist()
    try:
        discard(by_job(kept))
    finally:
        kept.unpersist(blocking=True)


def by_hand(records: DataFrame) -> DataFrame:
    """The same rows by the query that somebody would write."""
    session = records.sparkSession
    return session.sql(ROWS.read_text(), facts=session.sql(FACTS.read_text(), records=records))


def sql(records: DataFrame) -> None:
    """The query, to the last row."""
    discard(by_hand(records))


def compare(session: SparkSession, records: DataFrame) -> int:
    """Return how many rows there are.

    Raises
    ------
    SystemExit
        The candidates do not find the same rows.
    """
    ours = by_job(decoded(records).persist())
    theirs = by_hand(records).select(*ours.columns)
    found = {name: rows.select(*comparable(rows)).cache() for name, rows in (("job", ours), ("sql", theirs))}
    for name, other in (("job", "sql"), ("sql", "job")):
        if alone := found[name].exceptAll(found[other]).take(3):
            raise SystemExit(f"rows that only {name} has, such as {alone}")
    number = found["job"].count()
    session.catalog.clearCache()
    return number


def comparable(rows: DataFrame) -> list[Any]:
    """The columns; maps as lists, since sets of rows cannot have maps."""
    types = dict(rows.dtypes)
    return [
        F.array_sort(F.map_entries(name)).alias(name) if types[name].startswith("map<") else F.col(name)
        for name in rows.columns
    ]


def measure(
    clock: ProcessorTime, frames: Mapping[int, DataFrame], blocks: int, warm_seconds: float
) -> list[dict[str, Any]]:
    """Processor seconds of each candidate at each size in each block, in random order."""
    sizes = sorted(frames)
    candidates: Mapping[str, Callable[[DataFrame], None]] = {"job": job, "sql": sql}
    until = time.monotonic() + warm_seconds
    while True:
        for run in candidates.values():
            run(frames[sizes[0]])
        if time.monotonic() >= until:
            break
    rows = []
    for block in range(blocks):
        measured = sizes if block < LARGER_BLOCKS else sizes[:1]
        order = [(name, size) for name in candidates for size in measured]
        random.shuffle(order)
        seconds: dict[str, dict[str, float]] = {name: {} for name in candidates}
        for name, size in order:
            used = clock.seconds()
            candidates[name](frames[size])
            seconds[name][str(size)] = clock.seconds() - used
        rows.append({"block": block, "order": order, "seconds": seconds})
        told = ", ".join(f"{name} {size / seconds[name][str(size)]:,.0f}" for size in measured for name in candidates)
        print(f"  block {block}: {told} records per CPU-second", flush=True)
    return rows


def discard(rows: DataFrame) -> None:
    """Compute every row and throw it away."""
    rows.write.format("noop").mode("overwrite").save()


def whole(clock: ProcessorTime, records: DataFrame, size: int, place: Path) -> dict[str, Any]:
    """The job with its tables and the query with two of its own, from nothing: processor seconds, and bytes left."""
    place.mkdir(parents=True)
    used = clock.seconds()
    sink = make_sink(records.sparkSession, JOB, INPUT, configuration(JOB.name, place))
    sink.prepare()
    for begin, part in batches(records, size):
        reading = sink.read(part)
        reading.decoded.persist()
        reading.write({TopicPartition("kwitness.traffic", 0): min(size, begin + MAX_RECORDS)})
        reading.decoded.unpersist()
    seconds = clock.seconds() - used
    kept = {
        table.name: sum(file.stat().st_size for file in table.rglob("*") if file.is_file())
        for table in sorted(place.iterdir())
    }
    used = clock.seconds()
    for begin, part in batches(records, size):
        tables_by_hand(part, f"{place}/by-hand", first=not begin)
    by_query = clock.seconds() - used
    print(
        f"  tables at {size:,}: job {size / seconds:,.0f}, sql {size / by_query:,.0f} records per CPU-second",
        flush=True,
    )
    return {"records": size, "seconds": seconds, "sql_seconds": by_query, "bytes": kept}


def batches(records: DataFrame, size: int) -> Iterator[tuple[int, DataFrame]]:
    """Parts as large as those of a stream, each with the offset at which it begins."""
    for begin in range(0, size, MAX_RECORDS):
        yield begin, records.where(F.col("offset").between(begin, begin + MAX_RECORDS - 1))


def tables_by_hand(records: DataFrame, place: str, *, first: bool) -> None:
    """One batch by hand: what can be used is kept, since more of its windows may come, and these are computed again."""
    session = records.sparkSession
    day = F.to_date(F.timestamp_millis("window_start_ms")).alias("day")
    start = window_start(F.col("window_start_ms"), FLEET.window_s)
    new = session.sql(FACTS.read_text(), records=records).select("*", day).persist()
    new.write.format("delta").partitionBy("day").mode("append").save(f"{place}/facts")
    starts = [row[0] for row in new.select(start).distinct().collect()]
    new.unpersist()
    touched = inside(spans(starts, FLEET.window_s))
    rows = session.sql(ROWS.read_text(), facts=session.read.format("delta").load(f"{place}/facts").where(touched))
    writer = rows.select("*", day).write.format("delta").partitionBy("day").mode("overwrite")
    (writer if first else writer.option("replaceWhere", touched)).save(f"{place}/table")


def section(raw: Mapping[str, Any], sizes: Sequence[int]) -> str:
    """The section of docs/benchmarks.md."""
    blocks, value_bytes = raw["blocks"], raw["value_bytes"]
    lines = [
        "## Spark: rows of traffic",
        "",
        f"Rows of {FLEET.clients} generated clients, {FLEET.topics} topics of {FLEET.partitions} partitions and {FLEET.sources} observers;",
        f"{FAULTS.late:.0%} late, {FAULTS.duplicates:.0%} there twice, {FAULTS.reordered:.0%} out of order, {FAULTS.corrupt:.1%} corrupt. {len(blocks)} blocks, {LARGER_BLOCKS} of them at all sizes; load average",
        f"{raw['load']:.1f} at the start. The job's transform beside a query by hand for the same rows ({raw['rows_compared']:,} at the smallest size, compared before),",
        "in records per CPU-second:",
        "",
        *HEAD,
    ]
    for size in sizes:
        seconds = [block["seconds"] for block in blocks if str(size) in block["seconds"]["job"]]
        rates = {name: [size / one[name][str(size)] for one in seconds] for name in CANDIDATES}
        ratios = [ours / theirs for ours, theirs in zip(rates["job"], rates["sql"], strict=True)]
        ours, theirs = (f"{statistics.median(rates[name]):,.0f}" for name in CANDIDATES)
        lines.append(row(f"{size:,} records", ours, theirs, ratios, BAR))
    lines += [
        "",
        f"The whole job with its Delta tables, in batches of {MAX_RECORDS:,} records, one pass; beside it the query with a table of what",
        "it has read and one of rows, in the same batches, without longer windows, states, quarantine and positions:",
        "",
        "| Records | CPU-seconds | for a million records | the query's | job vs query | bytes of a record in its topic, before compression | in tables |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for pass_ in raw["tables"]:
        size, seconds = pass_["records"], pass_["seconds"]
        left = sum(pass_["bytes"].values()) / size
        lines.append(
            f"| {size:,} | {seconds:.1f} | {seconds / size * 1e6:.0f} | {pass_['sql_seconds']:.1f}"
            f" | {pass_['sql_seconds'] / seconds:.2f} | {value_bytes[size] / size:.0f} | {left:.0f} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
