"""`make demo` and `make demo-down`."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import time
from pathlib import Path

from kwitness.demo import first_checks
from kwitness.demo.part_names import TRY, unknown_parts
from kwitness.e2e import capacity


def main() -> int:
    """Parse the command line and do it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.demo", description=__doc__)
    parser.add_argument(
        "do",
        choices=["check", "up", "platform", "down"],
        help="check: what can be refused at once; platform: no first look",
    )
    parser.add_argument("--cluster", choices=["node", "current"], default="node")
    parser.add_argument("--registry", default="", help="where images are pushed to, with --cluster current")
    parser.add_argument("--parts", nargs="+", default=[], metavar="PART", help="only these, and what they need")
    parser.add_argument("--notify", type=int, default=0, metavar="PID", help="gets SIGUSR1 when the platform stands")
    parser.add_argument("--began", type=float, metavar="SECONDS", help="when the demo began, by the monotonic clock")
    options = parser.parse_args()
    if options.do != "down":
        if options.cluster == "current" and not options.registry:
            parser.error("--cluster current needs --registry (make demo CLUSTER=current REGISTRY=...)")
        if unknown := unknown_parts(options.parts):
            parser.error(unknown)
    if options.do in {"check", "up"}:
        obstacles = first_checks.obstacles(options.cluster)
        for line in obstacles:
            print(f"cannot start: {line}", file=sys.stderr)
        if obstacles or options.do == "check":
            return 1 if obstacles else 0
    if options.do == "up":
        for line in first_checks.notes(os.environ):
            print(line, file=sys.stderr)
    first_checks.exempt_loopback(os.environ)
    try:
        with first_checks.only_demo() if options.do != "platform" else contextlib.nullcontext():
            return _do(options)
    except first_checks.DemoRunsError as error:
        print(error, file=sys.stderr)
        return 1


def _do(options: argparse.Namespace) -> int:
    # Libraries are loaded after the checks, which a person waits for.
    if options.do == "up":
        return _stages(options)
    from kwitness.demo import run  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        if options.do == "down":
            return run.down(options.cluster, Path(folder))
        where = (options.cluster, options.registry, options.parts, Path(folder))
        return run.up(*where, notify=options.notify, began=options.began)


def _stages(options: argparse.Namespace) -> int:
    from kwitness.demo.stages import TRY_COMMAND, run_stages  # noqa: PLC0415

    given = ["--cluster", options.cluster, "--registry", options.registry]
    given += ["--parts", *options.parts] if options.parts else []
    environment = ["make", "--no-print-directory", ".venv-try/.platform"]
    timing = ["--notify={notify}", f"--began={time.monotonic()}"]
    platform = [sys.executable, "-m", "kwitness.demo", "platform", *given, *timing]
    sandbox = TRY_COMMAND if not options.parts or TRY in options.parts else ()
    return run_stages([environment, platform], sandbox=sandbox, beside=capacity.is_warm())


if __name__ == "__main__":
    sys.exit(main())
