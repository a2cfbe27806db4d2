"""Counters and times of answers that observers add to (docs/decisions/0043)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from kwitness.collector.connection_ends import ConnectionEnd
from kwitness.collector.origin import Origin
from kwitness.collector.prometheus.budget import (
    IDLE_MS,
    BudgetedSeries,
    Key,
    bounded,
    bounds_of,
    counters,
    histogram,
    levels,
)
from kwitness.contracts.envelopes import ApiTotals, TimeTotals, TrafficTotals, WindowTotals

__all__ = ["CONNECTION_ENDS", "IDLE_MS", "TIME_COUNTS", "ObservedTotals", "parts_of"]

_MICROSECONDS: Final = 1_000_000
_MILLISECONDS: Final = 1_000
_THROTTLE: Final = "kafka_client_throttle_seconds_total"
_TRAFFIC: Final[Mapping[str, str]] = {
    "kafka_client_requests_total": "requests",
    "kafka_client_records_total": "records",
    "kafka_client_record_bytes_total": "record_bytes",
}
_APIS: Final[Mapping[str, str]] = {
    "kafka_client_api_requests_total": "requests",
    "kafka_client_request_bytes_total": "request_bytes",
    "kafka_client_response_bytes_total": "response_bytes",
    "kafka_client_throttled_responses_total": "throttled_responses",
    _THROTTLE: "throttle_ms",
}
_LAGS: Final[Mapping[str, str]] = {
    "kafka_client_fetch_lag_records": "fetch_lag",
    "kafka_client_held_by_transaction_records": "held_by_transaction",
}
_AGE: Final = "kafka_client_fetch_lag_seconds"
_SHOWN_MS: Final = 60_000
"""For how long a gauge is shown after the end of its window."""
_ACKS: Final = "kafka_client_produce_requests_total"
_IDEMPOTENT: Final = "kafka_client_idempotent_produce_requests_total"
_EMPTY: Final = "kafka_client_empty_responses_total"
_GAP: Final = "kafka_client_longest_fetch_gap_seconds"
_BATCHES: Final = "kafka_client_record_batches_total"
_TRAFFIC_ERRORS: Final = "kafka_client_errors_total"
_API_ERRORS: Final = "kafka_client_api_errors_total"
CONNECTION_ENDS: Final = "kafka_client_connection_ends_total"
_TIMES: Final = "kafka_client_response_time_seconds"
TIME_COUNTS: Final = len(bounds_of(_TIMES, _MICROSECONDS)) + 1
"""How many counts a `TimeTotals` must have."""
_GROUP_LAG: Final = "kafka_client_group_committed_lag_records"
_GROUP_AGE: Final = "kafka_client_group_committed_lag_seconds"
_COMMITS_BACK: Final = "kafka_client_group_commits_back_total"
_RECORDS_BACK: Final = "kafka_client_group_commits_back_records"
_FETCHES: Final = frozenset({"Fetch", "ShareFetch"})
_LISTS: Final = ("traffic", "apis", "times", "headers", "groups", "commits_back")


class _Holding(NamedTuple):
    """For how long the gauges of a window hold, and as whose."""

    who: str
    until_ms: int
    now_ms: int

    @classmethod
    def from_window(cls, window: WindowTotals, now_ms: int, source: str) -> _Holding:
        # Threads of a process have windows of their own, each with what its connections do. Windows that come late are
        # of the past. A clock that is ahead shows nothing for longer.
        return cls(f"{source} {window.seq}", min(now_ms, window.end_ms or now_ms) + _SHOWN_MS, now_ms)


class ObservedTotals(BudgetedSeries):
    """All of them."""

    def __init__(self, max_series: int) -> None:
        super().__init__(max_series)
        named = (*_TRAFFIC, _BATCHES, _TRAFFIC_ERRORS, *_APIS, _ACKS, _IDEMPOTENT, _EMPTY, _API_ERRORS, CONNECTION_ENDS)
        self._counters = counters((*named, _COMMITS_BACK))
        self._counters |= counters((_THROTTLE,), _MILLISECONDS)
        self._histograms = {_TIMES: histogram(_TIMES, _MICROSECONDS)}
        self._levels = {name: levels(name) for name in (*_LAGS, _GROUP_LAG, _RECORDS_BACK)}
        self._levels |= {_GAP: levels(_GAP, _MICROSECONDS)}
        self._levels |= {name: levels(name, _MILLISECONDS) for name in (_AGE, _GROUP_AGE)}

    def add(self, origin: Origin, window: WindowTotals, now_ms: int, source: str = "") -> None:
        """Add what is new in a window of a source; whether it was added before is not known here."""
        holds = _Holding.from_window(window, now_ms, source)
        for traffic in window.traffic:
            key = _key(origin, traffic, (traffic.topic or "",))
            self._add_counts(_TRAFFIC, _TRAFFIC_ERRORS, key, traffic, now_ms)
            self._count_by(_BATCHES, key, traffic.batches.items(), now_ms)
            who = bounded((*origin, traffic.topic or "", *_who(traffic)))
            for name, field in _LAGS.items():
                self._show(name, who, getattr(traffic, field), holds)
            self._show(_AGE, who, traffic.fetch_lag_ms, holds)
        for api in window.apis:
            self._add_api(origin, api, holds)
        for times in window.times:
            self._add_times(origin, times, now_ms)
        for group in window.groups:
            whose = bounded((*origin, group.topic, group.group_id))
            self._show(_GROUP_LAG, whose, group.committed_lag, holds)
            self._show(_GROUP_AGE, whose, group.committed_lag_ms, holds)
        for back in window.commits_back:
            whose = bounded((*origin, back.topic or "", back.principal or "", back.client_id or "", back.group_id))
            self.count(_COMMITS_BACK, whose, back.commits, now_ms)
            self._show(_RECORDS_BACK, whose, back.most_records, holds)

    def add_end(self, origin: Origin, end: ConnectionEnd, now_ms: int) -> None:
        """Count a connection that ended."""
        error = "" if end.last_error is None else str(end.last_error)
        self.count(CONNECTION_ENDS, (*bounded((*origin, *_who(end))), end.end, error), 1, now_ms)

    def _add_api(self, origin: Origin, api: ApiTotals, holds: _Holding) -> None:
        key, who, now_ms = _key(origin, api, ()), bounded((*origin, *_who(api))), holds.now_ms
        self._add_counts(_APIS, _API_ERRORS, key, api, now_ms)
        if api.acks:  # of Produce alone
            self._count_by(_ACKS, who, api.acks.items(), now_ms)
            self.count(_IDEMPOTENT, who, api.idempotent_requests, now_ms)
        if api.api in _FETCHES:
            self.count(_EMPTY, key, api.empty_responses, now_ms)
            self._show(_GAP, who, api.longest_gap_us or None, holds)

    def _add_counts(
        self, names: Mapping[str, str], errors: str, key: Key, totals: TrafficTotals | ApiTotals, now_ms: int
    ) -> None:
        for name, field in names.items():
            self.count(name, key, getattr(totals, field), now_ms)
        self._count_by(errors, key, totals.errors.items(), now_ms)

    def _count_by(self, name: str, key: Key, counts: Iterable[tuple[str, int]], now_ms: int) -> None:
        for value, count in counts:
            self.count(name, (*key, value), count, now_ms)

    def _show(self, name: str, key: Key, value: int | None, holds: _Holding) -> None:
        if value is not None and holds.until_ms > holds.now_ms:
            self.say(name, key, holds.who, value, until_ms=holds.until_ms, now_ms=holds.now_ms)

    def _add_times(self, origin: Origin, times: TimeTotals, now_ms: int) -> None:
        # A histogram for each pod would be most of the budget, and to replicas of a workload brokers are alike.
        where = (origin.cluster_id, origin.k8s_namespace, origin.k8s_workload)
        key = bounded((*where, times.api, times.topic or "", times.principal or ""))
        self.distribute(_TIMES, key, times.counts, times.sum_us, now_ms)


def parts_of(window: WindowTotals, most: int) -> Iterator[WindowTotals]:
    """Split a window into parts of at most ``most`` entries, which add up to it."""
    for name in _LISTS:
        entries = getattr(window, name)
        for first in range(0, len(entries), most):
            nothing: dict[str, object] = dict.fromkeys(_LISTS, ())
            yield window.model_copy(update={**nothing, name: entries[first : first + most]})


def _key(origin: Origin, totals: TrafficTotals | ApiTotals, topic: Key) -> Key:
    return bounded((*origin, totals.api, *topic, *_who(totals)))


def _who(totals: TrafficTotals | ApiTotals | ConnectionEnd) -> Key:
    who = (totals.principal, totals.client_id, totals.client_software_name, totals.client_software_version)
    return tuple(value or "" for value in who)
