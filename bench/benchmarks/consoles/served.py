"""Serves a console in a process of its own until its input ends: of the large fleet, or of a collector that it reads.

Its first line is the address that lets a browser in. Each line of its input is answered by the rows of its index.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

from kwitness.answers.access.local_route import LocalRoute
from kwitness.console.backends import Backends
from kwitness.console.process import Console
from kwitness.sandbox.session import Session

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.collector.collector_process import READER
from tests.console.large_fleet import fill, remember

_NOWHERE = "127.0.0.1:1"


async def serve(port: int, clients: int, flows: int) -> None:
    """Serve until the input ends."""
    address = f"127.0.0.1:{port}" if port else _NOWHERE
    session = Session(
        pid=os.getpid(), bootstrap=_NOWHERE, collector_address=address, metrics_url="", reader_token=READER
    )
    console = Console(Backends(LocalRoute(session), None, None, None))
    index = console._database  # noqa: SLF001 - filled as tests fill it
    async with console.served() as door:
        if not port:
            fill(index, clients, flows)
            remember(index)
        tasks = [asyncio.create_task(work) for work in console.works()] if port else []
        print(door.entrance, flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            rows = index.row(
                "SELECT (SELECT count(*) FROM clients) AS clients, (SELECT count(*) FROM traffic) AS traffic"
            )
            print(json.dumps(rows), flush=True)
        for task in tasks:
            task.cancel()
    os._exit(0)  # a thread may still read the collector


def main() -> None:
    """Read the arguments, and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collector", type=int, default=0, help="port of a collector; the large fleet when absent")
    parser.add_argument("--clients", type=int, default=0)
    parser.add_argument("--flows", type=int, default=0)
    chosen = parser.parse_args()
    asyncio.run(serve(chosen.collector, chosen.clients, chosen.flows))


if __name__ == "__main__":
    main()
