"""The steps of `make test`: what each runs, and which must have passed before it."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from typing_extensions import override

__all__ = ["CHECKS", "GROUPS", "OTHER_RUNS", "QUICK", "UNIT", "Group", "Step"]


@dataclass(frozen=True, kw_only=True)
class Step:
    """A command that is run beside others."""

    name: str
    title: str
    """A heading for its output."""
    targets: tuple[str, ...] = ()
    """Targets of the Makefile; a group of tests has none."""
    after: tuple[str, ...] = ()
    """Names of the steps that must have passed, where they are run too."""

    def command(self) -> list[str]:
        """The command line."""
        return ["make", "--no-print-directory", "--jobs=2", "--output-sync=line", *self.targets]


@dataclass(frozen=True, kw_only=True)
class Group(Step):
    """Tests that need the same environment and run one after another."""

    expression: str
    """Chooses its tests by their markers."""
    folders: tuple[str, ...] = ()
    """Folders of `tests/` that are collected; without: all. `complete_groups` sees that no test is left out."""
    tests: tuple[str, ...] = ()
    """Those of its tests that are run, by pytest's ids; without: all."""
    mark: str = ""
    """Text of the mark that all its tests have: files without it are not imported, which takes as long as some tests.

    Needs `folders`.
    """
    queue: str
    """Queue in which it waits for other runs on this machine to end, see `KWITNESS_TURNS`."""
    has_containers: bool = False
    """Processor time of the container engine is its own: no other group uses containers."""
    is_measured: bool = True
    """Its processor time is noted, which costs a few milliseconds a test."""

    def holds(self, folder: str, markers: Collection[str]) -> bool:
        """Return whether a test in this folder with these markers is one of the group's."""
        values = defaultdict(bool, dict.fromkeys(markers, True))
        chosen = bool(eval(self.expression, {"__builtins__": {}}, values))  # noqa: S307 - our own names, and, or, not
        return chosen and (not self.folders or folder in self.folders)

    def imports(self, file: Path) -> bool:
        """Return whether a test file of its folders is collected."""
        return not self.mark or self.mark in file.read_text(encoding="utf-8")

    @override
    def command(self) -> list[str]:
        """The run of pytest, below a process that adopts its orphans, with its processor time noted."""
        pytest = ["-m", "pytest", "-m", self.expression, "--durations=5", *(self.tests or self._collected())]
        if not self.is_measured:
            return [sys.executable, *pytest]
        plugins = ["-p", "kwitness.devtools.suite.cpu_plugin", "-p", "kwitness.devtools.suite.complete_groups"]
        return [sys.executable, "-m", "kwitness.devtools.suite.measured", sys.executable, *pytest, *plugins]

    def _collected(self) -> list[str]:
        folders = [Path("tests", folder) for folder in self.folders]
        if not self.mark:
            return [str(folder) for folder in folders]
        files = [file for folder in folders for file in sorted(folder.glob("test_*.py"))]
        return [str(file) for file in files if self.imports(file)]


OTHER_RUNS: Final = "release"
"""Marker of tests that no group runs: those of `make test-release`, which take minutes."""
_NODE: Final = "node or e2e"
_BROKER: Final = "broker or spark"
_NEITHER: Final = f"not ({_BROKER} or {_NODE} or {OTHER_RUNS})"

CHECKS: Final[Sequence[Step]] = (
    Step(name="java", title="tests of the Java code", targets=("test-java",)),
    Step(
        name="checks",
        title="lint, generated files, tests of the Rust code",
        targets=("lint", "verify", "test-wire", "test-observer-rust", "test-librdkafka-rust"),
    ),
    # Maven builds there what the images hold.
    Step(name="images", title="images", targets=("demo-images",), after=("java",)),
)

UNIT: Final[Sequence[Group]] = (
    Group(
        name="programs",
        title="tests of programs that need no broker, no Spark and no node",
        expression=_NEITHER,
        folders=(
            "broker_plugin", "collector", "console", "interceptors_counts", "interceptors_java",
            "interceptors_librdkafka", "interceptors_python", "mcp", "observer", "observer_host", "operator", "runtime",
            "strangers", "tenants",
        ),
        queue="programs",
    ),
    Group(
        name="contracts",
        title="tests of contracts, chart, command, analyses, pages and tools that need no broker, no Spark and no node",
        expression=_NEITHER,
        folders=(
            "chart", "cli", "contracts", "demo", "devtools", "images", "injector", "jobs", "node", "release",
            "repository", "subscriptions", "upgrade",
        ),
        queue="run",
    ),
)  # fmt: skip
"""What `make test-fast` runs, in two processes."""

GROUPS: Final[Sequence[Group]] = (
    Group(
        name="node",
        title="tests that need a node",
        expression=f"({_NODE}) and not {OTHER_RUNS}",
        folders=("chart", "e2e", "images", "node"),
        queue="node",
        has_containers=True,
        after=("images",),
    ),
    Group(
        name="broker",
        title="tests that need a broker",
        expression=f"broker and not spark and not ({_NODE} or {OTHER_RUNS})",
        folders=(
            "broker_plugin", "cli", "collector", "contracts", "demo", "interceptors_counts", "interceptors_java",
            "interceptors_librdkafka", "interceptors_python", "jobs", "node", "observer", "observer_host", "operator",
            "tenants", "upgrade",
        ),
        mark="pytest.mark.broker",
        queue="broker",
        after=("java",),
    ),
    Group(
        name="spark",
        title="tests that need Spark",
        expression=f"spark and not ({_NODE} or {OTHER_RUNS})",
        folders=("jobs",),
        queue="spark",
    ),
    *UNIT,
)  # fmt: skip
"""Together every test but those of `OTHER_RUNS`, the longest first.

One Spark session serves tests with and without a broker.
"""

QUICK: Final = Group(
    name="quick",
    title="tests that take a moment",
    expression=f"not (slow or {_BROKER} or {_NODE} or {OTHER_RUNS})",
    queue="off",
    is_measured=False,
)
"""The part of the groups in `UNIT` that `make check` runs."""
