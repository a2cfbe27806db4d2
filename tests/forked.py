"""Programs of ours as processes that begin where their imports end: a fork of one process that has done those once.

To import the operator costs seconds of a processor, more than most tests of it. What a program is before anything is
imported, such as its memory, is tried with a start of its own.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import runpy
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_CONTEXT: Final = multiprocessing.get_context("forkserver")
_IMPORTED: Final[list[str]] = []


def import_once(*modules: str) -> None:
    """Name modules that the process imports from which all are forked; call it when a module of tests is imported."""
    _IMPORTED.extend(modules)
    _CONTEXT.set_forkserver_preload(_IMPORTED)


class ForkedProgram:
    """A module that runs as ``python -m`` would run it; it has what tests use of `subprocess.Popen`.

    Parameters
    ----------
    module
        Name of the module, or of a package with a `__main__`.
    arguments
        Of its command line.
    log
        The file to which its output is appended.
    environment
        All its variables.
    errors
        The file to which its standard error is appended, if it is not the log.
    entered
        The file or named pipe that it reads as standard input, if it reads any.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        *,
        log: Path,
        environment: Mapping[str, str],
        errors: Path | None = None,
        entered: Path | None = None,
    ) -> None:
        self.args = [module, *arguments]
        outputs = (log, errors or log)
        for output in outputs:
            output.touch()  # a test may read it before the program writes
        network = f"/proc/{os.getpid()}/task/{threading.get_native_id()}/ns/net"
        given = (self.args, entered, outputs, dict(environment), network)
        self._process = _CONTEXT.Process(target=_run, args=given, daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid: Final = self._process.pid

    def poll(self) -> int | None:
        """The exit status, negative after a signal, or None while it runs."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal, as long as it runs."""
        if self.poll() is None:
            os.kill(self.pid, number)


def _run(
    command: list[str], entered: Path | None, outputs: Sequence[Path], environment: dict[str, str], network: str
) -> None:
    gc.freeze()  # or the first collection would copy all that is shared
    for number, output in enumerate(outputs, 1):
        _open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, number)
    if entered is not None:
        _open(entered, os.O_RDONLY, 0)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for as long as the process lives
    if not Path(network).samefile("/proc/self/ns/net"):
        with Path(network).open("rb") as namespace:
            assert ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), 0) == 0
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = command
    for name in (command[0], f"{command[0]}.__main__"):
        if not hasattr(sys.modules.get(name), "__path__"):
            sys.modules.pop(name, None)
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)


def _open(path: Path, flags: int, number: int) -> None:
    """Open a file as a descriptor with this number."""
    descriptor = os.open(path, flags)
    if descriptor != number:
        os.dup2(descriptor, number)
        os.close(descriptor)
