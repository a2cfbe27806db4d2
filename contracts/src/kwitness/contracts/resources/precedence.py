"""Who comes first where several resources want what only one can have: one table, one cluster, one header key.

By what the resources say, never by their age: a backup that is restored, or a namespace that is recreated from Git,
gives the same answer as before.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

__all__ = ["MOST_PRIORITY", "precedence", "priority_field"]

MOST_PRIORITY = 1000
"""The highest priority; with a minus sign, the lowest."""


def precedence(priority: int, namespace: str, name: str, *, home: str | None = None) -> tuple[bool, int, str, str]:
    """Return the key by which rivals are sorted, the one that prevails first: priority, then namespace and name.

    Rivals in the namespace ``home`` come before all others: that of the KafkaCluster, where rivals act for the cluster.
    """
    return (namespace != home, -priority, namespace, name)


def priority_field(rivals: str, *, at_home: bool = False) -> Any:
    """Return a pydantic field for the priority among `rivals`, such as "AnalyticsJobs of one table".

    ``at_home`` says that rivals in the namespace of their KafkaCluster come first.
    """
    note = " Those in the namespace of the KafkaCluster come before all others." if at_home else ""
    return Field(
        0,
        description=f"Among {rivals}, the highest number comes first; then namespace and name, alphabetically.{note}",
        ge=-MOST_PRIORITY,
        le=MOST_PRIORITY,
    )
