"""``python -m kwitness.console``: the program behind `kwitness console`, which checks the arguments before."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import webbrowser
from pathlib import Path
from typing import NoReturn

from kwitness.cli.failure import CommandFailedError
from kwitness.cli.options import Options
from kwitness.cli.questions import route_of
from kwitness.console.door import Door
from kwitness.console.process import Console


def main() -> NoReturn:
    """Serve the console until Ctrl-C, and end the process."""
    parser = argparse.ArgumentParser(prog="kwitness console")
    parser.add_argument("--kubeconfig", type=Path)
    for name in ("--context", "--namespace", "--collector-address", "--cluster"):
        parser.add_argument(name)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--no-browser", action="store_true")
    given = parser.parse_args()
    options = Options(
        kubeconfig=given.kubeconfig,
        context=given.context,
        namespace=given.namespace,
        collector=given.collector_address,
    )
    status = 0
    try:
        route = route_of(options, given.cluster)
        asyncio.run(_serve(Console(route, port=given.port), opens_browser=not given.no_browser))
    except CommandFailedError as error:
        print(f"kwitness console: {error}", file=sys.stderr)
        status = error.status
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: a source may still wait for a collector, for half a minute at most.
    os._exit(status)


async def _serve(console: Console, *, opens_browser: bool) -> None:
    def opened(door: Door) -> None:
        print(f"The console is open at\n\n  {door.entrance}\n\nfor one browser. It runs until Ctrl-C.", flush=True)
        if opens_browser:
            webbrowser.open(door.entrance)

    await console.run(opened)


if __name__ == "__main__":
    main()
