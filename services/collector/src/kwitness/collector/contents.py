"""Parts of plain OTLP exports that came lately, by their content: who got no answer sends the same bytes again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kwitness.collector.events import Event
from kwitness.collector.failures import UnavailableError

REMEMBERED_MS: Final = 300_000
"""How long OTLP clients try again at most, as a rule."""
MAX_CONTENTS: Final = 100_000
"""Contents remembered, the oldest forgotten first."""


class Contents:
    """What was taken within the last five minutes, and what is in work (docs/decisions/0115)."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}
        self._in_work: set[str] = set()

    def __len__(self) -> int:
        return len(self._taken)

    def claim(self, events: Sequence[Event]) -> list[Event]:
        """Return the events that are new, which are in work from now on until `release`.

        Raises
        ------
        UnavailableError
            If one of them is in work already: what becomes of it is not known yet.
        """
        asked = [event.content for event in events if event.content is not None]
        if not self._in_work.isdisjoint(asked):
            raise UnavailableError("InWork", "the same export is being taken in already; try again")
        fresh: list[Event] = []
        claimed: set[str] = set()
        for event in events:
            if event.content is None:
                fresh.append(event)
            elif event.content not in self._taken and event.content not in claimed:
                claimed.add(event.content)
                fresh.append(event)
        self._in_work |= claimed
        return fresh

    def release(self, events: Iterable[Event]) -> None:
        """Let go of what `claim` returned."""
        self._in_work.difference_update(event.content for event in events if event.content is not None)

    def add(self, content: str, now_ms: int) -> None:
        """Remember what was taken."""
        self._taken[content] = now_ms
        if len(self._taken) > MAX_CONTENTS:
            del self._taken[next(iter(self._taken))]

    def expire(self, now_ms: int) -> None:
        """Forget what came more than five minutes ago."""
        while self._taken:
            oldest = next(iter(self._taken))
            if now_ms - self._taken[oldest] < REMEMBERED_MS:
                return
            del self._taken[oldest]

    def clock_was_set(self, step_ms: int) -> None:
        """Shift all times with the clock that they were read from."""
        self._taken = {content: at_ms + step_ms for content, at_ms in self._taken.items()}

    def dump(self) -> Iterator[list[object]]:
        """Yield rows for the state file."""
        for content, at_ms in self._taken.items():
            yield [content, at_ms]

    def load(self, rows: Iterable[list[object]]) -> None:
        """Take rows back; raises ValueError or TypeError if they are something else."""
        for content, at_ms in rows:
            self._taken[str(content)] = int(str(at_ms))
