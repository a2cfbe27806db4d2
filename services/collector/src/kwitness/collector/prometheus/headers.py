"""Counters of record headers by key, which interceptors and observers add to.

Their budget is apart from the others': an application may make up a key for each record.
"""

from __future__ import annotations

from typing import Final

from kwitness.collector.origin import Origin
from kwitness.collector.prometheus.budget import OTHER, BudgetedSeries, bounded, counters
from kwitness.contracts.envelopes import HeaderTotals
from kwitness.contracts.envelopes.header_totals import HeaderWitness

_HEADERS: Final = "kafka_client_headers_total"
_BYTES: Final = "kafka_client_header_bytes_total"
_PROBLEMS: Final = "kafka_client_header_problems_total"
_REMOVED: Final = "kafka_client_headers_removed_total"


class HeaderSeries(BudgetedSeries):
    """All of them, by workload: replicas send the same keys."""

    def __init__(self, max_series: int) -> None:
        super().__init__(max_series)
        self._counters = counters((_HEADERS, _BYTES, _PROBLEMS, _REMOVED))

    def add(self, origin: Origin, seen_by: HeaderWitness, totals: HeaderTotals, now_ms: int) -> None:
        """Add what is new of one key; whether it was added before is not known here."""
        topic = OTHER if totals.topic is None else totals.topic
        key = OTHER if totals.key is None else totals.key
        where = (origin.cluster_id, origin.k8s_namespace, origin.k8s_workload, seen_by)
        labels = bounded((*where, totals.side, topic, key))
        self.count(_HEADERS, labels, totals.headers, now_ms)
        self.count(_BYTES, labels, totals.bytes, now_ms)
        for problem, count in totals.problems.items():
            self.count(_PROBLEMS, (*labels, *bounded((problem,))), count, now_ms)
        self.count(_REMOVED, bounded((*where, topic, key)), totals.removed, now_ms)
