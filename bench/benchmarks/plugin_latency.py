"""Produce latency of a broker whose plugin's collector never answers, beside the same broker without the plugin.

Candidates: `none` (no plugin), `discard` (the plugin passive: the broker handles the same pushes, the plugin drops
them at once) and `black hole` (the plugin active, its collector accepts connections and never answers, its queue full,
so that every push drops an older one). `black hole / discard` is what the plugin itself costs a producer.

Each broker is pinned to core 1, producers to core 0. Twenty clients push every 100 ms to the broker whose slice runs;
those of the others are stopped meanwhile. Records are sent open-loop at half of the slowest candidate's saturation,
one per request; latency counts from the intended time of sending to the acknowledgement by the broker.

A block is several rounds of one short slice for each candidate, in random order: what else the machine does for some
seconds meets all candidates alike. The ratio is taken per block, from all latencies of its slices. A block in which
`none` differs by more than a quarter from its own median over all blocks is dropped, and another one is measured, up
to twice as many as wanted. The bar is met or missed when the interval of the ratio lies on one side of it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import random
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import confluent_kafka
from confluent_kafka import Producer

from kwitness.bench.paired_measurement import COMPONENT_CORE, GENERATOR_CORE, interval, pin
from kwitness.bench.results import write_results
from kwitness.e2e.kafka.broker_plugin import plugin_jar
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.sandbox.subscription import subscribe

VERSION = "4.3.1"
CANDIDATES = ("none", "discard", "black hole")
PUSHING_CLIENTS = 20
JVM = ("-Xmx512m", "-XX:+UseSerialGC")
SETTLE_S = 0.3
MAX_DRIFT = 0.25
MIN_BLOCKS = 10
ROUNDS = 5
MEASURED = {"CPU of request threads": "cpu_s", "p50": "p50_ms", "p99": "p99_ms"}
BAR = 1.20  # "as without the plugin", with the slack for noise of performance.md

PUSHERS = """
import sys, time
from confluent_kafka import Producer
clients = [Producer({"bootstrap.servers": sys.argv[1], "client.id": f"pusher-{n}", "log_level": "3"})
           for n in range(int(sys.argv[2]))]
for client in clients:
    client.produce("warm", b"x")
    client.flush(10)
while True:
    time.sleep(1)
"""


class Candidate:
    """A broker, its pushing clients and the producer that is measured."""

    def __init__(self, name: str, black_hole: str) -> None:
        self.name = name
        settings = {
            "kwitness.collector.url": black_hole if name == "black hole" else "passive on purpose",
            "kwitness.collector.insecure.plaintext": "true",
            "kwitness.queue.max.bytes": "1048576",
        }
        plugin = None if name == "none" else plugin_jar()
        self.broker = LocalBroker(VERSION, plugin=plugin, overrides=settings if plugin else None, jvm_options=JVM)
        self.pushers: subprocess.Popen[bytes] | None = None
        self.producer: Producer | None = None

    def start(self) -> None:
        """Start the broker on its core and its pushing clients."""
        self.broker.start()
        pid = self.broker.process.pid
        pin(pid, COMPONENT_CORE)
        if self.name != "none":
            subscribe(self.broker.bootstrap, "kwitness.bench", interval_ms=100)
        command = [sys.executable, "-c", PUSHERS, self.broker.bootstrap, str(PUSHING_CLIENTS)]
        self.pushers = subprocess.Popen(command, start_new_session=True)
        settings = {
            "bootstrap.servers": self.broker.bootstrap,
            "client.id": "measured",
            "linger.ms": 0,
            "acks": "all",
            "enable.metrics.push": False,
        }
        self.producer = Producer(settings)

    def stop(self) -> None:
        """End everything."""
        self.producer = None
        if self.pushers is not None:
            self.signal(signal.SIGKILL)
            self.pushers.wait()
        self.broker.stop()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the pushing clients."""
        if self.pushers is not None:
            os.killpg(self.pushers.pid, number)

    @contextlib.contextmanager
    def running(self) -> Iterator[Producer]:
        """The pushing clients of this candidate alone run inside the block."""
        if self.producer is None:
            raise RuntimeError(f"{self.name} was not started")
        self.signal(signal.SIGCONT)
        time.sleep(SETTLE_S)
        try:
            yield self.producer
        finally:
            self.signal(signal.SIGSTOP)


def saturation(producer: Producer, seconds: float) -> float:
    """Records acknowledged per second with one in flight."""
    end = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < end:
        producer.produce("bench", b"x" * 100)
        producer.flush(10)
        number += 1
    return number / seconds


def open_loop(producer: Producer, rate: float, seconds: float) -> list[float]:
    """Latencies in milliseconds from the intended time of sending."""
    latencies: list[float] = []
    start = time.perf_counter() + 0.05
    for number in range(int(rate * seconds)):
        intended = start + number / rate
        while (left := intended - time.perf_counter()) > 0:
            producer.poll(left)

        def acknowledged(error: Any, _message: Any, intended: float = intended) -> None:
            if error is None:
                latencies.append((time.perf_counter() - intended) * 1000)

        producer.produce("bench", b"x" * 100, on_delivery=acknowledged)
    producer.flush(10)
    return latencies


def quantile(values: list[float], share: float) -> float:
    """The value below which a share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


Row = dict[str, Any]
"""What one candidate showed in one block."""


def measure(
    candidates: list[Candidate], wanted: int, seconds: float, warm: float
) -> tuple[float, list[dict[str, Row]]]:
    """Warm each candidate, then measure blocks until as many as wanted were quiet, or twice as many were tried."""
    slowest = float("inf")
    for candidate in candidates:
        with candidate.running() as producer:
            saturation(producer, warm)
            slowest = min(slowest, saturation(producer, 3))
    rate = slowest / 2
    blocks: list[dict[str, Row]] = []
    while len(quiet(blocks)) < wanted and len(blocks) < 2 * wanted:
        blocks.append(one_block(candidates, rate, seconds))
        shown = ", ".join(f"{name} {row['p50_ms']:.3f} / {row['p99_ms']:.3f}" for name, row in blocks[-1].items())
        print(f"  block {len(blocks)}, {len(quiet(blocks))} quiet; p50 / p99 in ms: {shown}", flush=True)
    return rate, blocks


def one_block(candidates: list[Candidate], rate: float, seconds: float) -> dict[str, Row]:
    """Measure every candidate for some seconds, in `ROUNDS` slices that take turns in random order."""
    latencies: dict[str, list[float]] = {candidate.name: [] for candidate in candidates}
    cpu = dict.fromkeys(latencies, 0.0)
    for _ in range(ROUNDS):
        for candidate in random.sample(candidates, len(candidates)):
            pid = candidate.broker.process.pid or 0
            with candidate.running() as producer:
                before = serving_seconds(pid)
                latencies[candidate.name] += open_loop(producer, rate, seconds / ROUNDS)
                cpu[candidate.name] += serving_seconds(pid) - before
    return {
        name: {
            "records": len(values),
            "p50_ms": quantile(values, 0.5),
            "p99_ms": quantile(values, 0.99),
            "cpu_s": cpu[name],
        }
        for name, values in latencies.items()
    }


def quiet(blocks: list[dict[str, Row]]) -> list[dict[str, Row]]:
    """The blocks in which the broker without the plugin was about as quick as it usually is."""
    if not blocks:
        return []
    usual = statistics.median(block["none"]["p50_ms"] for block in blocks)
    return [block for block in blocks if abs(block["none"]["p50_ms"] / usual - 1) <= MAX_DRIFT]


def verdict(key: str, kept: list[dict[str, Row]]) -> str:
    """Whether the plugin with a black hole costs a producer no more than one that drops at once."""
    if len(kept) < MIN_BLOCKS:
        return f"not decided, since only {len(kept)} blocks were quiet and {MIN_BLOCKS} are needed"
    _, low, high = interval([block["black hole"][key] / block["discard"][key] for block in kept])
    if high <= BAR:
        return "met"
    return "missed" if low > BAR else "not decided, since the interval holds the bar"


def section(rate: float, load: float, blocks: list[dict[str, Row]]) -> str:
    """The results as a section of the benchmarks' page."""
    kept = quiet(blocks)
    setting = (
        f"Kafka {VERSION} on Java {java_version()}, confluent-kafka {confluent_kafka.__version__}, "
        f"{PUSHING_CLIENTS} clients pushing every 100 ms, {rate:.0f} records/s open-loop (half of the slowest "
        f"candidate's saturation), {len(kept)} of {len(blocks)} blocks kept (no plugin within 25 %), each of "
        f"{ROUNDS} slices per candidate in random order; load average before the start {load:.1f}."
    )
    lines = [
        "## Broker plugin: produce latency with a collector that never answers",
        "",
        setting,
        "",
        f"| Ratio | {' | '.join(f'{what} (95 % interval)' for what in MEASURED)} | added p50 | added p99 |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for upper, lower in (("black hole", "discard"), ("black hole", "none"), ("discard", "none")):
        cells = []
        for key in MEASURED.values():
            middle, low, high = interval([block[upper][key] / block[lower][key] for block in kept])
            cells.append(f"{middle:.3f} ({low:.3f} to {high:.3f})")
        cells += [
            f"{statistics.median(block[upper][key] - block[lower][key] for block in kept):+.3f} ms"
            for key in ("p50_ms", "p99_ms")
        ]
        lines.append(f"| {upper} / {lower} | {' | '.join(cells)} |")
    lines += ["", f"Bar: black hole / discard at most {BAR:.2f} (equal, with 20 % slack for noise):"]
    lines += [f"at p50 {verdict('p50_ms', kept)}; at p99 {verdict('p99_ms', kept)}."]
    lines += ["`none` handles no pushes at all, so the last two rows contain Kafka's own work for telemetry.", ""]
    return "\n".join(lines)


def serving_seconds(pid: int) -> float:
    """Time on a processor so far of the threads that serve requests, and of the plugin's own.

    The rest of the process is left out: what Java's compilers do at a moment differs by more than what is measured.
    """
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().startswith(("data-plane", "kwitness")):
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def java_version() -> str:
    """The version of the Java the brokers run on."""
    text = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    return text.split('"')[1]


def main() -> int:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder for plugin_latency.json and .md")
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each candidate in a block")
    parser.add_argument("--warm", type=float, default=40.0)
    wanted = parser.parse_args()
    load = os.getloadavg()[0]
    os.sched_setaffinity(0, {GENERATOR_CORE})
    with socket.create_server(("127.0.0.1", 0), backlog=64) as black_hole, contextlib.ExitStack() as stack:
        url = f"http://127.0.0.1:{black_hole.getsockname()[1]}"
        candidates = [Candidate(name, url) for name in CANDIDATES]
        for candidate in candidates:
            stack.callback(candidate.stop)
            candidate.start()
            time.sleep(3)
            candidate.signal(signal.SIGSTOP)
        rate, blocks = measure(candidates, wanted.blocks, wanted.seconds, wanted.warm)
    wanted.results.mkdir(parents=True, exist_ok=True)
    raw = {
        "kafka": VERSION,
        "java": java_version(),
        "python": platform.python_version(),
        "rate": rate,
        "load": load,
        "blocks": blocks,
    }
    write_results(wanted.results, "plugin_latency", raw, section(rate, load, blocks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
