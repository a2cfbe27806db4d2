"""What becomes of record headers in heads, whoever sent these: counters, and what is wrong with whose headers."""

from __future__ import annotations

from collections.abc import Iterable

from kwitness.collector.inventory.header_problems import HeaderProblems
from kwitness.collector.origin import Origin
from kwitness.collector.prometheus.headers import HeaderSeries
from kwitness.contracts.envelopes import HeaderTotals
from kwitness.contracts.envelopes.header_totals import HeaderWitness


class HeaderCounts:
    """Everything that this replica knows of headers. It is forgotten with the process, as of observers."""

    def __init__(self) -> None:
        self.series = HeaderSeries(0)
        self.problems = HeaderProblems()

    def add(self, origin: Origin, seen_by: HeaderWitness, entries: Iterable[HeaderTotals], now_ms: int) -> None:
        """Add what is new; whether it was added before is not known here."""
        for one in entries:
            self.series.add(origin, seen_by, one, now_ms)
            self.problems.record(origin, seen_by, one, now_ms)

    def expire(self, now_ms: int) -> None:
        """Let series and problems go that were not heard of for an hour; ``now_ms`` in milliseconds since 1970."""
        self.series.expire(now_ms)
        self.problems.expire(now_ms)
