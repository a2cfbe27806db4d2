"""Commands of which some run at the same time, their output shown one after another, and none left at the end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Final, Self

__all__ = ["Beginning", "Interruption", "Line", "Run", "end", "follow"]

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
        """Time that it ran, up to the last look."""
        self.cpu_s = 0.0
        """CPU-seconds of what it started and waited for, once it has ended."""
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
        """Return whether it has; notes the time until it had."""
        if self.process.returncode is None:
            self.seconds = time.monotonic() - self._began
            number, status, used = os.wait4(self.process.pid, os.WNOHANG)
            if number:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu_s = used.ru_utime + used.ru_stime
        return self.process.returncode is not None

    def kill(self) -> None:
        """End it and everything in its process group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        while not self.has_ended():
            time.sleep(_LOOK_SECONDS / 10)


@dataclass(frozen=True)
class Beginning:
    """A run that has not begun."""

    name: str
    begin: Callable[[], Run]
    after: tuple[str, ...] = ()
    """Runs that must have passed; names that are not in the line do not count."""


class Line:
    """Begins runs in their order, a fixed number at a time; a run begins once those before it have passed."""

    def __init__(self, beginnings: Sequence[Beginning], *, at_once: int) -> None:
        self.runs: dict[str, Run] = {}
        """Those that have begun, by name."""
        self.skipped: dict[str, str] = {}
        """Those that cannot begin, with the failed run that they needed."""
        self._waiting = list(beginnings)
        self._names = {beginning.name for beginning in beginnings}
        self._at_once = at_once

    def look(self) -> None:
        """Note the times of those that run, and begin what can."""
        free = self._at_once - sum(not run.has_ended() for run in self.runs.values())
        for waiting in list(self._waiting):
            needed = [name for name in waiting.after if name in self._names]
            failed = next((name for name in needed if self._has_failed(name)), None)
            if failed:
                self.skipped[waiting.name] = failed
                self._waiting.remove(waiting)
            elif free > 0 and all(name in self.runs and self.runs[name].has_ended() for name in needed):
                self.runs[waiting.name] = waiting.begin()
                self._waiting.remove(waiting)
                free -= 1

    def failed(self) -> list[Run]:
        """Return those that ended with another status than 0."""
        return [run for name, run in self.runs.items() if self._has_failed(name)]

    def _has_failed(self, name: str) -> bool:
        run = self.runs.get(name)
        return name in self.skipped or (run is not None and run.has_ended() and run.process.returncode != 0)


def follow(line: Line, name: str, interruption: Interruption, out: BinaryIO) -> None:
    """Copy the output of a run to `out` until it has ended, cannot begin, or a signal interrupts."""
    line.look()
    while name not in line.runs:
        if interruption or name in line.skipped:
            return
        time.sleep(_LOOK_SECONDS)
        line.look()
    shown = line.runs[name]
    with shown.log.open("rb") as told:
        while True:
            ended = shown.has_ended()  # asked first, so that its last words are read
            out.write(told.read())
            out.flush()
            if ended or interruption:
                return
            line.look()
            time.sleep(_LOOK_SECONDS)


def end(runs: Iterable[Run], interruption: Interruption, *, grace_seconds: float = GRACE_SECONDS) -> None:
    """Interrupt what still runs, as Ctrl-C does, and wait for it; by force after the grace or a second signal."""
    runs = list(runs)
    for run in _alive(runs):
        with contextlib.suppress(ProcessLookupError):
            run.process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + grace_seconds
    while list(_alive(runs)) and time.monotonic() < deadline and len(interruption.signals) < _BY_FORCE:
        time.sleep(_LOOK_SECONDS)
    for run in _alive(runs):
        run.kill()


def _alive(runs: Sequence[Run]) -> Iterator[Run]:
    return (run for run in runs if not run.has_ended())
