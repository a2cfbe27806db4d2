"""Runs the program that reads tables, and ends it where it takes too long, too much memory or answers too much."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

__all__ = ["MOST_ANSWERED", "MOST_MEMORY", "MOST_SECONDS", "Bounds", "ReadTable", "Reading", "read_in_process"]

MOST_SECONDS: Final = 120
"""Seconds that the process may run."""
MOST_MEMORY: Final = 768 * 1024 * 1024
"""Bytes of memory that it may have resident; they are seen where the system has `/proc`."""
MOST_ANSWERED: Final = 64 * 1024 * 1024
"""Bytes that it may answer."""
_PROGRAM: Final = "kwitness.console.sources.tables_program"
_GLANCE_S: Final = 0.1
_PART: Final = 1024 * 1024
_LINES_OF_TABLE: Final = 2


class Bounds(NamedTuple):
    """Bounds of the process."""

    seconds: float = MOST_SECONDS
    memory: int = MOST_MEMORY
    answered: int = MOST_ANSWERED


class ReadTable(NamedTuple):
    """Facts about a table, and its rows as a list of JSON."""

    facts: Mapping[str, Any]
    rows: str


class Reading(NamedTuple):
    """Tables that were read, why the others were not, and the seconds of processor time that it took."""

    tables: Sequence[ReadTable]
    ended: str | None
    worked_s: float


def read_in_process(requests: Sequence[Mapping[str, Any]], bounds: Bounds | None = None) -> Reading:
    """Read tables one after the other, in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Otherwise libraries start a thread for each processor.
        env={**os.environ, "OMP_NUM_THREADS": "1", "TOKIO_WORKER_THREADS": "1"},
    )
    try:
        content, ended = _content(
            process, "".join(f"{json.dumps(request)}\n" for request in requests), bounds or Bounds()
        )
    finally:
        # Not process.kill, which would collect the child without what it used.
        os.kill(process.pid, signal.SIGKILL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()  # type: ignore[union-attr]
    tables = _tables(content)
    if ended is None and len(tables) < len(requests):
        ended = "the process that reads tables ended before it had read it: its standard error says why"
    return Reading(tables, ended, used.ru_utime + used.ru_stime)


def _content(process: subprocess.Popen[bytes], requests: str, bounds: Bounds) -> tuple[bytearray, str | None]:
    """Return what was answered, and why not all was."""
    with contextlib.suppress(BrokenPipeError), process.stdin as requested:  # type: ignore[union-attr]
        requested.write(requests.encode())
    answers = process.stdout.fileno()  # type: ignore[union-attr]
    end = time.monotonic() + bounds.seconds
    content = bytearray()
    # Not select.select, which takes no descriptor above 1023: a console may have more connections than that.
    with selectors.DefaultSelector() as readable:
        readable.register(answers, selectors.EVENT_READ)
        while True:
            if readable.select(_GLANCE_S):
                part = os.read(answers, _PART)
                if not part:
                    return content, None
                content += part
            if len(content) > bounds.answered:
                return content, f"its rows are more than {bounds.answered >> 20} MiB"
            if _resident(process.pid) > bounds.memory:
                return content, f"reading it takes more than {bounds.memory >> 20} MiB of memory"
            if time.monotonic() > end:
                return content, f"reading it takes longer than {bounds.seconds:g} seconds"


def _resident(pid: int) -> int:
    """Return the bytes of memory that a process has resident; 0 where it is not known."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _tables(content: bytearray) -> list[ReadTable]:
    """Return the tables that were answered whole; the bytes are copied once, since they are many."""
    lines, start = [], 0
    with memoryview(content) as view:
        while (end := content.find(b"\n", start)) >= 0:
            lines.append(str(view[start:end], "utf-8"))
            start = end + 1
    whole = len(lines) // _LINES_OF_TABLE * _LINES_OF_TABLE
    return [ReadTable(json.loads(lines[at]), lines[at + 1]) for at in range(0, whole, _LINES_OF_TABLE)]
