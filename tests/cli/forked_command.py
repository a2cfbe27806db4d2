"""The command in a process that was forked: a program that the command becomes begins in the same process.

A program of its own takes seconds of a processor for its imports alone. Arguments, output, signals and exit status are
those that it would have; that the command does become a program is tried with a start of its own.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

from kwitness.cli.__main__ import start
from kwitness.sandbox.waiting import wait_for_exit

from tests.cli.command import Ended
from tests.forked import ForkedProgram, import_once

__all__ = ["fork", "run_forked"]

_PYTHON_M: Final = 2
"""Words of the command line before the module: `python -m`."""
import_once("kwitness.cli.program", "kwitness.cli.console", "kwitness.cli.mcp", "kwitness.mcp.__main__")
import_once("kwitness.console.__main__")


def fork(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], *, entered: Path | None = None
) -> ForkedProgram:
    """Start the command; its output is `stdout` and `stderr` in a folder.

    Parameters
    ----------
    entered
        The file or named pipe that is its standard input.
    """
    out, errors = folder / "stdout", folder / "stderr"
    return ForkedProgram(__name__, arguments, log=out, errors=errors, environment=environment, entered=entered)


def run_forked(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], *, entered: Path | None = None
) -> Ended:
    """Run the command to its end."""
    status = wait_for_exit(fork(arguments, folder, environment, entered=entered))
    return Ended(status, *((folder / name).read_text() for name in ("stdout", "stderr")))


def _become(_: str, command: list[str]) -> NoReturn:
    sys.argv = command[_PYTHON_M:]
    program = sys.argv[0]
    sys.modules.pop(f"{program}.__main__", None)
    runpy.run_module(program, run_name="__main__", alter_sys=True)
    sys.exit()


if __name__ == "__main__":
    # The operator's image has no such library, so its tests hide it in the process from which all are forked.
    if sys.modules.get("kubernetes", sys) is None:
        del sys.modules["kubernetes"]
    os.execv = _become  # type: ignore[assignment]
    start()
