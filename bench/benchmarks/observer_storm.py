"""Clients that all reconnect at once through the observer, beside direct and Envoy: `make bench-observer`.

A thousand clients close their connections and connect again at the same time; a storm lasts until the last of them has
the answers to what clients ask first, and to a request of 4 KiB. In the other half clients and sink speak TLS.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

from observer.blocks import Block, Turn, compared, measured
from observer.load import Sink, storm
from observer.relays import (
    DIRECT,
    ENVOY,
    ENVOY_VERSION,
    OURS,
    Direct,
    Envoy,
    Observer,
    Relay,
    Tls,
    all_started,
    begin,
)

from kwitness.bench.bars import HEAD
from kwitness.bench.paired_measurement import cpu_seconds
from kwitness.bench.results import write_results
from kwitness.e2e.kafka.certificates import make_certificates

PLAIN, SECURE = "plaintext", "TLS on both sides"


def turn(relay: Relay, clients: int, storms: int, authority: Path | None) -> Turn:
    """Seconds of the usual storm, and the processor's time for each connection, the first ones too."""
    before = cpu_seconds(relay.pid) if relay.pid else 0.0
    seconds = storm(relay.address, clients, storms, authority)
    cpu = cpu_seconds(relay.pid) - before if relay.pid else 0.0
    return {"served_s": statistics.median(seconds), "storms_s": seconds, "cpu_us": cpu / clients / (storms + 1) * 1e6}


def measure(folder: Path, blocks: int, clients: int, storms: int) -> dict[str, list[Block]]:
    """Blocks in plaintext and with TLS."""
    files = make_certificates(folder)
    found: dict[str, list[Block]] = {}
    for name, tls in ((PLAIN, None), (SECURE, Tls(files, to_sink=True))):
        with contextlib.ExitStack() as stack:
            sink = stack.enter_context(Sink(files if tls else None))
            kinds = (Direct, partial(Observer, tls=tls), partial(Envoy, tls=tls))
            relays = stack.enter_context(all_started(kinds, sink.address))
            one = partial(turn, clients=clients, storms=storms, authority=files.ca_file if tls else None)
            found[name] = measured(relays, blocks, name, one, "served_s")
    return found


def section(found: dict[str, list[Block]], clients: int, storms: int, load_average: float) -> str:
    """The page's section."""
    lines = [
        "## Observer: clients that reconnect at once, beside Envoy",
        "",
        (
            f"{clients:,} clients close and connect again at the same time, {storms} times of each candidate in each of "
            f"{len(found[PLAIN])} blocks in random order; served is a client that has the answers to ApiVersions, Metadata and a "
            f"Produce of 4 KiB. {ENVOY_VERSION}. The observer counts and reports; load average before the start "
            f"{load_average:.1f}."
        ),
        "",
        *HEAD,
    ]
    for name, blocks in found.items():
        for peer in (ENVOY, DIRECT):
            pair = (OURS, peer)
            lines.append(compared(f"{name}: s until all are served", blocks, pair, None, lambda turn: turn["served_s"]))
        pair = (OURS, ENVOY)
        lines.append(compared(f"{name}: CPU-µs per connection", blocks, pair, None, lambda turn: turn["cpu_us"]))
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure and write `observer_storm.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--clients", type=int, default=1_000)
    parser.add_argument("--storms", type=int, default=5, help="of each candidate in a block")
    options = parser.parse_args()
    load_average = begin()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), options.blocks, options.clients, options.storms)
    raw = {"versions": ENVOY_VERSION, "load_average": load_average, "clients": options.clients, "blocks": found}
    write_results(options.results, "observer_storm", raw, section(found, options.clients, options.storms, load_average))
    return 0


if __name__ == "__main__":
    sys.exit(main())
