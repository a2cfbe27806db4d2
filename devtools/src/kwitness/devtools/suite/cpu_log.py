"""Reads what a run noted of its processor time: by test file, by shared fixture, and of builds."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["RunCost", "read_cpu_file", "read_cpu_log"]


@dataclass
class RunCost:
    """CPU-seconds of one run of pytest."""

    cpu_s: float = 0.0
    build_s: float = 0.0
    tests: int = 0
    by_file: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """By test file, shared fixtures left out."""
    by_fixture: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """By name of a fixture that several tests share."""
    wall_by_file: dict[str, float] = field(default_factory=lambda: defaultdict(float))


def read_cpu_log(lines: Iterable[str]) -> RunCost:
    """Add up the lines that `cpu_plugin` and builds wrote."""
    cost = RunCost()
    for line in lines:
        note = json.loads(line)
        if "build" in note:
            cost.build_s += note["cpu_s"]
            continue
        cost.cpu_s += note["cpu_s"]
        cost.tests += note["tests"]
        if "fixture" in note:
            cost.by_fixture[note["fixture"]] += note["cpu_s"]
        else:
            cost.by_file[note["file"]] += note["cpu_s"]
            cost.wall_by_file[note["file"]] += note["wall_s"]
    return cost


def read_cpu_file(path: Path) -> RunCost:
    """Read a log; one that no run wrote, because it ended before, is empty."""
    return read_cpu_log(path.read_text(encoding="utf-8").splitlines() if path.exists() else ())
