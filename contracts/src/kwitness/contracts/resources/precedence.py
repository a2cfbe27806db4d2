"""Order resources of one namespace that are rivals for one table, one pod, one listener or one cluster.

By what the resources say, never by their age: a backup that is restored, or a namespace that is recreated from Git,
gives the same answer as before.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

__all__ = ["MOST_PRIORITY", "precedence", "priority_field"]

MOST_PRIORITY = 1000
"""The highest priority; with a minus sign, the lowest."""


def precedence(priority: int, name: str) -> tuple[int, str]:
    """Return the key by which rivals of a namespace are sorted, the one that prevails first: priority, then name."""
    return (-priority, name)


def priority_field(rivals: str) -> Any:
    """Return a pydantic field for the priority among `rivals`, such as "AnalyticsJobs of a namespace and table"."""
    return Field(
        0,
        description=f"Among {rivals}, the highest number comes first; then the name, alphabetically. It has no "
        "effect on other namespaces.",
        ge=-MOST_PRIORITY,
        le=MOST_PRIORITY,
    )
