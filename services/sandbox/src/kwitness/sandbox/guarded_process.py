"""Runs a program that ends with this process, however this process ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["GuardedProcess"]


class GuardedProcess:
    """A program in a session of its own, so that signals to this process' terminal do not reach it.

    Parameters
    ----------
    command
        Program and arguments.
    log_file
        Receives what the program writes, after what is there already; absent: this process' output does.
    environment
        All variables of the program; absent: those of this process.
    """

    def __init__(
        self, command: Sequence[str], *, log_file: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        with contextlib.nullcontext() if log_file is None else log_file.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment, start_new_session=True
            )
        # Ends the program when this process ends without a chance to: then the guard's input is closed.
        guard = ["sh", "-c", 'read -r _; kill -9 "-$1"', "guard", str(self.process.pid)]
        self._guard = subprocess.Popen(guard, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)

    @property
    def running(self) -> bool:
        """True while the program runs."""
        return self.process.poll() is None

    def stop(self, *, timeout: float = 20) -> None:
        """Ask the program to end, and end it after `timeout` seconds."""
        self.signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout)
        self.kill()

    def kill(self) -> None:
        """End the program and all that it started as a power cut would."""
        self.signal(signal.SIGKILL)
        self.process.wait()
        # First the guard, then its input: it must not fire at a process id that is someone else's by now.
        self._guard.kill()
        self._guard.communicate()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program and all that it started, as long as the program runs."""
        if self.running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
