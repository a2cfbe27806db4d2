"""Latency that the observer adds, beside Envoy and Kroxylicious: `make bench-observer`.

Requests are sent when they are due, at half of what the slowest candidate can take; latency counts from the moment a
request was due to its answer. What a relay adds is the difference to direct in the same block. A block in which the
median of direct is more than a quarter away from the usual is dropped.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from functools import partial
from pathlib import Path
from typing import Any

from observer.awake import AWAKE, awake
from observer.blocks import MAX_DRIFT, Block, measured, quiet, warm_up
from observer.load import READING, SMALL, WRITING, Sink, drive
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


def measure(sink: str, blocks: int, seconds: float, warm: float) -> tuple[int, list[Block]]:
    """The rate in requests a second, and the blocks."""
    with awake(), all_started(KINDS, sink) as relays:
        most = []
        for relay in relays:
            warm_up(relay, SMALL, warm)
            saturated = drive(relay.address, seconds=3, batch=SMALL)
            most.append(saturated["requests"] / saturated["seconds"])
        rate = round(min(most) / 2)
        one = partial(_at_rate, seconds=seconds, rate=rate)
        return rate, measured(relays, blocks, f"{rate} requests/s", one, "p99_us")


def _at_rate(relay: Relay, seconds: float, rate: int) -> dict[str, Any]:
    return drive(relay.address, seconds=seconds, batch=SMALL, rate=rate)


def added(block: Block, name: str, quantile: str) -> int:
    """Microseconds that a relay adds."""
    return int(block[name][quantile] - block[DIRECT][quantile])


def section(rate: int, blocks: list[Block], seconds: float, load_average: float) -> str:
    """The page's section."""
    title = "## Observer: added latency beside Envoy and Kroxylicious"
    kept = quiet(blocks, "p50_us")
    if not kept:
        return f"{title}\n\nNot decided: no block was quiet (direct within {MAX_DRIFT:.0%}).\n"
    lines = [
        title,
        "",
        (
            f"{WRITING} connections that produce and {READING} that fetch batches of 4 KiB, {rate:,} requests/s in all when they "
            f"are due (half of the slowest candidate's saturation), blocks of {seconds:g} s of each candidate in random order; "
            f"{len(kept)} of {len(blocks)} blocks kept (direct within {MAX_DRIFT:.0%}). {AWAKE} {VERSIONS}, warm. The observer "
            f"counts and reports; load average before the start {load_average:.1f}."
        ),
        "",
        "| | p50, µs | p99, µs | added p50 | added p99 |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in (DIRECT, OURS, ENVOY, KROXYLICIOUS):
        shown = [statistics.median(block[name][quantile] for block in kept) for quantile in ("p50_us", "p99_us")]
        more = [statistics.median(added(block, name, quantile) for block in kept) for quantile in ("p50_us", "p99_us")]
        cells = [f"{number:,.0f}" for number in shown] + [
            "" if name == DIRECT else f"{number:+,.0f}" for number in more
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", *HEAD]
    slower = [block for block in kept if added(block, KROXYLICIOUS, "p99_us") > 0]
    ours, peer = (statistics.median(added(block, name, "p99_us") for block in kept) for name in (OURS, KROXYLICIOUS))
    ratios = [added(block, OURS, "p99_us") / added(block, KROXYLICIOUS, "p99_us") for block in slower]
    if ratios:
        lines.append(row("added p99, µs", f"{ours:,.0f}", f"{peer:,.0f} ({KROXYLICIOUS})", ratios, at_most(0.35, 0.2)))
    else:
        lines.append(
            f"| added p99, µs | {ours:,.0f} | {peer:,.0f} ({KROXYLICIOUS}) | | not decided: it added nothing |"
        )
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure and write `observer_latency.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each candidate in a block")
    parser.add_argument("--warm", type=float, default=20.0, help="of Kroxylicious")
    options = parser.parse_args()
    load_average = begin()
    with Sink() as sink:
        rate, blocks = measure(sink.address, options.blocks, options.seconds, options.warm)
    raw = {"versions": VERSIONS, "load_average": load_average, "rate": rate, "blocks": blocks}
    write_results(options.results, "observer_latency", raw, section(rate, blocks, options.seconds, load_average))
    return 0


if __name__ == "__main__":
    sys.exit(main())
