"""Runs the two stages of `make demo`: a first look without Kubernetes, and beside it the platform."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn, Self

from kwitness.sandbox.guarded_process import GuardedProcess

TRY_COMMAND: Final = (sys.executable, "-m", "kwitness.demo.first_contact")
ROOT: Final = Path(__file__).resolve().parents[4]
"""The checkout."""
_TITLE: Final = "First look: a broker, a collector and clients as processes of this machine"
_EVERY_S: Final = 0.2
_LONGEST_END_S: Final = 5.0


def run_stages(commands: Sequence[Sequence[str]], *, sandbox: Sequence[str], beside: bool) -> int:
    """Show the first look and leave it open while commands run one after the other; the exit status.

    Parameters
    ----------
    commands
        `{notify}` in an argument becomes the id of this process, where SIGUSR1 ends the first look.
    sandbox
        Program and arguments of the first look, but for `--log`; empty for none.
    beside
        Whether commands start with the first look; their output follows it all the same. Else they start after it.
    """
    signal.signal(signal.SIGTERM, _end)
    try:
        with _Sandbox(sandbox) as running, _GatedOutput() as output:
            signal.signal(signal.SIGUSR1, lambda *_: running.end())
            while not (beside or running.shown()):
                time.sleep(_EVERY_S)
            for command in commands:
                words = [argument.replace("{notify}", str(os.getpid())) for argument in command]
                if status := _run(words, running, output):
                    return status
            while not running.shown():
                time.sleep(_EVERY_S)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


class _Sandbox:
    """Starts the first look, and ends it with the block."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._is_shown = not command
        self._ends = False
        self._folder = tempfile.TemporaryDirectory(prefix="kwitness-demo-")
        self._log = Path(self._folder.name) / "log"  # exists once the tables are there
        self._process: GuardedProcess | None = None

    def shown(self) -> bool:
        """Return whether its tables are printed, or will never be."""
        if not self._is_shown and self._process is not None:
            if self._log.exists():
                self._is_shown = True
                print("\nIt stays open until the platform stands.\n", flush=True)
            elif not self._process.running:
                self._is_shown = True
                print("\nThe first look failed; the platform needs nothing of it.\n", flush=True)
        if self._is_shown and self._ends and self._process is not None:
            self._process.stop()
        return self._is_shown

    def end(self) -> None:
        """End it as soon as its tables are printed."""
        self._ends = True

    def __enter__(self) -> Self:
        if self._command:
            print(f"{_TITLE}\n{'=' * len(_TITLE)}", flush=True)
            self._process = GuardedProcess([*self._command, "--log", str(self._log)])
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.stop()
        self._folder.cleanup()


class _GatedOutput:
    """Holds what commands write until it is opened, and passes it on from then on."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe()
        self._thread = threading.Thread(target=self._copy, daemon=True)

    def open(self) -> None:
        if not self._thread.is_alive():
            self._thread.start()

    def _copy(self) -> None:
        while held := os.read(self._reader, 1 << 16):
            sys.stdout.buffer.write(held)
            sys.stdout.buffer.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.open()
        os.close(self.writer)
        self._thread.join(_LONGEST_END_S)  # a program that outlives its command may still hold the other end
        os.close(self._reader)


def _run(command: Sequence[str], running: _Sandbox, output: _GatedOutput) -> int:
    process = subprocess.Popen(command, cwd=ROOT, stdout=output.writer, stderr=output.writer)
    try:
        while (status := process.poll()) is None:
            if running.shown():
                output.open()
            time.sleep(_EVERY_S)
    except KeyboardInterrupt:
        # A terminal sends it to both, `kill` to this process alone.
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(KeyboardInterrupt):
            process.wait()
        raise
    except SystemExit:
        process.terminate()
        process.wait()
        raise
    return status


def _end(number: int, _: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
