"""Processor time of processes and of what they started, as the kernel counts it."""

from __future__ import annotations

import subprocess
import sys

from kwitness.devtools.suite.process_tree import ProcessorTime

_NAMED = """
import ctypes, subprocess, sys, time
ctypes.CDLL(None).prctl(15, b"kwitness-shim")  # PR_SET_NAME
"""
_INNER = f"""{_NAMED}
while time.process_time() < 0.6: pass
print("computed", flush=True)
input()
"""
_OUTER = f"""{_NAMED}
inner = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
inner.wait()
print("waited", flush=True)
input()
"""


def test_a_named_process_that_ends_below_another_is_counted_once():
    measured = ProcessorTime(0, names={"kwitness-shim"})
    command = [sys.executable, "-c", _OUTER, _INNER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as outer:
        assert outer.stdin
        assert outer.stdout
        assert outer.stdout.readline() == "computed\n"
        while_it_runs = measured.seconds()
        outer.stdin.write("\n")
        outer.stdin.flush()
        assert outer.stdout.readline() == "waited\n"
        after = measured.seconds()
        outer.communicate("\n")

    assert while_it_runs >= 0.6
    assert while_it_runs <= after < while_it_runs + 0.3
