"""`python -m kwitness.devtools.suite [STEP ...]`: runs checks and groups of tests side by side."""

from __future__ import annotations

import argparse
import functools
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from kwitness.devtools.suite.cpu_log import read_cpu_file
from kwitness.devtools.suite.figures import GroupCost, committed, comparison, excessive
from kwitness.devtools.suite.passed import note_passed, tree_hash
from kwitness.devtools.suite.run_folder import RunFolder
from kwitness.devtools.suite.second_run import second_run
from kwitness.devtools.suite.side_by_side import Beginning, Interruption, Line, Run, end, follow
from kwitness.devtools.suite.steps import CHECKS, GROUPS, QUICK, Group, Step
from kwitness.e2e.reference_work import ReferenceClock
from kwitness.sandbox.waiting import slowest_waits

_SHOWN_FAILURES: Final = 40
_FAILURE: Final = re.compile(r"^(?:FAILED|ERROR|E  ) .*", re.MULTILINE)
_AT_ONCE: Final = 4
"""Steps that run at the same time: about half of what a group takes is waiting, so four keep two cores busy."""
_BEHIND: Final = ("nice", "-n", "5")
"""Runs a step that no other waits for: beside one that others wait for, it gets a third of the processor."""
_COLUMNS: Final = "160"
"""Width of pytest's summary: the reason of a failure stands at the end of its line."""
_OF_MAKE: Final = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKE_TERMOUT", "MAKE_TERMERR")
"""Variables by which `make` would take the one above it for its own."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the steps that are named, or all; the exit status is 0 when every one passed."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.devtools.suite", description=__doc__)
    known = {step.name: step for step in (*CHECKS, *GROUPS, QUICK)}
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of {', '.join(known)}; without: everything")
    names = parser.parse_args(arguments).steps
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no step {', '.join(unknown)}: the steps are {', '.join(known)}")
    everything = (*CHECKS, *GROUPS)
    chosen = [known[name] for name in dict.fromkeys(names)] or everything
    tree, began = tree_hash(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kwitness-suite-") as path, ReferenceClock() as reference:
        folder = RunFolder(Path(path))
        status, costs, passed_again = run(chosen, folder=folder, out=sys.stdout.buffer)
        folder.write_summary(costs, reference.seconds)
        if chosen is everything and costs:
            folder.keep()
        waits = folder.waits()
    too_much = excessive(costs, committed(), reference.seconds)
    if waits:
        _say(sys.stdout.buffer, "== the waits that came closest to failing ==", *slowest_waits(waits))
    _say(sys.stdout.buffer, *comparison(costs, committed(), reference.seconds), *too_much)
    if too_much and os.environ.get("CI"):
        status = status or 1
    if status == 0 and chosen is everything and tree and tree == tree_hash():
        minutes, cpu_s = (time.monotonic() - began) / 60, sum(cost.cpu_s for cost in costs)
        noted = {"minutes": round(minutes, 1), "cpu_seconds": round(cpu_s), "reference_s": reference.seconds}
        note_passed(tree, {**noted, "passed_again": passed_again})
    return status


class Outcome(NamedTuple):
    """Result of a run of steps."""

    status: int
    """Exit status."""
    costs: list[GroupCost]
    """Those of the steps that ran, in their order; of an interrupted run none."""
    passed_again: list[str]
    """Tests that failed beside the others and passed when they ran again alone."""


def run(steps: Sequence[Step], *, folder: RunFolder, out: BinaryIO, at_once: int = _AT_ONCE) -> Outcome:
    """Run steps, a few at a time; show the first as it goes and then the others, and what failed.

    Where that is a few tests, they run again with nothing beside them.
    """
    with Interruption() as interruption:
        line = _follow_all(steps, interruption, folder, out, at_once=at_once)
        failed = [] if interruption else line.failed()
        if failed:
            _say(out, "== what failed, and why ==")
            _say(out, *(f"{ended.name} ended with {ended.process.returncode}" for ended in failed))
            _say(out, *failures(ended.log.read_text(errors="replace") for ended in failed))
        again = [] if line.skipped else second_run(steps, failed, folder)
        has_passed = bool(again) and not _follow_all(again, interruption, folder, out, at_once=1).failed()
        if interruption:
            return Outcome(128 + interruption.signals[0], [], [])
    passed_again = [test for group in again for test in group.tests] if has_passed else []
    if passed_again:
        _say(out, "== failed beside others and passed alone: a defect of the test or of the code ==", *passed_again)
    costs = [_cost(line.runs[step.name], folder) for step in steps if step.name in line.runs]
    return Outcome(int(bool(failed) and not has_passed), costs, passed_again)


def _follow_all(
    steps: Sequence[Step], interruption: Interruption, folder: RunFolder, out: BinaryIO, *, at_once: int
) -> Line:
    """Run steps until all have ended or a signal interrupts, and leave none that runs."""
    awaited = {name for step in steps for name in step.after}
    beginnings = [
        Beginning(step.name, functools.partial(_begin, step, folder, is_awaited=step.name in awaited), step.after)
        for step in steps
    ]
    line = Line(beginnings, at_once=at_once)
    try:
        for step in steps:
            _say(out, f"== {step.title} ==")
            follow(line, step.name, interruption, out)
            if interruption:
                _say(out, "interrupted; ends what still runs (once more: by force)")
                break
            if step.name in line.skipped:
                _say(out, f"not run, because {line.skipped[step.name]} failed")
    finally:
        end(line.runs.values(), interruption)
    return line


def _begin(step: Step, folder: RunFolder, *, is_awaited: bool) -> Run:
    environment = {name: value for name, value in os.environ.items() if name not in _OF_MAKE}
    environment["COLUMNS"] = _COLUMNS
    command = step.command() if is_awaited else [*_BEHIND, *step.command()]
    if isinstance(step, Group):
        command += folder.pytest_options(step.name)
        environment["KWITNESS_TURNS"] = step.queue
        if step.is_measured:
            environment |= folder.variables(step.name, has_containers=step.has_containers)
    return Run(step.name, command, folder.log(step.name), environment)


def _cost(ended: Run, folder: RunFolder) -> GroupCost:
    noted = read_cpu_file(folder.cpu_log(ended.name))
    return GroupCost(ended.name, ended.seconds, noted.cpu_s or ended.cpu_s, noted.build_s)


def failures(logs: Iterable[str]) -> list[str]:
    """Return the last lines of pytest that name a failed test or quote an assertion."""
    return [line for log in logs for line in _FAILURE.findall(log)][-_SHOWN_FAILURES:]


def _say(out: BinaryIO, *lines: str) -> None:
    out.write("".join(f"{line}\n" for line in lines).encode())
    out.flush()


if __name__ == "__main__":
    sys.exit(main())
