"""Runs the subcommand that is named first: by typer (`program`), but for the one that is handed to another program."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from kwitness.answers.failure import OUTPUT_CLOSED, CommandFailedError
from kwitness.cli.subcommands import HANDED_OVER, SUBCOMMANDS

_PLUGIN: Final = "kubectl-kwitness"
"""The name under which kubectl finds this program, and runs it for `kubectl kwitness`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the result is the exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    first = given[0] if given else ""
    typed = "kubectl kwitness" if Path(sys.argv[0]).name == _PLUGIN else "kwitness"
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        status = _hand_over(given[1:]) if first == HANDED_OVER else _typed(given, typed)
        sys.stdout.flush()
    except CommandFailedError as error:
        print(f"{typed}{f' {first}' if first in SUBCOMMANDS else ''}: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:
        status = OUTPUT_CLOSED
    if status == OUTPUT_CLOSED:
        # What is still in the buffer would be written, and fail again, when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def start() -> NoReturn:
    """Run the command line of this process, and end it."""
    status = main()
    if "deltalake" not in sys.modules:
        sys.exit(status)
    with suppress(BrokenPipeError):
        sys.stdout.flush()
        sys.stderr.flush()
    # Not sys.exit: deltalake 1.6 still has threads, and now and then aborts an interpreter that ends around them.
    os._exit(status)


def _hand_over(arguments: Sequence[str]) -> int:
    return int(importlib.import_module(SUBCOMMANDS[HANDED_OVER].module).run(arguments))


def _typed(arguments: Sequence[str], typed: str) -> int:
    try:
        from kwitness.cli.program import run  # noqa: PLC0415 - needs the extra `command`
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"typer", "rich", "pydantic"}:
            raise
        raise CommandFailedError(
            f"{error.name} is not installed: install the extra `command`, as in "
            f"`pip install --find-links dist 'kwitness[command]'`; without it there is {HANDED_OVER} "
            "alone"
        ) from error
    return run(arguments, name=typed)


if __name__ == "__main__":
    start()
