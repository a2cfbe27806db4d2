"""The steps of `make test`: what each runs, and which must have passed before it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

__all__ = ["CHECKS", "GROUPS", "QUICK", "Group", "Step"]


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
    queue: str
    """Queue in which it waits for other runs on this machine to end, see `KWITNESS_TURNS`."""
    has_containers: bool = False
    """Processor time of the container engine is its own: no other group uses containers."""
    is_measured: bool = True
    """Its processor time is noted, which costs a few milliseconds a test."""

    @override
    def command(self) -> list[str]:
        """The run of pytest, below a process that adopts its orphans, with its processor time noted."""
        pytest = ["-m", "pytest", "-m", self.expression, "--durations=5"]
        if not self.is_measured:
            return [sys.executable, *pytest]
        measured = [sys.executable, "-m", "kwitness.devtools.suite.measured"]
        return [*measured, sys.executable, *pytest, "-p", "kwitness.devtools.suite.cpu_plugin"]


_NODE: Final = "node or e2e"
_BROKER: Final = "broker or spark"

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

GROUPS: Final[Sequence[Group]] = (
    Group(
        name="node", title="tests that need a node", expression=_NODE, queue="node",
        has_containers=True, after=("images",),
    ),
    Group(
        name="broker", title="tests that need a broker", queue="broker", after=("java",),
        expression=f"broker and not spark and not ({_NODE})",
    ),
    Group(
        name="spark", title="tests that need Spark", queue="spark",
        expression=f"spark and not ({_NODE})",
    ),
    Group(
        name="unit", title="tests that need no broker, no Spark and no node", queue="run",
        expression=f"not ({_BROKER} or {_NODE})",
    ),
)  # fmt: skip
"""Together every test there is, the longest first. One Spark session serves tests with and without a broker."""

QUICK: Final = Group(
    name="quick",
    title="tests that take a moment",
    expression=f"not (slow or {_BROKER} or {_NODE})",
    queue="off",
    is_measured=False,
)
"""The part of the unit group that `make check` runs."""
