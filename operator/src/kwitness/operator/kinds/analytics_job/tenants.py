"""Who writes a table: of all AnalyticsJobs that name it, one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.contracts.resources.precedence import precedence
from kwitness.operator.kinds.analytics_job.runners import KIND
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Every
from kwitness.operator.shapes.work import View

__all__ = ["writers"]


def writers(view: View, namespace: str, table: str) -> list[Key]:
    """Every AnalyticsJob that names ``table``, the one that writes it first; none while they are not known."""
    answer = view.get(Every(KIND))
    found = []
    for body in (answer.value or ()) if answer is not None else ():
        spec, metadata = body.get("spec", {}), body["metadata"]
        if metadata["namespace"] == namespace and table in _tables(spec):
            key = Key(namespace, metadata["name"])
            found.append((precedence(spec.get("priority", 0), key.name), key))
    return [key for _, key in sorted(found)]


def _tables(spec: Mapping[str, Any]) -> set[str | None]:
    return {analysis.get("table") for analysis in spec.get("analyses", ())}
