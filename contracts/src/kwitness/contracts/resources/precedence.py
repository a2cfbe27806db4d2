"""Who comes first where several resources want what only one can have: one table, one pod, one listener.

By what the resources say, never by their age: a backup that is restored, or a namespace that is recreated from Git,
gives the same answer as before.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

__all__ = ["MOST_PRIORITY", "precedence", "priority_field"]

MOST_PRIORITY = 1000
"""The highest priority; with a minus sign, the lowest."""

_WITHIN_A_NAMESPACE: Final = "then the name, alphabetically. It has no effect on other namespaces."


def precedence(priority: int, namespace: str, name: str, *, home: str | None = None) -> tuple[bool, int, str, str]:
    """Return the key by which rivals are sorted, the one that prevails first: priority, then namespace and name.

    Rivals in the namespace ``home`` come before all others: that of the KafkaCluster, where rivals act for the cluster.
    """
    return (namespace != home, -priority, namespace, name)


def priority_field(rivals: str, *, then: str = _WITHIN_A_NAMESPACE) -> Any:
    """Return a pydantic field for the priority among `rivals`, such as "AnalyticsJobs of a namespace and table".

    ``then`` says what decides among those of one priority.
    """
    return Field(
        0,
        description=f"Among {rivals}, the highest number comes first; {then}",
        ge=-MOST_PRIORITY,
        le=MOST_PRIORITY,
    )
