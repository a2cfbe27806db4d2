"""Throughput of Kafka's own producer and consumer through the observer in front of a broker: `make bench-observer`.

`kafka-producer-perf-test` writes records of 1,000 bytes with acks=all, in batches of 64 KiB and of 4 KiB, and
`kafka-consumer-perf-test` reads batches of 64 KiB, directly and through the observer by turns in random order; ratios
are taken within a block. Client, observer and broker share all processors, as they do on a busy machine: what the
observer takes, the other two lack.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from observer.load import BULK, SMALL
from observer.relays import DIRECT, OURS, Observer, prepare

from kwitness.bench.bars import HEAD, at_least, row
from kwitness.bench.results import write_results
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.observer.kafka_tools import Tool

VERSION = "4.3.1"
TOPIC, READ_TOPIC = "bench", "bench-read"
RECORD_BYTES = 1_000
MANY = 1 << 20
"""Bytes of a consumer's Fetch by default."""
READ = 4
"""As many times the records of a producer are read: a consumer is quicker."""
BARS = {
    "bulk": ("producer, 64 KiB", at_least(0.85, 0.95)),
    "small": ("producer, 4 KiB", at_least(0.75, 0.88)),
    "read": ("consumer, 64 KiB", at_least(0.85, 0.95)),
    "read_many": ("consumer, 1 MiB", None),
}
# What was written is soon deleted: a run writes more than disks are asked to keep.
BOUNDED = {"log.segment.bytes": f"{64 << 20}", "log.retention.bytes": f"{128 << 20}"}
_RATE = re.compile(r"([0-9.]+) records/sec")
Blocks = dict[str, list[dict[str, float]]]
"""Records a second by candidate, of every block, by what is done."""


def produced(bootstrap: str, batch: int, records: int, topic: str = TOPIC) -> float:
    """Records a second, as the program says of itself at its end."""
    properties = (f"bootstrap.servers={bootstrap}", "acks=all", f"batch.size={batch}", "linger.ms=5")
    size = ("--num-records", f"{records}", "--record-size", f"{RECORD_BYTES}", "--throughput", "-1")
    with Tool("ProducerPerformance", "--topic", topic, *size, "--command-property", *properties) as tool:
        return float(_RATE.findall(tool.ended())[-1])


def consumed(bootstrap: str, fetch_bytes: int, records: int) -> float:
    """Records a second, without the time until the consumer has its partition, as the program says of itself."""
    arguments = ("--bootstrap-server", bootstrap, "--topic", READ_TOPIC, "--num-records", f"{records}")
    with Tool("ConsumerPerformance", *arguments, "--fetch-size", f"{fetch_bytes}", "--hide-header") as tool:
        return float(tool.ended().strip().splitlines()[-1].rpartition(",")[2])


def fill(broker: LocalBroker, records: int) -> None:
    """Write what consumers read, in batches of 64 KiB, which stays."""
    create = ("--create", "--bootstrap-server", broker.bootstrap, "--topic", READ_TOPIC)
    broker.tool("org.apache.kafka.tools.TopicCommand", *create, "--config", "retention.bytes=-1")
    produced(broker.bootstrap, BULK, records, READ_TOPIC)


def measure(addresses: dict[str, str], blocks: int, records: int) -> Blocks:
    """Both candidates in every block, after one run of each that is not kept."""
    runs: dict[str, Callable[[str], float]] = {
        "bulk": lambda address: produced(address, BULK, records),
        "small": lambda address: produced(address, SMALL, records),
        "read": lambda address: consumed(address, BULK, records * READ),
        "read_many": lambda address: consumed(address, MANY, records * READ),
    }
    found: Blocks = {}
    for name, run in runs.items():
        for address in addresses.values():
            run(address)
        found[name] = []
        for number in range(blocks):
            order = random.sample(list(addresses), len(addresses))
            block = {one: run(addresses[one]) for one in order}
            found[name].append(block)
            shown = ", ".join(f"{key} {rate:,.0f}" for key, rate in block.items())
            print(f"  {name} {number + 1}/{blocks}, records/s: {shown}", flush=True)
    return found


def section(found: Blocks, records: int, load_average: float) -> str:
    """The page's section."""
    blocks = len(next(iter(found.values())))
    lines = [
        "## Observer: throughput in front of a broker",
        "",
        (
            f"`kafka-producer-perf-test` of Kafka {VERSION}, {records:,} records of {RECORD_BYTES:,} bytes with acks=all in each of "
            f"{blocks} blocks, one broker of the same version; `kafka-consumer-perf-test`, {records * READ:,} records in batches of "
            f"64 KiB, of which a Fetch brings one or 1 MiB. Client, observer and broker share both processors; the observer counts and reports. Load "
            f"average before the start {load_average:.1f}."
        ),
        "",
        *HEAD,
    ]
    for name, (what, bar) in BARS.items():
        ours, direct = (statistics.median(block[one] for block in found[name]) / 1e3 for one in (OURS, DIRECT))
        ratios = [block[OURS] / block[DIRECT] for block in found[name]]
        lines.append(row(f"{what}: thousand records/s", f"{ours:,.3g}", f"{direct:,.3g} ({DIRECT})", ratios, bar))
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure and write `observer_broker.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--records", type=int, default=300_000, help="of each candidate in a block")
    options = parser.parse_args()
    load_average = os.getloadavg()[0]
    prepare()
    with tempfile.TemporaryDirectory() as folder, LocalBroker(VERSION, overrides=BOUNDED) as broker:
        observer = Observer(broker.bootstrap, Path(folder))
        try:
            fill(broker, options.records * READ)
            found = measure({DIRECT: broker.bootstrap, OURS: observer.address}, options.blocks, options.records)
        finally:
            observer.stop()
    raw = {"version": VERSION, "load_average": load_average, "blocks": found}
    write_results(options.results, "observer_broker", raw, section(found, options.records, load_average))
    return 0


if __name__ == "__main__":
    sys.exit(main())
