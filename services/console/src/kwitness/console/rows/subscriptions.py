"""Selects the rows of Subscriptions; they are those of `kwitness subscriptions list`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from kwitness.console.index.database import Database, Row
from kwitness.console.rows.addresses import View, Window

__all__ = ["SUBSCRIPTION_ORDER", "SUBSCRIPTION_ORDERS", "SubscriptionsView", "subscription_rows", "subscription_totals"]

SUBSCRIPTION_ORDERS: Final = ("name", "cluster", "matching", "pushing", "silent", "created_ms", "expires_at")
SUBSCRIPTION_ORDER: Final = "name"
_STATES: Final = {
    "unready": "ready <> 'True'",
    "unsent": "len(unsent) > 0",
    "silent": "silent > 0",
    "others": "made_by <> 'Ours'",
}
"""Values of the filter `state`, and what they select."""


@dataclass(frozen=True, slots=True)
class SubscriptionsView(View):
    """Filters of Subscriptions."""

    search: str = ""
    namespace: str = ""
    state: str = ""

    @property
    def is_filtered(self) -> bool:
        """True where rows are selected."""
        return bool(self.search or self.namespace or self.state)


def _condition(view: SubscriptionsView) -> tuple[str, dict[str, Any]]:
    conditions, parameters = ["true"], {}
    if view.namespace:
        conditions.append("k8s_namespace = $namespace")
        parameters["namespace"] = view.namespace
    if view.search:
        conditions.append(
            "contains(lower(concat_ws(chr(10), name, namespace, cluster, match, array_to_string(metrics, chr(10)))), "
            "lower($search))"
        )
        parameters["search"] = view.search
    if view.state in _STATES:
        conditions.append(_STATES[view.state])
    return " AND ".join(conditions), parameters


def subscription_rows(database: Database, view: SubscriptionsView) -> Window:
    """Return one page of subscriptions."""
    condition, parameters = _condition(view)
    field, direction = view.ordering(SUBSCRIPTION_ORDER)
    rows = database.rows(
        f"""
        SELECT *, count(*) OVER () AS total FROM subscriptions WHERE {condition}
        ORDER BY {field} {direction} NULLS LAST, name, namespace NULLS LAST, cluster
        {view.limits}
        """,
        parameters,
    )
    return Window.of_rows(rows, view.page)


def subscription_totals(database: Database, view: SubscriptionsView) -> Row:
    """Return the numbers of all rows together."""
    condition, parameters = _condition(view)
    return database.row(
        f"""
        SELECT count(*) FILTER (made_by = 'Ours') AS ours, count(*) FILTER (made_by <> 'Ours') AS others,
          count(*) FILTER (ready <> 'True') AS unready, coalesce(sum(len(unsent)), 0)::BIGINT AS unsent
        FROM subscriptions WHERE {condition}
        """,
        parameters,
    )
