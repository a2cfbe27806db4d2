"""Keeps processors from halting, since the host of a virtual machine wakes those that do up to milliseconds late."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence

from kwitness.bench.paired_measurement import COMPONENT_CORE, GENERATOR_CORE

AWAKE = "Both processors are kept from halting."
_SPIN = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
while os.getppid() == int(sys.argv[2]):
    pass
"""


@contextlib.contextmanager
def awake(cores: Sequence[int] = (COMPONENT_CORE, GENERATOR_CORE)) -> Iterator[None]:
    """Spin on these cores at idle priority, so that any other thread runs first."""
    spinning = [subprocess.Popen([sys.executable, "-c", _SPIN, str(core), str(os.getpid())]) for core in cores]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()
