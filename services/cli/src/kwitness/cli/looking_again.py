"""Looking again and again: until a person has seen enough, or a time is over."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from kwitness.cli.failure import WrongUseError
from kwitness.cli.output import Output
from kwitness.contracts.resources.durations import parse_duration

__all__ = ["Looks", "duration_option", "show_again"]

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


def show_again(output: Output, document: Any, number: int) -> bool:
    """Begin what is shown at a look; True where it is a document, which is written then.

    A terminal is cleared; into a pipe looks are parted by an empty line, JSON has one line a look, YAML a document.
    """
    match output.format:
        case "json":
            print(json.dumps(document))
            return True
        case "yaml":
            print("---")
            output.document(document)
            return True
        case _:
            if sys.stdout.isatty():
                sys.stdout.write(_CLEAR)
            elif number:
                print()
            return False
