"""`make demo` and `make demo-down`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from kwitness.demo.part_names import unknown_parts


def main() -> int:
    """Parse the command line and do it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.demo", description=__doc__)
    parser.add_argument("do", choices=["check", "up", "down"], help="check: only what can be refused at once")
    parser.add_argument("--cluster", choices=["node", "current"], default="node")
    parser.add_argument("--registry", default="", help="where images are pushed to, with --cluster current")
    parser.add_argument("--parts", nargs="+", default=[], metavar="PART", help="only these, and what they need")
    options = parser.parse_args()
    if options.do != "down":
        if options.cluster == "current" and not options.registry:
            parser.error("--cluster current needs --registry (make demo CLUSTER=current REGISTRY=...)")
        if unknown := unknown_parts(options.parts):
            parser.error(unknown)
    if options.do == "check":
        return 0
    from kwitness.demo import run  # noqa: PLC0415 - what is checked above is answered before libraries are loaded

    with tempfile.TemporaryDirectory() as folder:
        if options.do == "down":
            return run.down(options.cluster, Path(folder))
        return run.up(options.cluster, options.registry, options.parts, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
