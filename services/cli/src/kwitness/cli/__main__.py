"""Runs the subcommand that is named first; what follows it is for the subcommand alone."""

from __future__ import annotations

import argparse
import importlib.metadata
import signal
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kwitness.cli import generate, job, observe, tables
from kwitness.cli.failure import CommandFailedError


class Subcommand(NamedTuple):
    """Its line of help, and what runs it: from its arguments to the exit status."""

    about: str
    run: Callable[[Sequence[str]], int]


SUBCOMMANDS = {
    "generate": Subcommand(generate.ABOUT, generate.run),
    "job": Subcommand(job.ABOUT, job.run),
    "observe": Subcommand(observe.ABOUT, observe.run),
    "tables": Subcommand(tables.ABOUT, tables.run),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the result is the exit status."""
    given = _parser().parse_args(arguments)
    try:
        return SUBCOMMANDS[given.subcommand].run(given.arguments)
    except CommandFailedError as error:
        print(f"kwitness {given.subcommand}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _parser() -> argparse.ArgumentParser:
    lines = [f"  {name:10} {subcommand.about}" for name, subcommand in SUBCOMMANDS.items()]
    parser = argparse.ArgumentParser(
        prog="kwitness",
        description="Shows the operators of Apache Kafka their clients.",
        epilog="\n".join(["subcommands:", *lines, "", "`kwitness SUBCOMMAND --help` says what it takes."]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = f"kwitness {importlib.metadata.version('kwitness')}"
    parser.add_argument("--version", action="version", version=version)
    parser.add_argument("subcommand", choices=SUBCOMMANDS, metavar="SUBCOMMAND")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    return parser


if __name__ == "__main__":
    sys.exit(main())
