"""Selects one of our resources, whole."""

from __future__ import annotations

import json
from typing import Any

from kwitness.console.index.database import Database, Row

__all__ = ["resource_counts", "resource_named", "resource_names"]


def resource_named(database: Database, kind: str, namespace: str, name: str) -> dict[str, Any] | None:
    """Return a resource as the API server had it; None where none was read."""
    rows = database.rows(
        "SELECT item FROM resources WHERE kind = $kind AND k8s_namespace = $namespace AND name = $name",
        {"kind": kind, "namespace": namespace, "name": name},
    )
    return dict(json.loads(rows[0]["item"])) if rows else None


def resource_names(database: Database, kind: str) -> list[str]:
    """Return the resources of a kind as NAMESPACE/NAME."""
    rows = database.rows(
        "SELECT concat_ws('/', k8s_namespace, name) AS name FROM resources WHERE kind = $kind ORDER BY ALL",
        {"kind": kind},
    )
    return [row["name"] for row in rows]


def resource_counts(database: Database) -> Row:
    """Return how many findings jobs have, and how many subscriptions there are of this installation."""
    return database.row(
        """
        SELECT
          (SELECT coalesce(sum((item->>'$.status.analyses[0].findingsTotal')::BIGINT), 0)::BIGINT
           FROM resources WHERE kind = 'AnalyticsJob') AS findings,
          (SELECT count(*) FROM subscriptions WHERE made_by = 'Ours') AS subscriptions
        """
    )
