"""``python -m kwitness.console``: the program behind `kwitness console`, which checks the arguments before."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import webbrowser
from pathlib import Path
from typing import NoReturn

from kwitness.answers.access.cluster_access import connect
from kwitness.answers.access.local_route import LocalRoute
from kwitness.answers.access.options import AccessOptions
from kwitness.answers.access.routes import route_of
from kwitness.answers.failure import CommandFailedError
from kwitness.console.backends import Backends
from kwitness.console.door import Door
from kwitness.console.pages.typed_address import typed_address
from kwitness.console.process import Console


def main() -> NoReturn:
    """Serve the console until Ctrl-C, and end the process."""
    parser = argparse.ArgumentParser(prog="kwitness console")
    parser.add_argument("--kubeconfig", type=Path)
    for name in ("--context", "--namespace", "--collector-address", "--cluster", "--tables", "--prometheus"):
        parser.add_argument(name)
    parser.add_argument("--page", default="")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--no-browser", action="store_true")
    given = parser.parse_args()
    options = AccessOptions(
        kubeconfig=given.kubeconfig,
        context=given.context,
        namespace=given.namespace,
        collector=given.collector_address,
    )
    status = 0
    try:
        page = typed_address(given.page)
        console = Console(_backends(options, given.cluster, given.tables, given.prometheus), port=given.port)
        asyncio.run(_serve(console, page, opens_browser=not given.no_browser))
    except CommandFailedError as error:
        print(f"kwitness console: {error}", file=sys.stderr)
        status = error.status
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: a source may still wait for a collector, for half a minute at most.
    os._exit(status)


def _backends(options: AccessOptions, cluster: str | None, tables: str | None, prometheus: str | None) -> Backends:
    route = route_of(options, cluster)
    return Backends(route, None if isinstance(route, LocalRoute) else connect(options), tables, prometheus)


async def _serve(console: Console, page: str, *, opens_browser: bool) -> None:
    def opened(door: Door) -> None:
        entrance = door.entrance if page == "/" else door.entrance_to(page)
        print(f"The console is open at\n\n  {entrance}\n\nfor one browser. It runs until Ctrl-C.", flush=True)
        if opens_browser:
            webbrowser.open(entrance)

    await console.run(opened)


if __name__ == "__main__":
    main()
