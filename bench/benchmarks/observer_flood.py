"""Answers of the observer while one connection floods it, beside direct, Envoy and Kroxylicious: `make bench-observer`.

One connection writes batches of 64 KiB as fast as they are answered, a hundred of them always waiting. Others send few
requests when they are due, and their latency counts from that moment to the answer.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from functools import partial
from pathlib import Path

from observer.awake import AWAKE, awake
from observer.blocks import Block, Turn, measured, warm_up
from observer.load import BULK, FLOODING, READING, SMALL, WRITING, Flood, Sink, drive
from observer.relays import (
    DIRECT,
    ENVOY,
    KROXYLICIOUS,
    OURS,
    VERSIONS,
    Direct,
    Envoy,
    Kroxylicious,
    Observer,
    Relay,
    all_started,
    begin,
)

from kwitness.bench.bars import HEAD, at_most, row
from kwitness.bench.results import write_results

KINDS = (Direct, Observer, Envoy, Kroxylicious)
RATE = 1_000
"""Requests a second of all connections that do not flood."""
RISE_S = 0.5
"""Until the flood has filled what can be filled."""
MUST, MUST_US, BETTER = 3.0, 5_000, 1.5
"""Of direct's p99, or so many microseconds beyond it."""


def turn(relay: Relay, seconds: float) -> Turn:
    """Latencies of those that do not flood, and requests of the flood."""
    with Flood(relay.address, seconds + 2 * RISE_S) as flood:
        time.sleep(RISE_S)
        found = drive(relay.address, seconds=seconds, batch=SMALL, rate=RATE)
        return {**found, "flood_per_s": flood.requests_per_s()}


def measure(sink: str, blocks: int, seconds: float, warm: float) -> list[Block]:
    """Blocks of all candidates."""
    with awake(), all_started(KINDS, sink) as relays:
        for relay in relays:
            warm_up(relay, BULK, warm)
        return measured(relays, blocks, "flood", partial(turn, seconds=seconds), "p99_us")


def section(blocks: list[Block], seconds: float, load_average: float) -> str:
    """The page's section."""
    middle = {
        name: [
            statistics.median(block[name][figure] for block in blocks) for figure in ("p50_us", "p99_us", "flood_per_s")
        ]
        for name in (DIRECT, OURS, ENVOY, KROXYLICIOUS)
    }
    lines = [
        "## Observer: answers beside a flood on one connection",
        "",
        (
            f"One connection writes batches of 64 KiB, {FLOODING} of them always waiting; {WRITING} that produce and {READING} "
            f"that fetch 4 KiB send {RATE:,} requests/s in all when they are due. {len(blocks)} blocks of {seconds:g} s of each "
            f"candidate in random order. {AWAKE} {VERSIONS}, warm. The observer counts and reports; load average before the start "
            f"{load_average:.1f}."
        ),
        "",
        "| | p50, µs | p99, µs | batches/s of the flood |",
        "| --- | --- | --- | --- |",
        *(f"| {name} | {p50:,.0f} | {p99:,.0f} | {flood:,.0f} |" for name, (p50, p99, flood) in middle.items()),
        "",
        *HEAD,
    ]
    _, direct, _ = middle[DIRECT]
    bar = at_most(max(MUST, (direct + MUST_US) / direct), BETTER)
    for name in (OURS, ENVOY, KROXYLICIOUS):
        ratios = [block[name]["p99_us"] / block[DIRECT]["p99_us"] for block in blocks]
        what = "p99, µs" if name == OURS else f"p99, µs, of {name}"
        shown = (f"{middle[name][1]:,.0f}", f"{direct:,.0f} ({DIRECT})")
        lines.append(row(what, *shown, ratios, bar if name == OURS else None))
    lines += ["", f"The bar is {MUST:g} times direct's p99, or {MUST_US / 1e3:g} ms more where that is more."]
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure and write `observer_flood.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each candidate in a block")
    parser.add_argument("--warm", type=float, default=20.0, help="of Kroxylicious")
    options = parser.parse_args()
    load_average = begin()
    with Sink() as sink:
        blocks = measure(sink.address, options.blocks, options.seconds, options.warm)
    raw = {"versions": VERSIONS, "load_average": load_average, "rate": RATE, "blocks": blocks}
    write_results(options.results, "observer_flood", raw, section(blocks, options.seconds, load_average))
    return 0


if __name__ == "__main__":
    sys.exit(main())
