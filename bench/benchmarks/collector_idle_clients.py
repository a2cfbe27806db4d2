"""Memory of one client that a collector knows and that has nothing to tell: `make bench`.

Brokers tell of as many clients as a replica remembers, each with an id and an address of its own; a client whose
subscriptions match nothing of its pushes an empty body. What resident memory grew by is divided by their number.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

from kwitness.bench.bars import SLACK
from kwitness.bench.results import write_results

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import batch, push

_BATCH = 500
_OK = 200
_FIRST = 1_000
"""Clients known before it is measured: what the first ones make is there once."""
_SETTLED_S = 40.0
"""Memory is given back every half minute."""
_BAR_BYTES = 512


def idle(seq: int) -> dict[str, Any]:
    """The empty push of one client."""
    client = str(uuid.UUID(int=seq))
    address = f"10.{seq >> 16 & 255}.{seq >> 8 & 255}.{seq & 255}"
    return push(
        seq, client=client, client_id=f"application-{seq}", principal=f"User:{seq % 100}", client_address=address
    )


def tell(collector: CollectorProcess, first: int, last: int) -> None:
    """Have brokers tell of clients."""
    for begin in range(first, last, _BATCH):
        answer = collector.push(batch([idle(seq) for seq in range(begin, min(begin + _BATCH, last))]), compress=True)
        if answer.status != _OK:
            raise RuntimeError(f"the collector answered {answer.status}: {answer.body}")


def settled(collector: CollectorProcess, seconds: float) -> int:
    """Resident bytes some time after a scrape."""
    collector.scrape_text()
    time.sleep(seconds)
    return collector.resident_bytes()


def measure(clients: int, seconds: float) -> dict[str, Any]:
    """Run one collector, without Kafka, and return what it grew by."""
    with tempfile.TemporaryDirectory() as folder:
        collector = CollectorProcess(Path(folder)).start()
        try:
            tell(collector, 0, _FIRST)
            before = settled(collector, seconds)
            tell(collector, _FIRST, clients)
            after = settled(collector, seconds)
            known = collector.value("kwitness_clients")
        finally:
            collector.kill()
    if known != clients:
        raise RuntimeError(f"{known} clients are known, {clients} were told of")
    grown = (after - before) / (clients - _FIRST)
    return {"clients": clients, "before_bytes": before, "after_bytes": after, "bytes_per_client": round(grown)}


def section(found: dict[str, Any]) -> str:
    """The page's section."""
    reached = _BAR_BYTES / found["bytes_per_client"]
    verdict = "met" if reached >= 1 else "met within the slack of 20 % for noise" if reached * SLACK >= 1 else "missed"
    return (
        "## Collector: memory of an idle client\n\n"
        f"{found['clients']:,} clients, as many as a replica remembers, each with an instance id, a client id and an address "
        "of its own, whose pushes are empty: they are in the inventory and have no series.\n\n"
        "| | |\n|---|---|\n"
        f"| MB with {_FIRST:,} clients | {found['before_bytes'] / 1e6:.1f} |\n"
        f"| MB with {found['clients']:,} clients | {found['after_bytes'] / 1e6:.1f} |\n"
        f"| bytes of a client | {found['bytes_per_client']:,} |\n\n"
        f"Bar: ≤ {_BAR_BYTES} bytes: {verdict}.\n"
    )


def main() -> None:
    """Measure and write `collector_idle_clients.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--clients", type=int, default=50_000)
    parser.add_argument("--seconds", type=float, default=_SETTLED_S)
    wanted = parser.parse_args()
    found = measure(wanted.clients, wanted.seconds)
    write_results(wanted.results, "collector_idle_clients", found, section(found))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
