"""Resident memory of the observer beside Envoy's and Kroxylicious's: `make bench-observer`.

With a thousand connections that have asked what clients ask first and nothing since; and how much it grows, at most,
while one Fetch brings 64 MB. And the most that is resident while ten thousand connections are busy, if the limit of
open files has room for so many: a relay has two files for each.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import Any

from observer.load import SMALL, Busy, Idle, Sink, drive
from observer.relays import ENVOY, KROXYLICIOUS, OURS, VERSIONS, Envoy, Kroxylicious, Observer, begin, started

from kwitness.bench.bars import HEAD, at_most, row
from kwitness.bench.paired_measurement import resident_mb
from kwitness.bench.results import write_results

KINDS = (Observer, Envoy, Kroxylicious)
FETCHED = 64_000_000
BUSY_KINDS = (Observer, Envoy)
BUSY_S = 10.0
OWN_FILES = 200
"""Of a relay, at most, beside those of connections."""
RESET_PEAK = "5"
"""What `/proc/<pid>/clear_refs` takes for it."""


def peak_mb(process: int) -> float:
    """The most that was resident since the peak was reset, in MB (10^6 bytes)."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024 / 1e6


def measure(sink: str, connections: int) -> dict[str, dict[str, float]]:
    """MB of each candidate."""
    found: dict[str, dict[str, float]] = {}
    for kind in KINDS:
        with started(kind, sink) as relay, Idle(relay.address, connections):
            time.sleep(2)  # what is counted by the second is counted
            idle = resident_mb(relay.pid)
        with started(kind, sink) as relay:
            drive(relay.address, seconds=1, batch=SMALL)
            Path(f"/proc/{relay.pid}/clear_refs").write_text(RESET_PEAK)
            before = resident_mb(relay.pid)
            one = {"produce": 0, "fetch": 1, "in-flight": 1}
            passed = drive(relay.address, seconds=0.001, batch=FETCHED, **one)
            grown = peak_mb(relay.pid) - before
        found[relay.name] = {"idle_mb": idle, "grown_mb": grown, "fetches": passed["requests"]}
        print(f"  {relay.name}: {idle:.1f} MB idle, {grown:.2f} MB more while 64 MB pass", flush=True)
    return found


def measure_busy(sink: str, connections: int) -> dict[str, dict[str, float]]:
    """The most MB of each candidate while all connections are answered, and how often each was."""
    found: dict[str, dict[str, float]] = {}
    for kind in BUSY_KINDS:
        with started(kind, sink) as relay, Busy(relay.address, connections, BUSY_S) as busy:
            answered = busy.found()
            found[relay.name] = {"peak_mb": peak_mb(relay.pid), **answered}
        print(f"  {relay.name}: {found[relay.name]['peak_mb']:.1f} MB, {answered['rounds']} rounds", flush=True)
    return found


def most_connections(number: int) -> int:
    """So many, or as many as a relay may have files for, once the soft limit is the hard one."""
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    return min(number, (files - OWN_FILES) // 2)


def section(
    found: dict[str, dict[str, float]], connections: int, busy: dict[str, dict[str, float]], busy_connections: int
) -> str:
    """The page's section."""
    ours, envoy, kroxylicious = (found[name] for name in (OURS, ENVOY, KROXYLICIOUS))
    lines = ["## Observer: resident memory beside Envoy and Kroxylicious", "", f"{VERSIONS}.", "", *HEAD]

    def compare(peer: dict[str, float], name: str, bar: Any) -> None:
        what = f"MB with {connections:,} idle connections"
        ratio = ours["idle_mb"] / peer["idle_mb"]
        lines.append(row(what, f"{ours['idle_mb']:.1f}", f"{peer['idle_mb']:.1f} ({name})", [ratio], bar))

    compare(kroxylicious, KROXYLICIOUS, at_most(0.06, 0.03))
    compare(envoy, ENVOY, at_most(0.12, 0.08))
    beside = f"{envoy['grown_mb']:.2f} ({ENVOY}), {kroxylicious['grown_mb']:.2f} ({KROXYLICIOUS})"
    grown = ours["grown_mb"]
    lines.append(
        f"| MB more while one Fetch brings 64 MB | {grown:.2f} | {beside} | {grown:.2f} MB | {at_most(1, 0.256).judged(grown)} |"
    )
    most, peer = busy[OURS], busy[ENVOY]
    lines.append(
        f"| MB at most with {busy_connections:,} busy connections | {most['peak_mb']:.1f} | {peer['peak_mb']:.1f} ({ENVOY}) "
        f"| {most['peak_mb']:.1f} MB | {at_most(512, 256).judged(most['peak_mb'])} |"
    )
    rates = {name: one["requests"] / one["seconds"] for name, one in busy.items()}
    lines += [
        "",
        (
            f"Busy connections have a client id each, and each has a request of 4 KiB under way at any time; each was answered "
            f"{most['rounds']:,.0f} times in {most['seconds']:.0f} s ({rates[OURS]:,.0f} requests/s in all) and through {ENVOY} "
            f"{peer['rounds']:,.0f} times ({rates[ENVOY]:,.0f} requests/s)."
        ),
    ]
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure and write `observer_memory.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--connections", type=int, default=1_000)
    parser.add_argument("--busy", type=int, default=10_000, help="connections")
    options = parser.parse_args()
    begin()
    many = most_connections(options.busy)
    with Sink() as sink:
        found = measure(sink.address, options.connections)
        busy = measure_busy(sink.address, many)
    raw = {"versions": VERSIONS, "connections": options.connections, "memory": found, "busy": busy}
    write_results(options.results, "observer_memory", raw, section(found, options.connections, busy, many))
    return 0


if __name__ == "__main__":
    sys.exit(main())
