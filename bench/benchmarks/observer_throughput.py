"""Throughput and CPU of the observer beside nothing, Envoy and Kroxylicious: `make bench-observer`.

Two clients write and two read over connections that are kept busy, batches of 64 KiB and of 4 KiB, against a sink that
answers as a broker does. Every block has a turn of each candidate, in random order; ratios are taken within a block. A
block in which direct is more than a quarter away from its median is dropped.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from functools import partial
from pathlib import Path

from observer.blocks import (
    MAX_DRIFT,
    REQUESTS_PER_S,
    Block,
    compared,
    gigabytes_a_second,
    measured,
    microseconds_per_request,
    quiet,
    seconds_per_gigabyte,
    thousand_requests_a_second,
    turn,
    undecided,
    warm_up,
)
from observer.load import BULK, IN_FLIGHT, READING, SMALL, WRITING, Sink
from observer.relays import (
    DIRECT,
    ENVOY,
    KROXYLICIOUS,
    OURS,
    UNCOUNTED,
    VERSIONS,
    Direct,
    Envoy,
    Kroxylicious,
    Observer,
    Uncounted,
    all_started,
    begin,
)

from kwitness.bench.bars import HEAD, at_least, at_most
from kwitness.bench.results import write_results

KINDS = (Direct, Observer, Uncounted, Envoy, Kroxylicious)


def measure(sink: str, blocks: int, seconds: float, warm: float) -> dict[str, list[Block]]:
    """Blocks by size of batch."""
    found: dict[str, list[Block]] = {}
    with all_started(KINDS, sink) as relays:
        for name, batch in (("bulk", BULK), ("small", SMALL)):
            for relay in relays:
                warm_up(relay, batch, warm)
            one = partial(turn, batch=batch, seconds=seconds)
            found[name] = measured(relays, blocks, name, one, REQUESTS_PER_S)
    return found


def section(found: dict[str, list[Block]], seconds: float, warm: float, load_average: float) -> str:
    """The page's section."""
    kept = {name: quiet(blocks) for name, blocks in found.items()}
    counts = " and ".join(f"{len(kept[name])} of {len(found[name])}" for name in kept)
    title = "## Observer: throughput and CPU beside Envoy and Kroxylicious"
    if not all(kept.values()):
        return undecided(title)
    lines = [
        title,
        "",
        (
            f"{WRITING} connections that produce and {READING} that fetch, {IN_FLIGHT} requests of each under way, blocks of "
            f"{seconds:g} s of each candidate in random order; {counts} blocks kept (direct within {MAX_DRIFT:.0%}). {VERSIONS}, "
            f"warmed for {warm:g} s. The observer counts and reports; load average before the start {load_average:.1f}."
        ),
        "",
        *HEAD,
    ]

    throughput, rate = gigabytes_a_second, thousand_requests_a_second
    bulk, small = seconds_per_gigabyte, microseconds_per_request
    for what, size, peer, bar, figure in (
        ("64 KiB: GB/s", "bulk", DIRECT, at_least(0.68, 0.8), throughput),
        ("4 KiB: thousand requests/s", "small", DIRECT, at_least(0.75, 0.88), rate),
        ("4 KiB: thousand requests/s", "small", KROXYLICIOUS, at_least(1.0, 1.0), rate),
        ("64 KiB: CPU-s per GB", "bulk", ENVOY, at_most(1.0, 0.75), bulk),
        ("4 KiB: CPU-µs per request", "small", ENVOY, at_most(0.85, 0.75), small),
        ("4 KiB: CPU-µs per request", "small", KROXYLICIOUS, at_most(0.72, 0.65), small),
        ("64 KiB: CPU-s per GB", "bulk", UNCOUNTED, at_most(1.03, 1.02), bulk),
        ("4 KiB: CPU-µs per request", "small", UNCOUNTED, at_most(1.03, 1.02), small),
    ):
        lines.append(compared(what, kept[size], (OURS, peer), bar, figure))

    def kept_of_direct(name: str, size: str) -> str:
        ratios = [block[name][REQUESTS_PER_S] / block[DIRECT][REQUESTS_PER_S] for block in kept[size]]
        return f"{statistics.median(ratios):.2f}"

    peers = " and ".join(
        f"{name} keeps {kept_of_direct(name, 'bulk')} (64 KiB) and {kept_of_direct(name, 'small')} (4 KiB)"
        for name in (ENVOY, KROXYLICIOUS)
    )
    lines += ["", f"The sink answers at once and stores nothing, as no broker can. Of direct's throughput {peers}."]
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure and write `observer_throughput.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each candidate in a block")
    parser.add_argument("--warm", type=float, default=20.0, help="of Kroxylicious with each size of batch")
    options = parser.parse_args()
    load_average = begin()
    with Sink() as sink:
        found = measure(sink.address, options.blocks, options.seconds, options.warm)
    raw = {"versions": VERSIONS, "load_average": load_average, "blocks": found}
    write_results(
        options.results, "observer_throughput", raw, section(found, options.seconds, options.warm, load_average)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
