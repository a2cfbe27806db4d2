"""Keeps what a run of the suite writes, in the cache's folder, until the next run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from kwitness.devtools.suite.cpu_plugin import LOG_VARIABLE, WITH_CONTAINERS_VARIABLE
from kwitness.devtools.suite.figures import GroupCost
from kwitness.e2e.waiting import WAITS_LOG
from kwitness.images.build_time import BUILDS_VARIABLE
from kwitness.images.cache import cache_folder

__all__ = ["RunFolder"]


@dataclass(frozen=True)
class RunFolder:
    """Logs and measurements of one run."""

    path: Path

    @classmethod
    def new(cls) -> Self:
        """Make an empty one in place of that of the last run."""
        path = cls.last().path
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return cls(path)

    @classmethod
    def last(cls) -> Self:
        """Return that of the last run."""
        return cls(cache_folder() / "suite-run")

    def log(self, step: str) -> Path:
        """Return the file with a step's output."""
        return self.path / f"{step}.log"

    def cpu_log(self, step: str) -> Path:
        """Return the file with the processor time of a group's tests, see `cpu_plugin`."""
        return self.path / f"{step}.cpu.jsonl"

    @property
    def waits_log(self) -> Path:
        """Return the file with the waits of all groups, see `kwitness.e2e.waiting`."""
        return self.path / "waits.jsonl"

    def variables(self, step: str, *, has_containers: bool) -> dict[str, str]:
        """Return environment variables by which a group notes its processor time and its waits here."""
        log = str(self.cpu_log(step))
        variables = {LOG_VARIABLE: log, BUILDS_VARIABLE: log, WAITS_LOG: str(self.waits_log)}
        return {**variables, WITH_CONTAINERS_VARIABLE: "1"} if has_containers else variables

    def write_summary(self, costs: Sequence[GroupCost], reference_s: float) -> None:
        """Write the costs of the steps, for the page."""
        summary = {"reference_s": reference_s, "steps": [asdict(cost) for cost in costs]}
        (self.path / "summary.json").write_text(json.dumps(summary), encoding="utf-8")

    def summary(self) -> dict[str, Any]:
        """Return what `write_summary` wrote.

        Raises
        ------
        FileNotFoundError
            No run has ended here.
        """
        summary: dict[str, Any] = json.loads((self.path / "summary.json").read_text(encoding="utf-8"))
        return summary
