"""Answers what observers and interceptors count of the clients that a question is about, if its reader may see them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import Final

from kwitness.collector.inventory.connection_report import ConnectionItems
from kwitness.collector.prometheus.budget import BudgetedSeries, Family, Level
from kwitness.collector.prometheus.intercepted import STATISTICS
from kwitness.collector.prometheus.labels import label_pattern
from kwitness.collector.prometheus.observed import CONNECTION_ENDS
from kwitness.collector.prometheus.series import Counter, Histogram
from kwitness.collector.turns import Turns
from kwitness.contracts.envelopes import MAX_COUNTED_VALUES, CountedValue
from kwitness.contracts.own_metrics import own_metric
from kwitness.contracts.owners import text_fits
from kwitness.contracts.questions import Question

__all__ = ["counted_values", "merge_counted"]

_CLIENT: Final = "client_id"
_CLUSTER: Final = "cluster_id"
_NAMES: Final = frozenset({CONNECTION_ENDS, *STATISTICS})
_Order = tuple[str, list[tuple[str, str]]]


async def counted_values(
    totals: Iterable[BudgetedSeries], items: ConnectionItems, question: Question, now_ms: int
) -> tuple[CountedValue, ...] | None:
    """Return this replica's first values by name and labels; None where the question is about no client."""
    pattern = question.filters.get(_CLIENT)
    if pattern is None or question.after:
        return None
    fitting = label_pattern(pattern)
    turns, found = Turns(), list[CountedValue]()
    for family in [family for series in totals for family in _families(series)]:
        at = family.labels.index(_CLIENT)
        # Series with the labels `other` are of several clients, which may be of several readers.
        for key, counted in family.own():
            await turns.pause_when_due()
            if not text_fits(fitting, key[at]):
                continue
            labels = {name: text for name, text in zip(family.labels, key, strict=True) if text}
            value = _value(counted, now_ms)
            if value is not None and items.fits_labels(labels):
                del labels[_CLUSTER]
                found.append(CountedValue(name=family.metric.name, labels=labels, value=value / family.divisor))
    return tuple(heapq.nsmallest(MAX_COUNTED_VALUES, found, key=_order))


def _families(series: BudgetedSeries) -> Iterator[Family[Counter] | Family[Histogram] | Family[Level]]:
    return (family for family in series.families() if family.metric.name in _NAMES)


def _value(series: Counter | Histogram | Level, now_ms: int) -> float | None:
    return series.largest(now_ms) if isinstance(series, Level) else series.total


def _order(counted: CountedValue) -> _Order:
    return counted.name, sorted(counted.labels.items())


def merge_counted(parts: Iterable[tuple[CountedValue, ...] | None]) -> list[CountedValue] | None:
    """Add up counters of replicas; of gauges the largest counts. None where no replica has an answer."""
    known = [part for part in parts if part is not None]
    merged: dict[object, CountedValue] = {}
    for counted in (counted for part in known for counted in part):
        key = (counted.name, frozenset(counted.labels.items()))
        other = merged.get(key)
        if other is not None:
            pair = (counted.value, other.value)
            value = sum(pair) if own_metric(counted.name).type == "counter" else max(pair)
            counted = counted.model_copy(update={"value": value})  # noqa: PLW2901 - the same value, with the other's
        merged[key] = counted
    return heapq.nsmallest(MAX_COUNTED_VALUES, merged.values(), key=_order) if known else None
