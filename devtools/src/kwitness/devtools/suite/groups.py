"""The groups of tests that run side by side, and how pytest is started for each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["GROUPS", "QUICK", "Group"]


@dataclass(frozen=True)
class Group:
    """Tests that need the same environment and run one after another."""

    name: str
    title: str
    """What its tests have in common, for a heading."""
    expression: str
    """Chooses its tests by their markers."""
    queue: str
    """In which it waits for other runs on this machine to end, see `KWITNESS_TURNS`."""

    def command(self, arguments: Sequence[str] = ()) -> list[str]:
        """The run of pytest, with further arguments for it."""
        return [sys.executable, "-m", "pytest", "-m", self.expression, "--durations=5", *arguments]


_NODE: Final = "node or e2e"
_BROKER: Final = "broker or spark"

GROUPS: Final = (
    Group("unit", "tests that need no broker, no Spark and no node", f"not ({_BROKER} or {_NODE})", "run"),
    Group("broker", "tests that need a broker", f"broker and not spark and not ({_NODE})", "broker"),
    Group("node", "tests that need a node", _NODE, "node"),
    Group("spark", "tests that need Spark", f"spark and not ({_NODE})", "spark"),
)
"""Together every test there is. One Spark session serves the tests with and without a broker."""

QUICK: Final = Group("quick", "tests that take a moment", f"not (slow or {_BROKER} or {_NODE})", "off")
"""The part of the first group that `make check` runs."""
