"""Chooses the failed tests that run a second time, alone; see decision 0160."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import pytest

from kwitness.devtools.suite.run_folder import RunFolder
from kwitness.devtools.suite.side_by_side import Run
from kwitness.devtools.suite.steps import Group, Step

__all__ = ["second_run"]

_MOST_TESTS: Final = 3
"""More failures than these are no matter of what ran beside them."""


def second_run(steps: Sequence[Step], failed: Sequence[Run], folder: RunFolder) -> list[Group]:
    """Return groups of the failed tests alone; none where something else failed than a few tests."""
    by_name = {step.name: step for step in steps}
    groups = []
    for run in failed:
        step, tests = by_name[run.name], folder.failed_tests(run.name)
        if not isinstance(step, Group) or run.process.returncode != pytest.ExitCode.TESTS_FAILED:
            return []
        title = f"{step.title}: what failed, alone"
        groups.append(replace(step, name=f"{step.name}-again", title=title, after=(), tests=tests))
    return groups if sum(len(group.tests) for group in groups) <= _MOST_TESTS else []
