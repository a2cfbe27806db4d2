"""``python -m kwitness.mcp``: the program behind `kwitness mcp`, which checks the arguments before."""

from __future__ import annotations

import argparse
import os
import signal
from pathlib import Path
from typing import NoReturn

import anyio

from kwitness.answers.access.options import AccessOptions
from kwitness.mcp.installation import Installation
from kwitness.mcp.server import serve


def main() -> NoReturn:
    """Serve tools on standard input and output until the input ends."""
    # Ctrl-C ends it at once and without a traceback; it has nothing to put in order.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parser = argparse.ArgumentParser(prog="kwitness mcp")
    parser.add_argument("--kubeconfig", type=Path)
    for name in ("--context", "--namespace", "--collector-address", "--cluster", "--tables"):
        parser.add_argument(name)
    given = parser.parse_args()
    options = AccessOptions(
        kubeconfig=given.kubeconfig,
        context=given.context,
        namespace=given.namespace,
        collector=given.collector_address,
    )
    anyio.run(serve, Installation(options, given.cluster, given.tables))
    # Not sys.exit: a tool may still wait for a collector, and its answer would not be read.
    os._exit(0)


if __name__ == "__main__":
    main()
