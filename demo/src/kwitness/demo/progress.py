"""What the demo says while it works."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from kwitness.sandbox import waiting
from kwitness.sandbox.waiting import Sign

REMIND_SECONDS = 15
"""After so long a reader wants to know that something still happens."""
STILL_SECONDS = 180
"""A push, a scrape, a window of an observer and a look of the operator may have to follow each other."""


class DemoError(Exception):
    """A step failed: which component, why, and where its log is."""

    def __init__(self, *, component: str, reason: str, log: str) -> None:
        super().__init__(f"{component}: {reason}")
        self.component = component
        self.reason = reason
        self.log = log


@dataclass
class Progress:
    """Numbered steps with the time spent; within a step, what is waited for.

    A step names what it waits for when that changes. After 15 s without a line it prints how long it has lasted.
    """

    total: int
    """How many steps there will be."""
    out: TextIO = field(default_factory=lambda: sys.stdout)
    began: float | None = None
    """When the time spent began, by `time.monotonic`; absent: now."""
    _number: int = 0
    _waits_for: str = ""
    _since: float = 0.0
    _said_at: float = 0.0
    _printed_at: float = 0.0

    def __post_init__(self) -> None:
        self._start = time.monotonic() if self.began is None else self.began

    @property
    def spent(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self._start

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Announce a step and, when it is through, its duration in seconds."""
        self._number += 1
        started = time.monotonic()
        self._line(f"[{self._number:2}/{self.total}] {title} ({self.spent:.0f} s so far)")
        self._waits_for = ""
        ended = threading.Event()
        threading.Thread(target=self._remind, args=(started, ended), daemon=True).start()
        try:
            yield
        finally:
            ended.set()
        self._line(f"        done in {time.monotonic() - started:.0f} s")

    def _remind(self, started: float, ended: threading.Event) -> None:
        while not ended.wait(REMIND_SECONDS):
            if not self._waits_for and (now := time.monotonic()) - self._printed_at >= REMIND_SECONDS:
                self._line(f"        ... {now - started:.0f} s in this step")

    def waiting(self, what: str) -> None:
        """Say what is waited for if that has changed, and every 15 s that it has not."""
        now = time.monotonic()
        if what != self._waits_for:
            self._waits_for, self._since, self._said_at = what, now, now
            self._line(f"        waits for {what}")
        elif now - self._said_at >= REMIND_SECONDS:
            self._said_at = now
            self._line(f"        ... {now - self._since:.0f} s")

    def note(self, text: str) -> None:
        """Say something that is neither a step nor a wait."""
        self._line(f"        {text}")

    def _line(self, text: str) -> None:
        self._printed_at = time.monotonic()
        print(text, file=self.out, flush=True)


def wait_until(
    ready: Callable[[], str | None],
    *,
    progress: Progress,
    component: str,
    log: str,
    signs: Iterable[Sign] = (),
    every: float = 1.0,
) -> None:
    """Poll until nothing is missing, for as long as anything moves (docs/decisions/0122).

    Parameters
    ----------
    ready
        Returns None when there is nothing left to wait for, else what is missing, in words.
    component, log
        Named in the error.
    signs
        Show that something moves while the same is missing.
    every
        Seconds between polls.

    Raises
    ------
    DemoError
        Something is still missing, and nothing has moved for long.
    """

    def missing() -> str | None:
        found = ready()
        if found is not None:
            progress.waiting(found)
        return found

    try:
        waiting.wait_until(
            missing, lambda found: found is None, what=component, signs=signs, still_s=STILL_SECONDS, every=every
        )
    except waiting.WaitFailedError as error:
        reason = str(error).removeprefix(f"{component}: ")
        raise DemoError(component=component, reason=reason, log=log) from error
