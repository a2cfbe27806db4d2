"""CPU of the observer's first seconds under load, beside Envoy's and Kroxylicious's: `make bench-observer`.

Each round starts every candidate again, in random order, and loads it as soon as it listens. A virtual machine compiles
itself during that time; the table of throughput has it warm.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from observer.load import BULK, Sink, drive
from observer.relays import ENVOY, KROXYLICIOUS, OURS, VERSIONS, Envoy, Kroxylicious, Observer, begin, started

from kwitness.bench.bars import HEAD, at_most, row
from kwitness.bench.paired_measurement import cpu_seconds
from kwitness.bench.results import write_results

KINDS = (Observer, Envoy, Kroxylicious)


def measure(sink: str, rounds: int, seconds: float) -> list[dict[str, float]]:
    """CPU-seconds per GB of each candidate, by round."""
    found: list[dict[str, float]] = []
    for number in range(rounds):
        one: dict[str, float] = {}
        for turn in range(len(KINDS)):
            kind = KINDS[(number + turn) % len(KINDS)]
            with started(kind, sink) as relay:
                before = cpu_seconds(relay.pid)
                passed = drive(relay.address, seconds=seconds, batch=BULK)
                one[relay.name] = (cpu_seconds(relay.pid) - before) / passed["bytes"] * 1e9
        found.append(one)
        shown = ", ".join(f"{key} {value:.2f}" for key, value in one.items())
        print(f"  {number + 1}/{rounds}, CPU-s per GB: {shown}", flush=True)
    return found


def section(found: list[dict[str, float]], seconds: float, load_average: float) -> str:
    """The page's section."""
    lines = [
        f"## Observer: the first {seconds:g} s beside Envoy and Kroxylicious",
        "",
        (
            f"Batches of 64 KiB as soon as a new process listens, {len(found)} rounds in changing order. {VERSIONS}. "
            f"The observer counts and reports; load average before the start {load_average:.1f}."
        ),
        "",
        *HEAD,
    ]
    middles = {name: statistics.median(one[name] for one in found) for name in found[0]}
    for peer, bar in ((KROXYLICIOUS, at_most(0.15, 0.1)), (ENVOY, at_most(1.0, 0.75))):
        ratios = [one[OURS] / one[peer] for one in found]
        lines.append(row("CPU-s per GB", f"{middles[OURS]:.3g}", f"{middles[peer]:.3g} ({peer})", ratios, bar))
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure and write `observer_start.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    load_average = begin()
    with Sink() as sink:
        found = measure(sink.address, options.rounds, options.seconds)
    raw = {"versions": VERSIONS, "load_average": load_average, "cpu_s_per_gb": found}
    write_results(options.results, "observer_start", raw, section(found, options.seconds, load_average))
    return 0


if __name__ == "__main__":
    sys.exit(main())
