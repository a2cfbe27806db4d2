"""Adds up the processor time of a process and of everything that it started, from `/proc`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["CONTAINER_ENGINE", "ProcessorTime"]

CONTAINER_ENGINE: Final = frozenset({"dockerd", "containerd", "containerd-shim"})
"""Processes below which containers run, by the name that the kernel shortens to 15 characters."""
_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
_STAT_PARENT, _STAT_TIMES, _STAT_BEGAN = 1, slice(11, 15), 19
"""Fields of `/proc/PID/stat` after the name: proc(5)."""


class _Process(NamedTuple):
    number: int
    parent: int
    began: int
    name: str
    ticks: int
    """User and system time: its own, and that of its children that have ended and were waited for."""


class ProcessorTime:
    """Measures CPU-seconds, user and system, below some processes since it was made.

    Parameters
    ----------
    root
        Number of a process. It or a descendant must adopt orphans (`measured` does), or those are missed.
    names
        Names of further processes whose descendants count, such as `CONTAINER_ENGINE`.
    """

    def __init__(self, root: int, *, names: Collection[str] = ()) -> None:
        self._root = root
        self._names = names
        self._ticks_by_root: dict[tuple[int, int], int] = {}
        """By number and start, so that the time of a root that has ended is kept."""
        self._ticks_before = 0
        self._ticks_before = self._ticks()

    def seconds(self) -> float:
        """CPU-seconds so far; what ends while `/proc` is read may be missed until the next call."""
        return (self._ticks() - self._ticks_before) / _TICKS_PER_SECOND

    def _ticks(self) -> int:
        processes = {process.number: process for process in _processes()}
        now: dict[tuple[int, int], int] = {}
        for process in processes.values():
            if root := self._root_of(process, processes):
                key = (root.number, root.began)
                now[key] = now.get(key, 0) + process.ticks
        self._ticks_by_root |= now
        return sum(self._ticks_by_root.values())

    def _root_of(self, process: _Process, processes: dict[int, _Process]) -> _Process | None:
        # The outermost: a root that ends below another is in the time of its parent from then on.
        root: _Process | None = None
        above: _Process | None = process
        while above is not None:
            if above.number == self._root or above.name in self._names:
                root = above
            above = processes.get(above.parent)
        return root


def _processes() -> Iterator[_Process]:
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with contextlib.suppress(ProcessLookupError, FileNotFoundError):  # it has ended meanwhile
                name, _, rest = Path(entry.path, "stat").read_text(errors="replace").partition("(")[2].rpartition(")")
                fields = rest.split()
                yield _Process(
                    number=int(entry.name),
                    parent=int(fields[_STAT_PARENT]),
                    began=int(fields[_STAT_BEGAN]),
                    name=name,
                    ticks=sum(map(int, fields[_STAT_TIMES])),
                )
