"""`kwitness generate`: what is made of something else; what it is comes first, and the rest is for its own module."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from kwitness.cli import generate_events, generate_headers
from kwitness.cli.subcommands import SUBCOMMANDS

ABOUT = SUBCOMMANDS["generate"].about
_WHAT: dict[str, tuple[str, Callable[[Sequence[str]], int]]] = {
    "headers": (generate_headers.ABOUT, generate_headers.run),
    "events": (generate_events.ABOUT, generate_events.run),
}


def run(arguments: Sequence[str]) -> int:
    """Write what is asked for; the result is the exit status.

    Raises
    ------
    CommandFailedError
        It cannot be made or written.
    """
    given = _parser().parse_args(arguments)
    _, run_it = _WHAT[given.what]
    return run_it(given.arguments)


def _parser() -> argparse.ArgumentParser:
    lines = [f"  {name:10} {about}" for name, (about, _) in _WHAT.items()]
    parser = argparse.ArgumentParser(
        prog="kwitness generate",
        description=f"{ABOUT}.",
        epilog="\n".join(["what there is:", *lines, "", "`kwitness generate WHAT --help` says what it takes."]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=_WHAT, metavar="WHAT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    return parser
