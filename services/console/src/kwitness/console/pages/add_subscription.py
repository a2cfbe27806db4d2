"""The form that adds a subscription; it can be filled in by its address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kwitness.console.index.database import Database
from kwitness.console.pages.lines import Line
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.subscription_form import FIELDS, command_of
from kwitness.console.rows.resources import resource_names

__all__ = ["ADD_SUBSCRIPTION", "form_values"]

_LONGEST: Final = 1_000
"""Characters of a field of an address that are read."""


def _values(requested: Requested) -> dict[str, Any]:
    form = {field.name: requested.query.get(field.name, "")[:_LONGEST] for field in FIELDS}
    clusters = resource_names(requested.database, "KafkaCluster")
    if len(clusters) == 1:
        form["cluster"] = form["cluster"] or clusters[0]
        form["namespace"] = form["namespace"] or clusters[0].partition("/")[0]
    return form_values(requested.database, form) | {"has_kubernetes": "resources" in requested.read_ms}


def form_values(database: Database, form: Mapping[str, str], problem: str | None = None) -> dict[str, Any]:
    """Return what the form shows, with why it was refused."""
    return {
        "form": form,
        "fields": FIELDS,
        "clusters": resource_names(database, "KafkaCluster"),
        "problem": problem,
        "has_kubernetes": True,
        "lines": (Line("kwitness", f"{command_of(form)} --dry-run", "the same, unapplied, as YAML"),),
    }


ADD_SUBSCRIPTION: Final = Page("/add-subscription", "subscriptions", "add_subscription.html", ("resources",), _values)
