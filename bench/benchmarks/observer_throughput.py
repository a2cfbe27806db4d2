"""Throughput and CPU of the observer beside nothing, Envoy and Kroxylicious: `make bench-observer`.

Two clients write and two read over connections that are kept busy, batches of 64 KiB and of 4 KiB, against a sink that
answers as a broker does. Every block has a turn of each candidate, in random order; ratios are taken within a block. A
block in which direct is more than a quarter away from its median is dropped.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from observer.load import BULK, IN_FLIGHT, READING, SMALL, WRITING, Sink, drive
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
    Relay,
    Uncounted,
    all_started,
    prepare,
    shuffled,
)

from kwitness.bench.bars import HEAD, at_least, at_most, row
from kwitness.bench.paired_measurement import GENERATOR_CORE, cpu_seconds
from kwitness.bench.results import write_results

KINDS = (Direct, Observer, Uncounted, Envoy, Kroxylicious)
MAX_DRIFT = 0.25
Block = dict[str, dict[str, Any]]
"""What each candidate showed in one block."""


def turn(relay: Relay, batch: int, seconds: float) -> dict[str, Any]:
    """One candidate under load: what was passed, and what of the processor its process took."""
    before = cpu_seconds(relay.pid) if relay.pid else 0.0
    found = drive(relay.address, seconds=seconds, batch=batch)
    cpu = cpu_seconds(relay.pid) - before if relay.pid else 0.0
    return {**found, "cpu_s": cpu, "requests_per_s": found["requests"] / found["seconds"]}


def quiet(blocks: list[Block]) -> list[Block]:
    """The blocks in which direct was about as quick as it usually is."""
    usual = statistics.median(block[DIRECT]["requests_per_s"] for block in blocks)
    return [block for block in blocks if abs(block[DIRECT]["requests_per_s"] / usual - 1) <= MAX_DRIFT]


def measure(sink: str, blocks: int, seconds: float, warm: float) -> dict[str, list[Block]]:
    """Blocks by size of batch."""
    found: dict[str, list[Block]] = {}
    with all_started(KINDS, sink) as relays:
        for name, batch in (("bulk", BULK), ("small", SMALL)):
            for relay in relays:
                drive(relay.address, seconds=warm if relay.name == KROXYLICIOUS else 1, batch=batch)
            found[name] = []
            for number in range(blocks):
                block = {relay.name: turn(relay, batch, seconds) for relay in shuffled(relays)}
                found[name].append(block)
                shown = ", ".join(f"{key} {one['requests_per_s']:,.0f}" for key, one in block.items())
                print(f"  {name} {number + 1}/{blocks}, requests/s: {shown}", flush=True)
    return found


def section(found: dict[str, list[Block]], seconds: float, warm: float, load_average: float) -> str:
    """The page's section."""
    kept = {name: quiet(blocks) for name, blocks in found.items()}
    counts = " and ".join(f"{len(kept[name])} of {len(found[name])}" for name in kept)
    title = "## Observer: throughput and CPU beside Envoy and Kroxylicious"
    if not all(kept.values()):
        return f"{title}\n\nNot decided: too few blocks were quiet (direct within {MAX_DRIFT:.0%}).\n"
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

    def compare(
        what: str, name: str, pair: tuple[str, str], bar: Any, figure: Callable[[dict[str, Any]], float]
    ) -> None:
        ours, peer = pair
        middles = [statistics.median(figure(block[one]) for block in kept[name]) for one in pair]
        ratios = [figure(block[ours]) / figure(block[peer]) for block in kept[name]]
        shown = f"{middles[1]:,.3g} ({peer})"
        lines.append(row(what, f"{middles[0]:,.3g}", shown, ratios, bar))

    def gigabytes_a_second(one: dict[str, Any]) -> float:
        return float(one["bytes"] / one["seconds"] / 1e9)

    def thousand_requests_a_second(one: dict[str, Any]) -> float:
        return float(one["requests_per_s"] / 1e3)

    def seconds_per_gigabyte(one: dict[str, Any]) -> float:
        return float(one["cpu_s"] / one["bytes"] * 1e9)

    def microseconds_per_request(one: dict[str, Any]) -> float:
        return float(one["cpu_s"] / one["requests"] * 1e6)

    compare("64 KiB: GB/s", "bulk", (OURS, DIRECT), at_least(0.85, 0.92), gigabytes_a_second)
    small = thousand_requests_a_second
    compare("4 KiB: thousand requests/s", "small", (OURS, DIRECT), at_least(0.75, 0.88), small)
    compare("4 KiB: thousand requests/s", "small", (OURS, KROXYLICIOUS), at_least(1.0, 1.0), small)
    compare("64 KiB: CPU-s per GB", "bulk", (OURS, ENVOY), at_most(1.0, 0.75), seconds_per_gigabyte)
    small = microseconds_per_request
    compare("4 KiB: CPU-µs per request", "small", (OURS, ENVOY), at_most(0.9, 0.75), small)
    compare("4 KiB: CPU-µs per request", "small", (OURS, KROXYLICIOUS), at_most(0.9, 0.6), small)
    compare("64 KiB: CPU-s per GB", "bulk", (OURS, UNCOUNTED), at_most(1.05, 1.02), seconds_per_gigabyte)
    compare("4 KiB: CPU-µs per request", "small", (OURS, UNCOUNTED), at_most(1.05, 1.02), small)

    def kept_of_direct(name: str, size: str) -> str:
        ratios = [block[name]["requests_per_s"] / block[DIRECT]["requests_per_s"] for block in kept[size]]
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
    wanted = parser.parse_args()
    load_average = os.getloadavg()[0]
    prepare()
    os.sched_setaffinity(0, {GENERATOR_CORE})
    with Sink() as sink:
        found = measure(sink.address, wanted.blocks, wanted.seconds, wanted.warm)
    raw = {"versions": VERSIONS, "load_average": load_average, "blocks": found}
    write_results(wanted.results, "observer_throughput", raw, section(found, wanted.seconds, wanted.warm, load_average))
    return 0


if __name__ == "__main__":
    sys.exit(main())
