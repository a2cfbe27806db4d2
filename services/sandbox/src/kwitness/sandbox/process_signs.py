"""Watches the processes below this one: whether their output grows, and whether they want to compute.

A starting virtual machine or a Spark driver in its first batch prints nothing for minutes, and computes. A process that
waits for a processor wants to compute as much as one that has it, so both times count: on a crowded machine a share of
the processor alone says little.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_BUSY: Final = 0.25
"""Of the time passed. An idle broker wants 1 to 2 % of a processor, an idle API server 5 %, one that starts all."""
_PROC: Final = Path("/proc")
_NANOSECONDS: Final = 1e9


class ProcessSigns:
    """Compares the processes below this one, and the other threads of this one, with what they were before."""

    def __init__(self) -> None:
        self._at: float | None = None
        self._desired: dict[str, float] = {}
        self._sizes: dict[tuple[int, int], int] = {}

    def moved(self, now: float) -> bool:
        """Return whether any output grew since the last call, or any process was busy for a quarter of the time.

        Parameters
        ----------
        now
            Seconds of any clock.
        """
        pids = list(_descendants(os.getpid()))
        desired = {f"{pid}": _desired_s(pid) for pid in pids}
        desired["own"] = _desired_s(os.getpid(), without=threading.get_native_id())
        sizes = dict(_outputs(pids))
        grew = any(size > self._sizes.get(file, size) for file, size in sizes.items())
        enough = _BUSY * (now - self._at) if self._at is not None else float("inf")
        busy = any(seconds - self._desired.get(key, seconds) > enough for key, seconds in desired.items())
        self._at, self._desired, self._sizes = now, desired, sizes
        return grew or busy


def _descendants(pid: int) -> Iterator[int]:
    """Process ids below one, as far as they can be read."""
    children: dict[int, list[int]] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                # The name, in parentheses, may hold spaces and parentheses; state and parent follow.
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    below = children.get(pid, [])
    while below:
        yield from below
        below = [child for parent in below for child in children.get(parent, [])]


def _desired_s(pid: int, *, without: int = 0) -> float:
    """Seconds that the threads of a process ran or waited for a processor (`sched_info` of the kernel)."""
    total = 0
    with contextlib.suppress(OSError):
        for task in (_PROC / str(pid) / "task").iterdir():
            if task.name != str(without):
                with contextlib.suppress(OSError, ValueError):
                    ran, waited, _ = (task / "schedstat").read_text().split()
                    total += int(ran) + int(waited)
    return total / _NANOSECONDS


def _outputs(pids: list[int]) -> Iterator[tuple[tuple[int, int], int]]:
    """Files that are the standard output or error of processes, by device and number, with their sizes."""
    for pid in pids:
        for descriptor in (1, 2):
            with contextlib.suppress(OSError):
                found = (_PROC / str(pid) / "fd" / str(descriptor)).stat()
                if stat.S_ISREG(found.st_mode):
                    yield (found.st_dev, found.st_ino), found.st_size
