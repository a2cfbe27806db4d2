"""Notes the processor time of each test and of each shared fixture; a plugin of pytest.

A line of JSON for each in the file that `KWITNESS_CPU_LOG` names: `{"file", "test" or "fixture", "tests", "cpu_s",
"wall_s"}`, with the number of tests that ended since the line before. Time counts for what was running when it was
spent, so a broker of the whole run is paid by the tests beside which it runs.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from kwitness.devtools.suite.measured import ROOT_VARIABLE
from kwitness.devtools.suite.process_tree import CONTAINER_ENGINE, ProcessorTime

LOG_VARIABLE: Final = "KWITNESS_CPU_LOG"
WITH_CONTAINERS_VARIABLE: Final = "KWITNESS_CPU_CONTAINERS"
"""Set where the run's containers count; another run beside it would count them again."""
_MOMENT_S: Final = 0.02
_SHARED: Final = frozenset({"session", "package", "module"})


class CpuLog:
    """Writes the differences between looks at the processor time."""

    def __init__(self, log: Path, time_of_run: ProcessorTime) -> None:
        self._log = log.open("a", encoding="utf-8", buffering=1)
        self._time_of_run = time_of_run
        self._cpu_s = 0.0
        self._began = time.monotonic()
        self._file = ""
        self._tests = 0

    def note(self, file: str, **what: str) -> None:
        """Write the time since the last note to `what`; the next of the same file pays for what took a moment."""
        now = time.monotonic()
        if now - self._began < _MOMENT_S and file == self._file:
            return
        cpu_s, self._file = self._time_of_run.seconds(), file
        line = {
            "file": file,
            **what,
            "tests": self._tests,
            "cpu_s": round(cpu_s - self._cpu_s, 3),
            "wall_s": round(now - self._began, 3),
        }
        self._log.write(json.dumps(line) + "\n")
        self._cpu_s, self._began, self._tests = cpu_s, now, 0

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: pytest.FixtureRequest) -> Generator[None, Any, Any]:
        """Note a shared fixture after it was set up."""
        result = yield
        if fixturedef.scope in _SHARED:
            self.note(_file(request.node.nodeid) or "(several)", fixture=fixturedef.argname)
        return result

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note a test, its own fixtures and what is torn down after it."""
        self._tests += 1
        self.note(_file(nodeid), test=nodeid.partition("::")[2])

    def pytest_sessionfinish(self) -> None:
        """Note what came after the last test."""
        self.note("(end of the run)")

    def pytest_collection_finish(self) -> None:
        """Note the collection, imports included."""
        self.note("(collection)")


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def pytest_configure(config: pytest.Config) -> None:
    """Measure if the suite asks for it."""
    if log := os.environ.get(LOG_VARIABLE):
        names = CONTAINER_ENGINE if os.environ.get(WITH_CONTAINERS_VARIABLE) else frozenset[str]()
        measured = ProcessorTime(int(os.environ.get(ROOT_VARIABLE) or os.getpid()), names=names)
        config.pluginmanager.register(CpuLog(Path(log), measured), "kwitness-cpu")
