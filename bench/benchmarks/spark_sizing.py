"""CPU-seconds that jobs take for a minute of a fleet, at four sizes; docs/operations/sizing.md is made from them.

Each job reads a generated fleet minute by minute, as a stream with a trigger of a minute does, and writes its tables. The
first minutes of a size warm it up and fill the tables; the median of the others counts. Spark runs on core 1 alone.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from spark.pushes import pushes
from spark.records import write_records
from spark.session import ProcessorTime, configuration, start

from kwitness.bench.results import write_results
from kwitness.bench.sizing import ALLOWED, Point, error_of, fit, page
from kwitness.cli.fleet import Fleet, FleetRecord, events
from kwitness.cli.fleet.fleet import FIRST_START_MS
from kwitness.jobs.analyses.registry import find_job
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.sinks import make_sink

ROOT = Path(__file__).resolve().parents[2]
SIZES = (500, 2_000, 8_000, 16_000)
"""Clients; the last is held against the line through the others."""
WARM, MEASURED = 2, 4
MINUTES = WARM + MEASURED
JOBS = ("Traffic", "LedgerAudit", "ClientInventory")


class Minutes(NamedTuple):
    """A fleet's records in a folder: those of a minute end at these offsets."""

    folder: Path
    ends: tuple[int, ...]


def main() -> int:
    """Measure and write the results and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder for spark_sizing.json and .md")
    parser.add_argument("--sizes", type=int, nargs=4, default=SIZES, metavar="CLIENTS")
    parser.add_argument("--jobs", nargs="+", default=JOBS)
    wanted = parser.parse_args()
    load = os.getloadavg()[0]
    jobs: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session = start("Traffic", folder)
        clock = ProcessorTime(session)
        fleets = {size: write(size, folder) for size in wanted.sizes}
        for job_type in wanted.jobs:
            # Java has compiled what it runs, as for much data, before anything counts.
            cost(clock, session, job_type, fleets[wanted.sizes[-1]][job_type], folder / job_type / "warm")
            points = []
            for size in wanted.sizes:
                minutes = fleets[size][job_type]
                points.append(Point(size, cost(clock, session, job_type, minutes, folder / job_type / str(size))))
                print(f"  {job_type}, {size:,} clients: {points[-1].seconds:.2f} CPU-seconds a minute", flush=True)
            last = fleets[wanted.sizes[-1]][job_type]
            jobs[job_type] = {
                "records_of_a_client": last.ends[-1] / MINUTES / wanted.sizes[-1],
                "points": points[:-1],
                "fourth": points[-1],
            }
        spark = session.version
        session.stop()
    raw = {"spark": spark, "load": load, "jobs": jobs}
    wanted.results.mkdir(parents=True, exist_ok=True)
    write_results(wanted.results, "spark_sizing", raw, section(raw))
    (ROOT / "docs" / "operations" / "sizing.md").write_text(page(raw))
    return 0


def write(size: int, folder: Path) -> dict[str, Minutes]:
    """Write the records that each job reads of a fleet of so many clients."""
    fleet = Fleet(
        clients=size,
        topics=max(10, size // 20),
        sources=10,
        seconds=MINUTES * 60,
        window_s=60,
        start_ms=FIRST_START_MS // 60_000 * 60_000,
    )
    seen = Minutes(folder / f"seen-{size}", written(events(fleet), folder / f"seen-{size}"))
    pushed = Minutes(folder / f"pushed-{size}", written(pushes(size, MINUTES), folder / f"pushed-{size}"))
    return {"Traffic": seen, "LedgerAudit": seen, "ClientInventory": pushed}


def written(records: Iterable[FleetRecord], folder: Path) -> tuple[int, ...]:
    """Write records; return at which offsets their minutes end."""
    ends: dict[int, int] = {}

    def counted() -> Iterator[FleetRecord]:
        for at, record in enumerate(records, 1):
            ends[record.timestamp_ms // 60_000] = at
            yield record

    write_records(counted(), folder)
    return tuple(ends.values())


def cost(clock: ProcessorTime, session: SparkSession, job_type: str, minutes: Minutes, place: Path) -> float:
    """CPU-seconds of the job for a minute: the median of those that are measured."""
    job = find_job(job_type)
    place.mkdir(parents=True)
    sink = make_sink(session, job, JobInput(job.parameters(), 60.0), configuration(job_type, place))
    sink.prepare()
    records = session.read.parquet(str(minutes.folder)).where(F.col("kind").isin(*job.inputs.topics))
    seconds, begin = [], 0
    for end in minutes.ends:
        used = clock.seconds()
        reading = sink.read(records.where(F.col("offset").between(begin, end - 1)))
        # The stream counts what it read before it writes.
        reading.decoded.persist().groupBy("rejected.reason").agg(F.count("rejected"), F.sum("used")).collect()
        reading.write({TopicPartition(f"kwitness.{kind}", 0): end for kind in job.inputs.topics})
        reading.decoded.unpersist()
        seconds.append(clock.seconds() - used)
        begin = end
    return statistics.median(seconds[WARM:])


def section(raw: dict[str, Any]) -> str:
    """The section of docs/benchmarks.md."""
    lines = [
        "## Spark: what a minute of a fleet costs",
        "",
        "CPU-seconds for a minute of a generated fleet; how many executors follow is in `docs/operations/sizing.md`.",
        f"Load average {raw['load']:.1f} before the start.",
        "",
        "| Job | measured (clients: CPU-seconds) | fourth size | measured | line from the first three | bar |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, job in raw["jobs"].items():
        fourth, line = Point(*job["fourth"]), fit([Point(*point) for point in job["points"]])
        measured = ", ".join(f"{clients:,}: {seconds:.2f}" for clients, seconds in job["points"])
        error = error_of(line, fourth)
        verdict = "met" if abs(error) <= ALLOWED else "missed"
        lines.append(
            f"| {name} | {measured} | {fourth.clients:,} | {fourth.seconds:.2f} | {line.seconds(fourth.clients):.2f} ({error:+.1%}) | "
            f"within {ALLOWED:.0%}: {verdict} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
