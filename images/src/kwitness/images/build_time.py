"""Notes the processor time of builds, so that a measurement of tests can leave them out."""

from __future__ import annotations

import contextlib
import json
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["BUILDS_VARIABLE", "noted_build"]

BUILDS_VARIABLE: Final = "KWITNESS_BUILDS_LOG"
"""Names the file for a line of JSON for each build: `{"build", "cpu_s"}`."""
_depth = 0


@contextlib.contextmanager
def noted_build(what: str) -> Iterator[None]:
    """Note the CPU-seconds of the programs that end inside the block; a build inside a build is part of it."""
    global _depth  # noqa: PLW0603 - a build of this process
    before = _children_s()
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if (log := os.environ.get(BUILDS_VARIABLE)) and _depth == 0:
            with Path(log).open("a", encoding="utf-8") as lines:
                lines.write(json.dumps({"build": what, "cpu_s": round(_children_s() - before, 3)}) + "\n")


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
