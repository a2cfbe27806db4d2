"""CPU of the observer with TLS beside Envoy: `make bench-observer`.

Clients speak TLS in the one half, and the sink as well in the other; otherwise the load is that of the throughput's
64 KiB. Clients and sink speak TLS 1.3 with one cipher suite, so every candidate encrypts alike. Direct is a TLS
connection to the sink.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from functools import partial
from pathlib import Path

from observer.blocks import (
    MAX_DRIFT,
    REQUESTS_PER_S,
    Block,
    compared,
    gigabytes_a_second,
    measured,
    quiet,
    seconds_per_gigabyte,
    turn,
    undecided,
)
from observer.load import BULK, IN_FLIGHT, READING, WRITING, Sink, drive
from observer.relays import (
    DIRECT,
    ENVOY,
    ENVOY_VERSION,
    OURS,
    Direct,
    Envoy,
    Observer,
    Tls,
    all_started,
    begin,
)

from kwitness.bench.bars import HEAD, at_most
from kwitness.bench.results import write_results
from kwitness.e2e.kafka.certificates import make_certificates

ONE_SIDE, BOTH_SIDES = "one side", "both sides"
BARS = {ONE_SIDE: None, BOTH_SIDES: at_most(1.0, 0.75)}


def measure(folder: Path, blocks: int, seconds: float) -> dict[str, list[Block]]:
    """Blocks with TLS on one side and on both."""
    files = make_certificates(folder)
    found: dict[str, list[Block]] = {}
    with Sink() as plain, Sink(files) as secure:
        for sides in BARS:
            tls = Tls(files, to_sink=sides == BOTH_SIDES)
            kinds = (partial(Observer, tls=tls), partial(Envoy, tls=tls))
            sink = secure if tls.to_sink else plain
            with contextlib.ExitStack() as stack:
                relays = stack.enter_context(all_started(kinds, sink.address))
                relays += stack.enter_context(all_started((Direct,), secure.address))
                for relay in relays:
                    drive(relay.address, seconds=1, batch=BULK, authority=files.ca_file)
                one = partial(turn, batch=BULK, seconds=seconds, authority=files.ca_file)
                found[sides] = measured(relays, blocks, f"TLS on {sides}", one, REQUESTS_PER_S)
    return found


def section(found: dict[str, list[Block]], seconds: float, load_average: float) -> str:
    """The page's section."""
    kept = {sides: quiet(blocks) for sides, blocks in found.items()}
    counts = " and ".join(f"{len(kept[sides])} of {len(found[sides])}" for sides in kept)
    title = "## Observer: CPU with TLS beside Envoy"
    if not all(kept.values()):
        return undecided(title)
    lines = [
        title,
        "",
        (
            f"{WRITING} connections that produce and {READING} that fetch batches of 64 KiB, {IN_FLIGHT} requests of each under "
            f"way, TLS 1.3 with AES-256-GCM and a certificate on P-256; TLS with clients on one side, with the sink too on both. "
            f"Blocks of {seconds:g} s of each candidate in random order; {counts} blocks kept (direct within {MAX_DRIFT:.0%}). "
            f"{ENVOY_VERSION}. The observer counts and reports; load average before the start {load_average:.1f}."
        ),
        "",
        *HEAD,
    ]
    for sides, bar in BARS.items():
        what, pair = f"TLS on {sides}", (OURS, ENVOY)
        lines += [
            compared(f"{what}: CPU-s per GB", kept[sides], pair, bar, seconds_per_gigabyte),
            compared(f"{what}: GB/s", kept[sides], pair, None, gigabytes_a_second),
            compared(f"{what}: GB/s", kept[sides], (OURS, DIRECT), None, gigabytes_a_second),
        ]
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure and write `observer_tls.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each candidate in a block")
    options = parser.parse_args()
    load_average = begin()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), options.blocks, options.seconds)
    raw = {"versions": ENVOY_VERSION, "load_average": load_average, "blocks": found}
    write_results(options.results, "observer_tls", raw, section(found, options.seconds, load_average))
    return 0


if __name__ == "__main__":
    sys.exit(main())
