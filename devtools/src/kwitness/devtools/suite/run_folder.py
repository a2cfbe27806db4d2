"""Holds what a run of the suite writes; what a whole run wrote is kept in the cache's folder until the next."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from kwitness.devtools.suite.cpu_plugin import LOG_VARIABLE, WITH_CONTAINERS_VARIABLE
from kwitness.devtools.suite.figures import GroupCost
from kwitness.images.build_time import BUILDS_VARIABLE
from kwitness.images.cache import cache_folder
from kwitness.sandbox.waiting import WAITS_LOG

__all__ = ["RunFolder"]


@dataclass(frozen=True)
class RunFolder:
    """Logs and measurements of one run."""

    path: Path

    @classmethod
    def last(cls) -> Self:
        """Return that of the last whole run."""
        return cls(cache_folder() / "suite-run")

    def keep(self) -> None:
        """Put it in the place of that of the last whole run; runs beside this one have folders of their own."""
        last = self.last().path
        shutil.rmtree(last, ignore_errors=True)
        shutil.copytree(self.path, last)

    def log(self, step: str) -> Path:
        """Return the file with a step's output."""
        return self.path / f"{step}.log"

    def cpu_log(self, step: str) -> Path:
        """Return the file with the processor time of a group's tests, see `cpu_plugin`."""
        return self.path / f"{step}.cpu.jsonl"

    def pytest_options(self, step: str) -> list[str]:
        """Return the options by which a group keeps here which of its tests failed."""
        return ["-o", f"cache_dir={self._pytest_cache(step)}"]

    def failed_tests(self, step: str) -> tuple[str, ...]:
        """Return pytest's ids of a group's tests that failed, in their order."""
        file = self._pytest_cache(step) / "v/cache/lastfailed"
        return tuple(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else ()

    def _pytest_cache(self, step: str) -> Path:
        return self.path / f"{step}.pytest"

    def waits(self) -> list[str]:
        """Return the lines that the groups wrote of their waits, see `kwitness.sandbox.waiting`."""
        log = self._waits_log
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    @property
    def _waits_log(self) -> Path:
        return self.path / "waits.jsonl"

    def variables(self, step: str, *, has_containers: bool) -> dict[str, str]:
        """Return environment variables by which a group notes its processor time and its waits here."""
        log = str(self.cpu_log(step))
        variables = {LOG_VARIABLE: log, BUILDS_VARIABLE: log, WAITS_LOG: str(self._waits_log)}
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
