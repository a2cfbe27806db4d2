"""Commands of which some run at the same time, their output shown one after another, and none left at the end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Final, Self

__all__ = ["Interruption", "Line", "Run", "end", "follow"]

GRACE_SECONDS: Final = 90.0
"""How long an interrupted run may take to put away what it started; a node takes longest."""
_LOOK_SECONDS: Final = 0.2
_BY_FORCE: Final = 2
"""Signals of somebody who does not want to wait."""


class Interruption:
    """Whether somebody wants the program to end, by a signal; the handlers are in place inside the block."""

    _SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.signals: list[int] = []

    def __enter__(self) -> Self:
        # Also where whoever started us ignores a signal, as shells do in the background: the runs would ignore it too.
        self._former = {number: signal.signal(number, self._note) for number in self._SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def __bool__(self) -> bool:
        return bool(self.signals)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.signals.append(number)


class Run:
    """A command with its output in a file. It leads a process group, so that a terminal's Ctrl-C reaches us alone."""

    def __init__(self, name: str, command: Sequence[str], log: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self.log = log
        self.seconds = 0.0
        """How long it ran, up to when somebody last looked."""
        self._began = time.monotonic()
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**environment},
                process_group=0,
            )

    def has_ended(self) -> bool:
        """Whether it has; notes the time until it had."""
        if self.process.returncode is None:
            self.seconds = time.monotonic() - self._began
            self.process.poll()
        return self.process.returncode is not None


class Line:
    """Runs that begin in their order, so many at a time: the next one when another has ended."""

    def __init__(self, beginnings: Sequence[Callable[[], Run]], *, at_once: int) -> None:
        self.runs: list[Run] = []
        """Those that have begun."""
        self._waiting = list(beginnings)
        self._at_once = at_once

    def look(self) -> None:
        """Note the times of those that run, and begin what can."""
        running = sum(not run.has_ended() for run in self.runs)
        for begin in self._waiting[: self._at_once - running]:
            self.runs.append(begin())
            self._waiting.remove(begin)


def follow(line: Line, number: int, interruption: Interruption, out: BinaryIO) -> None:
    """Copy the output of the run with this number, from 0, to `out` until it has ended or somebody interrupts."""
    line.look()
    while len(line.runs) <= number:
        if interruption:
            return
        time.sleep(_LOOK_SECONDS)
        line.look()
    shown = line.runs[number]
    with shown.log.open("rb") as told:
        while True:
            ended = shown.has_ended()  # asked first, so that its last words are read
            out.write(told.read())
            out.flush()
            if ended or interruption:
                return
            line.look()
            time.sleep(_LOOK_SECONDS)


def end(runs: Sequence[Run], interruption: Interruption, *, grace_seconds: float = GRACE_SECONDS) -> None:
    """Interrupt what still runs, as Ctrl-C does, and wait for it; by force after the grace or a second signal."""
    for run in _alive(runs):
        with contextlib.suppress(ProcessLookupError):
            run.process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + grace_seconds
    while list(_alive(runs)) and time.monotonic() < deadline and len(interruption.signals) < _BY_FORCE:
        time.sleep(_LOOK_SECONDS)
    for run in _alive(runs):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.process.pid, signal.SIGKILL)
        run.process.wait()


def _alive(runs: Sequence[Run]) -> Iterator[Run]:
    return (run for run in runs if not run.has_ended())
