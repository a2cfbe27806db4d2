"""Waits until something holds, for as long as anything moves.

A wait fails because nothing has moved for long, never because a clock ran out on something that moves: a machine of
half the speed needs twice the time and passes. docs/decisions/0122 has the reasons. Three kinds of movement count: what
a look returns, signs that the caller names, and processes that this one started (see `process_signs`).
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeVar

from kwitness.sandbox.process_signs import ProcessSigns

T = TypeVar("T")
Sign = Callable[[], object]
"""Returns a value that differs from all earlier ones as long as something moves, such as the size of a log."""

STILL_S: Final = 60.0
"""How long nothing may move."""
CEILING: Final = 10
"""Signs and processes may prolong a wait to so many times its `still_s`; a look that sees new things has no limit."""
WAITS_LOG: Final = "KWITNESS_WAITS_LOG"
"""Environment variable: the file to which waits are appended, as lines of JSON."""
_FEWEST_READS: Final = 3
"""Since anything moved, before a wait fails: on a machine that stood still a single look can take minutes."""
_SIGNS_AFTER: Final = 1 / 6
"""Of `still_s`: as long as that, no signs are read, which may cost a process each."""
_SIGNS_EVERY: Final = 1 / 12
_SHORTEST_WINDOW_S: Final = 1.0
"""A process is no more than busy for a moment in less."""
_NOTED_SHARE: Final = 0.1
_SHORTEST_S: Final = 0.1
_LONGEST_S: Final = 2.0
_PART: Final = 0.15
"""Of the time waited so far: a look is often a process of its own, and many waits have one processor."""
_SHOWN: Final = 3000
"""Characters of what was seen last."""
_HOMES: Final = (__file__, contextlib.__file__, "eventually.py")
"""Files that are never named as the place of a wait."""


class Process(Protocol):
    """The part of `subprocess.Popen` that a wait needs."""

    @property
    def args(self) -> Any:
        """Program and arguments."""

    def poll(self) -> int | None:
        """The exit status, or None while the process runs."""


class WaitFailedError(AssertionError):
    """Nothing moved for long, or a process ended that the wait needs."""


class Patience:
    """Fails a loop in which nothing moves; a context manager around loops that `wait_until` does not fit.

    Parameters
    ----------
    what
        What is waited for, for the message; absent: the place in the code.
    signs
        Callables whose new values show that something moves, although the look sees nothing new.
    needs
        Processes without which the wait is in vain: it fails when one has ended and the next look does not hold.
    still_s
        How long nothing may move.
    """

    def __init__(
        self,
        what: str = "",
        *,
        signs: Iterable[Sign] = (),
        needs: Sequence[Process] = (),
        still_s: float = STILL_S,
        clock: Callable[[], float] | None = None,
        processes: Callable[[float], bool] | None = None,
    ) -> None:
        self._place = _place()
        self._what = what or self._place
        self._signs = tuple(signs)
        self._needs = needs
        self._still_s = still_s
        self._clock = clock = clock or time.monotonic
        self._processes = processes or ProcessSigns().moved
        self._known: set[object] = set()
        self._began = self._moved_at = self._seen_at = clock()
        self._signs_due = self._began + still_s * _SIGNS_AFTER
        self._compares = False
        self._longest = 0.0
        self._reads = 0
        self._ended = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        now = self._clock()
        where = self._place if self._what == self._place else f"{self._place} ({self._what})"
        _note(where, max(self._longest, now - self._moved_at) / self._still_s, now - self._began)

    @property
    def pause_s(self) -> float:
        """The time until the next look; it grows with the time waited."""
        return min(max(_SHORTEST_S, (self._clock() - self._began) * _PART), _LONGEST_S)

    def note(self, seen: object) -> None:
        """Take what a look saw that does not hold yet.

        Raises
        ------
        WaitFailedError
            Nothing moved for `still_s`, or a needed process has ended.
        """
        now = self._clock()
        self._reads += 1
        if self._is_new(("seen", repr(seen))):
            self._seen_at = now
            self._signs_due = now + self._still_s * _SIGNS_AFTER
            self._move(now)
        elif self._ask_signs(now):
            self._move(now)
        self._check_needs(seen)
        still = now - self._moved_at
        if still > self._still_s and self._reads >= _FEWEST_READS:
            raise WaitFailedError(self._message(f"nothing moved for {still:.0f} s", seen))
        if now - self._seen_at > CEILING * self._still_s:
            unchanged = f"for {now - self._seen_at:.0f} s only signs moved, which is the most that they prolong a wait"
            raise WaitFailedError(self._message(unchanged, seen))

    def _is_new(self, value: object) -> bool:
        """A value that was there before is no movement: what alternates between two states goes nowhere."""
        known = len(self._known)
        self._known.add(hash(value))
        return len(self._known) > known

    def _move(self, now: float) -> None:
        self._longest = max(self._longest, now - self._moved_at)
        self._moved_at, self._reads = now, 0

    def _ask_signs(self, now: float) -> bool:
        if now < self._signs_due:
            return False
        self._signs_due = now + max(self._still_s * _SIGNS_EVERY, _SHORTEST_WINDOW_S)
        values = [self._is_new((number, repr(_value(sign)))) for number, sign in enumerate(self._signs)]
        moved = self._processes(now) or any(values)
        # The first values are what later ones are compared with.
        comparable, self._compares = self._compares, True
        return moved and comparable

    def _check_needs(self, seen: object) -> None:
        if self._ended:
            raise WaitFailedError(self._message(self._ended, seen))
        for process in self._needs:
            if (status := process.poll()) is not None:
                self._ended = f"{_command(process)[:200]} ended with {status}"

    def _message(self, why: str, seen: object) -> str:
        signs = [f"{getattr(sign, '__qualname__', sign)} = {_value(sign)!r}"[:200] for sign in self._signs]
        watched = ", ".join(["output and processor time of the processes started here", *signs])
        last = repr(seen)
        last = last if len(last) <= _SHOWN else f"...{last[-_SHOWN:]}"
        waited = self._clock() - self._began
        return f"{self._what}: {why}, after {waited:.0f} s in all; seen last: {last}; also watched: {watched}"


def wait_until(
    probe: Callable[[], T],
    holds: Callable[[T], object] = bool,
    *,
    what: str = "",
    signs: Iterable[Sign] = (),
    needs: Sequence[Process] = (),
    passing: tuple[type[Exception], ...] = (),
    still_s: float = STILL_S,
    every: float | None = None,
) -> T:
    """Look again and again until what is seen holds; return it.

    Parameters
    ----------
    what, signs, needs, still_s
        As in `Patience`.
    passing
        Exceptions of `probe` that mean "not yet", such as a refused connection.
    every
        Seconds between looks; absent: they become rarer the longer it takes.

    Raises
    ------
    WaitFailedError
        Nothing moved for `still_s`, or a needed process ended; with what was seen last.
    """
    with Patience(what, signs=signs, needs=needs, still_s=still_s) as patience:
        while True:
            try:
                seen = probe()
            except passing as error:
                patience.note(error)
            else:
                if holds(seen):
                    return seen
                patience.note(seen)
            time.sleep(patience.pause_s if every is None else every)


def wait_for_exit(process: Process, *, what: str = "", still_s: float = STILL_S) -> int:
    """The exit status of a process that was asked to end, or that computes, once it has ended."""
    status = wait_until(process.poll, lambda code: code is not None, what=what, still_s=still_s, every=0.05)
    return 0 if status is None else status


def communicate(
    process: subprocess.Popen[str], input_text: str | None = None, *, still_s: float = STILL_S
) -> tuple[str, str]:
    """Standard output and error of a process once it has ended, as `Popen.communicate` returns them.

    Parameters
    ----------
    input_text
        A few words, which the process's pipe takes at once.

    Raises
    ------
    WaitFailedError
        Nothing moved for `still_s`; the output so far is in the message.
    """
    with Patience(_command(process)[:_SHOWN], still_s=still_s) as patience:
        while True:
            try:
                return process.communicate(input_text, timeout=patience.pause_s)
            except subprocess.TimeoutExpired as unfinished:
                input_text = None  # it is kept for the next call
                patience.note(unfinished.output)


def run_to_end(
    command: Sequence[str | Path],
    *,
    input_text: str | None = None,
    check: bool = False,
    still_s: float = STILL_S,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """Run a program that computes, as `subprocess.run` does, for as long as it or its children move.

    Parameters
    ----------
    check
        Raise `CalledProcessError` for another exit status than 0.
    options
        Of `subprocess.Popen`, such as `env` and `cwd`.

    Raises
    ------
    WaitFailedError
        Nothing moved for `still_s`; the program is killed.
    """
    # From a file: `Popen.communicate` forgets the rest of an input whose program does not read it all at once.
    with tempfile.TemporaryFile("w+") as given:
        given.write(input_text or "")
        given.seek(0)
        options = {"stdin": given, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        with subprocess.Popen(command, text=True, **options) as process:
            try:
                out, errors = communicate(process, still_s=still_s)
            except BaseException:
                process.kill()
                raise
    done = subprocess.CompletedProcess(process.args, process.returncode, out, errors)
    if check and done.returncode:
        raise subprocess.CalledProcessError(done.returncode, done.args, out, errors)
    return done


def slowest_waits(lines: Iterable[str], count: int = 10) -> list[str]:
    """Lines for a person: the waits that came closest to failing, by the share of stillness that they used.

    Parameters
    ----------
    lines
        Of the file that `KWITNESS_WAITS_LOG` named.
    """
    waits = [json.loads(line) for line in lines if line.strip()]
    waits.sort(key=lambda wait: wait["share"], reverse=True)
    return [f"{wait['share']:5.0%} of its patience, {wait['seconds']:.0f} s: {wait['where']}" for wait in waits[:count]]


def _command(process: Process) -> str:
    words = process.args if isinstance(process.args, list | tuple) else [process.args]
    return " ".join(str(word) for word in words)


def _value(sign: Sign) -> object:
    try:
        return sign()
    except (OSError, RuntimeError) as error:  # a sign that cannot be read shows nothing
        return type(error).__name__


def _place() -> str:
    """File and line that wait, outside of the modules that do the waiting, and the test that runs."""
    frame = sys._getframe(1)  # noqa: SLF001 # the documented way to it is as private and much slower
    while frame.f_back is not None and frame.f_code.co_filename.endswith(_HOMES):
        frame = frame.f_back
    path = Path(frame.f_code.co_filename)
    near = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    place = f"{near}:{frame.f_lineno}"
    test = os.environ.get("PYTEST_CURRENT_TEST", "")
    return f"{test} at {place}" if test else place


def _note(where: str, share: float, seconds: float) -> None:
    file = os.environ.get(WAITS_LOG)
    if not file or share < _NOTED_SHARE:
        return
    line = json.dumps({"where": where, "share": round(share, 3), "seconds": round(seconds, 1)})
    with Path(file).open("a", encoding="utf-8") as log:
        log.write(f"{line}\n")
