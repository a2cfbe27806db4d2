"""Paired measurement: candidates in alternating blocks on a core of their own, ratios with an interval."""

from __future__ import annotations

import os
import random
import statistics
from collections.abc import Sequence
from pathlib import Path

COMPONENT_CORE, GENERATOR_CORE = 1, 0

_RESAMPLES = 2000


def interval(ratios: Sequence[float]) -> tuple[float, float, float]:
    """Median of the blocks' ratios, and the bootstrap 95 % interval of that median: middle, low, high."""
    generator = random.Random(1)  # noqa: S311 - the same blocks give the same interval
    medians = sorted(statistics.median(generator.choices(ratios, k=len(ratios))) for _ in range(_RESAMPLES))
    return statistics.median(ratios), medians[_RESAMPLES // 40], medians[-_RESAMPLES // 40 - 1]


def pin(process: int, core: int) -> None:
    """Hold a process and all threads that it has by now to one core; threads made later inherit it."""
    for thread in Path(f"/proc/{process}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {core})


def cpu_seconds(process: int) -> float:
    """User and system time of a process so far, without its children."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(process: int) -> float:
    """Resident memory of a process in MB (10^6 bytes)."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) * 1024 / 1e6
