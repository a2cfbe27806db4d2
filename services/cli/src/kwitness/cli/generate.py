"""`kwitness generate`: what is made of something else; what it is comes first, and the rest is for its own module."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kwitness.cli import generate_events, generate_headers
from kwitness.cli.arguments import Arguments
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
    given = _parser().parse_args(arguments[:1])
    _, run_it = _WHAT[given.what]
    return run_it(arguments[1:])


def _parser() -> Arguments:
    parser = Arguments(prog="kwitness generate", description=ABOUT)
    parts = parser.add_subparsers(title="Commands", dest="what", required=True, metavar="COMMAND")
    for name, (about, _) in _WHAT.items():
        parts.add_parser(name, help=about)
    return parser
