"""Looking again and again: until a person has seen enough, or a time is over."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Final

from kwitness.answers.failure import CommandFailedError, WrongUseError
from kwitness.cli.output import warn
from kwitness.contracts.resources.durations import parse_duration

__all__ = ["Looks", "begin_refresh", "duration_option", "show_again"]

_EVERY_S: Final = 5.0
_CLEAR: Final = "\x1b[H\x1b[2J\x1b[3J"


class Looks:
    """Times to look: at once, then as long after each look as `wait_s` was set to, until `seconds` are over.

    Parameters
    ----------
    seconds
        None: until somebody interrupts.
    """

    def __init__(self, seconds: float | None) -> None:
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self.wait_s = 2.0

    def __iter__(self) -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1
            # What was written is seen now, and whether anybody reads it is known.
            sys.stdout.flush()
            left = None if self._deadline is None else self._deadline - time.monotonic()
            if left is not None and left <= 0:
                return
            time.sleep(self.wait_s if left is None else min(self.wait_s, left))
            if self._deadline is not None and time.monotonic() >= self._deadline:
                return


def duration_option(text: str | None) -> float | None:
    """Seconds of an option such as 10m.

    Raises
    ------
    WrongUseError
        It is no duration, or none at all.
    """
    if text is None:
        return None
    try:
        length = parse_duration(text)
    except ValueError as error:
        raise WrongUseError(str(error)) from error
    if length <= timedelta():
        raise WrongUseError(f"{text} is no time at all: write for example 10m")
    return length.total_seconds()


def begin_refresh(number: int) -> None:
    """Begin the text of a refresh: a terminal is cleared; in a pipe an empty line is between two."""
    if sys.stdout.isatty():
        sys.stdout.write(_CLEAR)
    elif number:
        print()


def show_again(show: Callable[[int | None], None], *, watch: bool) -> None:
    """Call `show` once with None, or if `watch` every 5 s with the number of the refresh.

    After the first call errors are warnings: a collector that is away comes back.
    """
    looks = Looks(None if watch else 0)
    looks.wait_s = _EVERY_S
    for number in looks:
        try:
            show(number if watch else None)
        except CommandFailedError as error:
            if not number:
                raise
            warn(str(error))
