"""Times of the console's pages over HTTP, and what reading a collector again and again takes: `make bench-console`.

The console is a process on a core of its own. Pages are those that show clients, topics and connections, of an index
of the fleet that budgets are stated for; a browser requests them in random order, on a connection that stays open.
Refills are those of a second console, which reads a real collector whose clients push again all the time.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import requests

from kwitness.bench.paired_measurement import COMPONENT_CORE, GENERATOR_CORE, cpu_seconds
from kwitness.bench.results import write_results
from kwitness.sandbox.waiting import wait_for_exit

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import batch
from tests.collector.event_samples import request
from tests.console.fleet_samples import moved, pushed, window
from tests.console.large_fleet import CLIENT_COUNT, FLOW_COUNT, TOPIC_COUNT, flow, invented, large_addresses

SERVED = Path(__file__).parent / "consoles" / "served.py"
BAR_MS, BAR_CPU_S, BAR_MB = 200, 2, 512
_OK = 200
_AT_ONCE = 500
_PUSH_EVERY_S = 30
_FIRST_READ_S = 300
_WARM = 3


class ServedConsole:
    """The process of a console, and a browser that it let in."""

    def __init__(self, process: subprocess.Popen[str], to_process: IO[str], from_process: IO[str]) -> None:
        self.process = process
        self._to_process, self._from_process = to_process, from_process
        self.browser = requests.Session()
        entrance = self._line()
        self._origin = "{0.scheme}://{0.netloc}".format(urlsplit(entrance))
        self.get(entrance.removeprefix(self._origin))

    def _line(self) -> str:
        line = self._from_process.readline().strip()
        if not line:
            raise RuntimeError("the console ended: see what it wrote before")
        return line

    def get(self, path: str) -> requests.Response:
        """Return the answer to a request, read to its end."""
        answer = self.browser.get(f"{self._origin}{path}", timeout=60)
        if answer.status_code != _OK:
            raise RuntimeError(f"{path} was answered with {answer.status_code}: {answer.text[:500]}")
        return answer

    def rows(self) -> dict[str, int]:
        """Return the numbers of rows in its index."""
        self._to_process.write("rows\n")
        self._to_process.flush()
        found: dict[str, int] = json.loads(self._line())
        return found

    def peak_mb(self) -> float:
        """Return the most memory that was resident so far, in MB (10^6 bytes)."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024 / 1e6


@contextmanager
def served(*arguments: str) -> Iterator[ServedConsole]:
    """Run a console on the component's core."""
    os.sched_setaffinity(0, {COMPONENT_CORE})  # a process inherits the processor
    try:
        process = subprocess.Popen(
            [sys.executable, str(SERVED), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    finally:
        os.sched_setaffinity(0, {GENERATOR_CORE})
    try:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the console has no input or output")
        yield ServedConsole(process, process.stdin, process.stdout)
        process.stdin.close()
        wait_for_exit(process)
    finally:
        process.kill()


def pages(clients: int, flows: int, count: int) -> dict[str, Any]:
    """Request each page so often, and return times in ms, bytes, and the processor time and memory of the console."""
    addresses = large_addresses()
    with served(f"--clients={clients}", f"--flows={flows}") as console:
        for address in addresses * _WARM:
            console.get(address)
        found: dict[str, list[dict[str, float]]] = {address: [] for address in addresses}
        requested = [address for address in addresses for _ in range(count)]
        random.shuffle(requested)
        worked = cpu_seconds(console.process.pid)
        for address in requested:
            began = time.perf_counter()
            answer = console.get(address)
            took_ms = (time.perf_counter() - began) * 1000
            made_ms = float(answer.headers["Server-Timing"].partition("dur=")[2])
            loaded = int(answer.headers.get("Content-Length") or len(answer.content))
            found[address].append({"ms": round(took_ms, 2), "made_ms": made_ms, "bytes": loaded})
        worked = cpu_seconds(console.process.pid) - worked
        return {
            "clients": clients,
            "flows": flows,
            "pages": found,
            "cpu_ms_a_page": round(worked / len(requested) * 1000, 2),
            "peak_mb": round(console.peak_mb(), 1),
        }


def refills(clients: int, seconds: float) -> dict[str, Any]:
    """Have a console read a collector for so long, and return its processor time and memory."""
    with tempfile.TemporaryDirectory() as folder:
        collector = CollectorProcess(Path(folder)).start()
        try:
            feed(collector, clients)
            with served(f"--collector={collector.port}") as console:
                read_by = time.monotonic() + _FIRST_READ_S
                while console.rows()["clients"] < clients:
                    if time.monotonic() > read_by:
                        raise RuntimeError(f"the console has read {console.rows()} of {clients} clients")
                    time.sleep(1)
                began, worked = time.monotonic(), cpu_seconds(console.process.pid)
                fed_s: list[float] = []
                while (passed := time.monotonic() - began) < seconds:
                    feeding = time.monotonic()
                    feed(collector, clients)
                    fed_s.append(round(time.monotonic() - feeding, 1))
                    time.sleep(max(0.0, min(_PUSH_EVERY_S - fed_s[-1], seconds - passed - fed_s[-1])))
                lasted = time.monotonic() - began
                worked = cpu_seconds(console.process.pid) - worked
                return {
                    "clients": clients,
                    "seconds": round(lasted, 1),
                    "fed_s": fed_s,
                    "rows": console.rows(),
                    "cpu_s_a_minute": round(worked / lasted * 60, 2),
                    "peak_mb": round(console.peak_mb(), 1),
                }
        finally:
            collector.kill()


def feed(collector: CollectorProcess, clients: int) -> None:
    """Have all clients push, and an observer count two flows of each, in parts of one window."""
    end_ms = int(time.time() * 1000)
    for first in range(0, clients, _AT_ONCE):
        now_ms = int(time.time() * 1000)
        numbers = range(first, min(first + _AT_ONCE, clients))
        names = {
            number: {key: value for key, value in invented(number).items() if key != "owner"} for number in numbers
        }
        answer = collector.push(batch([pushed(number, name, now_ms) for number, name in names.items()]))
        flows = [(names[number], flow(number + place * clients)) for number in numbers for place in range(2)]
        traffic = [moved(name, seen["topic"], 1, api=seen["api"]) for name, seen in flows]
        observed = collector.observe(request(totals=[window(end_ms, traffic=traffic)]))
        if (answer.status, observed.status) != (_OK, _OK):
            raise RuntimeError(
                f"the collector answered {answer.status} {answer.body} and {observed.status} {observed.body}"
            )


def p95(numbers: Sequence[float]) -> float:
    """Return the 95th percentile: so many of a hundred are not above it."""
    return sorted(numbers)[math.ceil(0.95 * len(numbers)) - 1]


def section(found: dict[str, Any]) -> str:
    """Return the page's section."""
    shown, refilled = found["pages"], found["refills"]
    times = {address: [page["ms"] for page in all_of] for address, all_of in shown["pages"].items()}
    worst = max(p95(all_of) for all_of in times.values())
    lines = [
        f"## Console: pages of {shown['clients']:,} clients",
        "",
        f"Pages over HTTP on this machine, of an index with {shown['clients']:,} clients and {shown['flows']:,} pairs of client and topic of {TOPIC_COUNT:,} topics; each requested {len(next(iter(times.values())))} times, in random order, one at a time. *Made* is the server's part. Pages of resources and of tables of analyses are not among them.",
        "",
        "| page | median, ms | p95, ms | of it made, p95, ms | KB, compressed |",
        "|---|---|---|---|---|",
    ]
    for address, all_of in shown["pages"].items():
        made, size = p95([page["made_ms"] for page in all_of]), statistics.median(page["bytes"] for page in all_of)
        lines.append(
            f"| `{address}` | {statistics.median(times[address]):.1f} | {p95(times[address]):.1f} | {made:.1f} | {size / 1000:.1f} |"
        )
    lines += [
        "",
        f"Bar: p95 of each page at most {BAR_MS} ms: {_against(worst, BAR_MS)}. A page takes {shown['cpu_ms_a_page']} ms of a processor; most memory resident {shown['peak_mb']} MB.",
        "",
        f"A second console reads a real collector for {refilled['seconds']:g} s, whose {refilled['clients']:,} clients all push every {_PUSH_EVERY_S} s; its index has {refilled['rows']['clients']:,} clients and {refilled['rows']['traffic']:,} pairs at the end. No page is requested.",
        "",
        "| | | bar |",
        "|---|---|---|",
        f"| CPU-seconds a minute | {refilled['cpu_s_a_minute']} | ≤ {BAR_CPU_S}: {_against(refilled['cpu_s_a_minute'], BAR_CPU_S)} |",
        f"| most memory resident, MB | {refilled['peak_mb']} | ≤ {BAR_MB}: {_against(refilled['peak_mb'], BAR_MB)} |",
    ]
    return "\n".join(lines) + "\n"


def _against(number: float, most: float) -> str:
    return "met" if number <= most else "missed"


def main() -> None:
    """Measure and write `console_pages.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--requests", type=int, default=200, help="of each page")
    parser.add_argument("--clients", type=int, default=CLIENT_COUNT)
    parser.add_argument("--flows", type=int, default=FLOW_COUNT)
    parser.add_argument("--seconds", type=float, default=300, help="of refills")
    chosen = parser.parse_args()
    os.sched_setaffinity(0, {GENERATOR_CORE})
    found = {
        "pages": pages(chosen.clients, chosen.flows, chosen.requests),
        "refills": refills(chosen.clients, chosen.seconds),
    }
    write_results(chosen.results, "console_pages", found, section(found))
    print(section(found))


if __name__ == "__main__":
    main()
