"""Fails a run that deselects a test which no group of `make test` runs; a plugin of pytest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from kwitness.devtools.suite.steps import GROUPS, OTHER_RUNS
from kwitness.images.image_parts import REPOSITORY

_TESTS = REPOSITORY / "tests"


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Look at what other groups are to run.

    Raises
    ------
    pytest.UsageError
        The group that a test belongs to by its markers does not collect the test's folder or file.
    """
    for item in items:
        folder = _folder(item.path)
        markers = {mark.name for mark in item.iter_markers()}
        if OTHER_RUNS in markers:
            continue
        groups = [group for group in GROUPS if folder and group.holds(folder, markers)]
        if folder and not groups:
            raise pytest.UsageError(
                f"no group of `make test` runs {item.nodeid}: add {folder} to the folders of the group with its "
                "markers, in devtools/src/kwitness/devtools/suite/steps.py"
            )
        if any(not group.imports(item.path) for group in groups):
            raise pytest.UsageError(
                f"no group of `make test` runs {item.nodeid}: write {groups[0].mark} in {item.path.name}"
            )


def _folder(path: Path) -> str | None:
    return path.relative_to(_TESTS).parts[0] if path.is_relative_to(_TESTS) else None
