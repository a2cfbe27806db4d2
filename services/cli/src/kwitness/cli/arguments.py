"""Parses the arguments of subcommands that need the standard library alone; help and errors read like typer's."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from typing_extensions import override

__all__ = ["Arguments"]


class _Help(argparse.HelpFormatter):
    @override
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        if prefix is None:
            names = (str(action.metavar or action.dest) for action in actions if not action.option_strings)
            usage, prefix = " ".join((self._prog, "[OPTIONS]", *names)), "Usage: "
        super().add_usage(usage, actions, groups, prefix)


class Arguments(argparse.ArgumentParser):
    """A parser of one subcommand, or of one below it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, add_help=False, formatter_class=_Help)
        self._positionals.title, self._optionals.title = "Arguments", "Options"
        self.add_argument("-h", "--help", action="help", help="Show this message and exit.")

    @override
    def error(self, message: str) -> NoReturn:
        print(f"{self.format_usage()}Try '{self.prog} -h' for help.\n\nError: {message}.", file=sys.stderr)
        sys.exit(2)
