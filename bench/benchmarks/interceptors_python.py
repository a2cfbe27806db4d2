"""What Python's interceptors add to a record beside OpenTelemetry's instrumentation: `make bench-interceptors`.

One application of confluent-kafka without anything, with ours, and with OpenTelemetry's, each a process, by turns in
random order. What is added is the process's time on the processor, threads that report included, above that of the
application alone in the same block.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from interceptors.applications import (
    CLIENTS,
    OURS,
    PLAIN,
    ROOT,
    VALUE_BYTES,
    Application,
    Block,
    broker_and_collector,
    has_counted,
    intercepted,
    measured,
)

from kwitness.bench.bars import HEAD, at_most, row
from kwitness.bench.results import write_results
from kwitness.images import cache
from kwitness.images.commands import run
from kwitness.images.image_parts import copy_content, find_uv

OTEL = "OpenTelemetry"
KINDS = ("Audit", "Latency", "Sizes")
WORKS = {"produce": "`produce` and its callback", "poll": "`poll`", "consume": "`consume` of 500 at once"}
BAR = at_most(0.2, 0.05)
LOCK = ROOT / "bench/peers/opentelemetry.txt"


def opentelemetry() -> Path:
    """A folder with OpenTelemetry's packages, fetched once."""

    def fetch(folder: Path) -> None:
        print("fetching OpenTelemetry's instrumentation", flush=True)
        options = ["--quiet", "--no-deps", "--require-hashes", "--python", sys.executable]
        run([find_uv(), "pip", "install", *options, "--target", folder, "--requirements", LOCK])

    return cache.cached_folder("opentelemetry-python", cache.content_key(LOCK), fetch)


def injected(folder: Path) -> Path:
    """The folder that pods have in their path."""
    service = ROOT / "services/interceptors-python"
    for part in (service / "src", service / "startup"):
        copy_content(part, folder)
    return folder


def added(block: Block, work: str, name: str) -> float:
    """Seconds of the processor above those of the application alone."""
    return block[work][name]["cpu_s"] - block[work][PLAIN]["cpu_s"]


def section(found: list[Block], records: int, load_average: float) -> str:
    """The page's section."""
    lines = [
        "## Interceptors in Python beside OpenTelemetry's instrumentation",
        "",
        (
            f"confluent-kafka before a local broker, {records:,} records of {VALUE_BYTES:,} bytes in each of {len(found)} blocks. Added is "
            f"the processor's time of the whole process above that of the application alone. Ours count {', '.join(KINDS)} and "
            "report; OpenTelemetry's have their SDK, a batch processor, and an exporter that sends nothing; records that are read "
            f"have their header. Load average before the start {load_average:.1f}."
        ),
        "",
        *HEAD,
    ]

    def median(figure: Callable[[Block], float]) -> str:
        return f"{statistics.median(figure(block) for block in found):,.3g}"

    for work, what in WORKS.items():
        ours, theirs = (
            median(lambda block, n=name, w=work: added(block, w, n) / records * 1e6) for name in (OURS, OTEL)
        )  # type: ignore[misc]
        ratios = [added(block, work, OURS) / added(block, work, OTEL) for block in found]
        lines.append(row(f"{what}: µs added to a record", ours, f"{theirs} ({OTEL})", ratios, BAR))
    lines += [
        "",
        "Records a second in the same blocks:",
        "",
        f"| | {PLAIN} | kwitness | {OTEL} |",
        "| --- | --- | --- | --- |",
    ]
    for work, what in WORKS.items():
        rates = [median(lambda block, n=name, w=work: records / block[w][n]["seconds"]) for name in (PLAIN, OURS, OTEL)]  # type: ignore[misc]
        lines.append(f"| {what} | {' | '.join(rates)} |")
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure and write `interceptors_python.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--records", type=int, default=20_000, help="of each work in a block")
    wanted = parser.parse_args()
    load_average = os.getloadavg()[0]
    theirs = opentelemetry()
    with tempfile.TemporaryDirectory() as name, broker_and_collector() as (bootstrap, collector):
        folder = Path(name)
        variables = intercepted(folder, collector.url, KINDS)
        paths = {
            PLAIN: {},
            OURS: {**variables, "PYTHONPATH": str(injected(folder / "python"))},
            OTEL: {"PYTHONPATH": str(theirs)},
        }
        with ExitStack() as stack:
            command = [sys.executable, CLIENTS / "python/application.py"]
            applications = {
                name: stack.enter_context(Application(command, bootstrap, more)) for name, more in paths.items()
            }
            found = measured(
                applications, list(WORKS), blocks=wanted.blocks, records=wanted.records, warm=wanted.records
            )
        has_counted(collector, wanted.blocks * wanted.records)
    raw = {"kinds": KINDS, "load_average": load_average, "records": wanted.records, "blocks": found}
    write_results(wanted.results, "interceptors_python", raw, section(found, wanted.records, load_average))
    return 0


if __name__ == "__main__":
    sys.exit(main())
