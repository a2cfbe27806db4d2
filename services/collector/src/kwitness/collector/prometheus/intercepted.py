"""Counters, distributions and levels that interceptors add to (docs/decisions/0070)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from kwitness.collector.origin import Origin
from kwitness.collector.prometheus.budget import BudgetedSeries, Key, bounded, bounds_of, counters, histogram, levels
from kwitness.contracts.envelopes import (
    HookTotals,
    InterceptedTotals,
    InterceptionTotals,
    LatencyTotals,
    StatisticsTotals,
    TopicStatisticsTotals,
)
from kwitness.contracts.interceptors import ATTRIBUTE_LABEL

_MICROSECONDS: Final = 1_000_000
_NANOSECONDS: Final = 1_000_000_000
_COUNTS: Final[Mapping[str, str]] = {
    "kafka_client_interceptor_sent_records_total": "sent",
    "kafka_client_interceptor_acknowledged_records_total": "acknowledged",
    "kafka_client_interceptor_consumed_records_total": "consumed",
    "kafka_client_interceptor_commits_total": "commits",
}
_BY_REASON: Final[Mapping[str, str]] = {
    "kafka_client_interceptor_failed_records_total": "failures",
    "kafka_client_interceptor_failed_commits_total": "commit_failures",
    "kafka_client_interceptor_anomalies_total": "anomalies",
}
_OF_PRODUCERS: Final = frozenset(
    {
        "kafka_client_interceptor_sent_records_total",
        "kafka_client_interceptor_acknowledged_records_total",
        "kafka_client_interceptor_failed_records_total",
    }
)
"""Counters whose clients have no group."""
_REBALANCES: Final = "kafka_client_interceptor_rebalances_total"
_STATISTICS: Final[Mapping[str, str]] = {
    "kafka_client_interceptor_sent_bytes_total": "sent_bytes",
    "kafka_client_interceptor_received_bytes_total": "received_bytes",
    "kafka_client_interceptor_request_retries_total": "retries",
    "kafka_client_interceptor_request_timeouts_total": "timeouts",
    "kafka_client_interceptor_disconnects_total": "disconnects",
    "kafka_client_interceptor_round_trips_total": "round_trips",
    "kafka_client_interceptor_requests_total": "requests",
}
_STATISTICS_TIMES: Final[Mapping[str, str]] = {
    "kafka_client_interceptor_round_trip_seconds_total": "round_trip_us",
    "kafka_client_interceptor_request_queue_seconds_total": "request_queue_us",
}
_CLIENT_LEVELS: Final[Mapping[str, str]] = {
    "kafka_client_interceptor_queued_records": "queued_records",
    "kafka_client_interceptor_queued_bytes": "queued_bytes",
    "kafka_client_interceptor_queue_limit_records": "queue_limit_records",
    "kafka_client_interceptor_queue_limit_bytes": "queue_limit_bytes",
}
_TOPIC_QUEUES: Final[Mapping[str, str]] = {
    "kafka_client_interceptor_topic_queued_records": "queued_records",
    "kafka_client_interceptor_topic_queued_bytes": "queued_bytes",
}
_FETCHES: Final[Mapping[str, str]] = {
    "kafka_client_interceptor_fetched_records": "fetched_records",
    "kafka_client_interceptor_fetched_bytes": "fetched_bytes",
}
_LAG: Final[Mapping[str, str]] = {"kafka_client_interceptor_consumer_lag_records": "lag"}
STATISTICS: Final = (
    *_STATISTICS,
    *_STATISTICS_TIMES,
    _REBALANCES,
    *_CLIENT_LEVELS,
    *_TOPIC_QUEUES,
    *_FETCHES,
    *_LAG,
)
"""Metrics with statistics of the client library."""
_CALLS: Final = "kafka_client_interceptor_hook_calls_total"
_ERRORS: Final = "kafka_client_interceptor_hook_errors_total"
_SECONDS: Final = "kafka_client_interceptor_hook_seconds_total"
_DROPPED: Final = "kwitness_interceptor_dropped_events_total"
_END_TO_END: Final = "kafka_client_interceptor_end_to_end_latency_seconds"
_ACKNOWLEDGEMENT: Final = "kafka_client_interceptor_acknowledgement_seconds"
_SIZES: Final = "kafka_client_interceptor_record_size_bytes"
_KEYS: Final = "kafka_client_interceptor_distinct_keys"
_LATENCY_COUNTS: Final = len(bounds_of(_END_TO_END, _MICROSECONDS)) + 1
_SIZE_COUNTS: Final = len(bounds_of(_SIZES, 1)) + 1
_WINDOWS_SHOWN: Final = 2
"""Levels are shown until so many windows of theirs have passed since they came."""
_LISTS: Final = ("topics", "latencies", "sizes", "keys", "statistics", "topic_statistics", "hooks", "headers")


class Reported(NamedTuple):
    """A reporter: its pod, its profile, its name, and the attributes of the pod."""

    origin: Origin
    namespace: str
    name: str
    reporter: str
    attributes: Mapping[str, str] = MappingProxyType({})


class InterceptedSeries(BudgetedSeries):
    """All of them; those of clients and pods have ``attributes`` of their profiles as labels."""

    def __init__(self, max_series: int, attributes: tuple[str, ...] = ()) -> None:
        super().__init__(max_series)
        self._begin(attributes)

    def label_by(self, attributes: tuple[str, ...]) -> None:
        """Use these attributes as labels; where others were used before, all series begin at 0 again."""
        if attributes != self._attributes:
            self._begin(attributes)

    def _begin(self, attributes: tuple[str, ...]) -> None:
        self._attributes = attributes
        self.series = self._of_pods = 0
        more = tuple(f"{ATTRIBUTE_LABEL}{name}" for name in attributes)
        self._counters = {
            **counters((*_COUNTS, *_BY_REASON, *_STATISTICS, _REBALANCES, _CALLS, _ERRORS), 1, more),
            **counters((_DROPPED,)),
            **counters(_STATISTICS_TIMES, _MICROSECONDS, more),
            **counters((_SECONDS,), _NANOSECONDS, more),
        }
        self._histograms = {
            _END_TO_END: histogram(_END_TO_END, _MICROSECONDS, more),
            _ACKNOWLEDGEMENT: histogram(_ACKNOWLEDGEMENT, _MICROSECONDS, more),
            _SIZES: histogram(_SIZES, 1, more),
        }
        self._levels = {
            name: levels(name, 1, more) for name in (_KEYS, *_CLIENT_LEVELS, *_FETCHES, *_TOPIC_QUEUES, *_LAG)
        }

    def add(self, reported: Reported, window: InterceptionTotals, now_ms: int) -> None:
        """Add what is new in a window; whether it was added before is not known here."""
        origin = reported.origin
        more = bounded(tuple(reported.attributes.get(name, "") for name in self._attributes))
        # Distributions are by workload, as observers' are: replicas are alike, and a histogram is many series.
        where = (origin.cluster_id, origin.k8s_namespace, origin.k8s_workload)
        for topic in window.topics:
            self._add_counts(origin, topic, more, now_ms)
        for latency in window.latencies:
            self._add_latency(where, latency, more, now_ms)
        for size in window.sizes:
            key = (*bounded((*where, size.side, size.topic or "")), *more)
            self.distribute(_SIZES, key, size.counts, size.sum_bytes, now_ms)
        for one in window.keys:
            until_ms = now_ms + _WINDOWS_SHOWN * one.window_ms
            key = (*bounded((*origin, one.side, one.topic or "")), *more)
            self.say(_KEYS, key, reported.reporter, one.distinct, until_ms=until_ms, now_ms=now_ms)
        for statistics in window.statistics:
            self._add_statistics(reported, statistics, more, now_ms)
        for queues in window.topic_statistics:
            self._add_queues(reported, queues, more, now_ms)
        for hook in window.hooks:
            self._add_hook(origin, hook, more, now_ms)
        for reason, count in window.dropped.items():
            key = bounded((origin.cluster_id, reported.namespace, reported.name, reason))
            self.count(_DROPPED, key, count, now_ms)

    def _add_counts(self, origin: Origin, totals: InterceptedTotals, more: Key, now_ms: int) -> None:
        client = bounded((*origin, totals.topic or "", totals.client_id or ""))
        member = (*client, *bounded((totals.group_id or "",)))
        for name, field in _COUNTS.items():
            key = client if name in _OF_PRODUCERS else member
            self.count(name, (*key, *more), getattr(totals, field), now_ms)
        for name, field in _BY_REASON.items():
            key = client if name in _OF_PRODUCERS else member
            for reason, count in getattr(totals, field).items():
                self.count(name, (*key, *bounded((reason,)), *more), count, now_ms)

    def _add_statistics(self, reported: Reported, totals: StatisticsTotals, more: Key, now_ms: int) -> None:
        client = bounded((*reported.origin, totals.client_id or ""))
        for name, field in (*_STATISTICS.items(), *_STATISTICS_TIMES.items()):
            self.count(name, (*client, *more), getattr(totals, field), now_ms)
        member = (*client, *bounded((totals.group_id or "",)), *more)
        self.count(_REBALANCES, member, totals.rebalances, now_ms)
        self._say_levels(_CLIENT_LEVELS, (*client, *more), reported, totals, now_ms)
        self._say_levels(_FETCHES, member, reported, totals, now_ms)

    def _add_queues(self, reported: Reported, totals: TopicStatisticsTotals, more: Key, now_ms: int) -> None:
        client = bounded((*reported.origin, totals.topic or "", totals.client_id or ""))
        member = (*client, *bounded((totals.group_id or "",)), *more)
        self._say_levels(_TOPIC_QUEUES, (*client, *more), reported, totals, now_ms)
        self._say_levels(_LAG, member, reported, totals, now_ms)

    def _say_levels(
        self,
        names: Mapping[str, str],
        key: Key,
        reported: Reported,
        totals: StatisticsTotals | TopicStatisticsTotals,
        now_ms: int,
    ) -> None:
        until_ms = now_ms + _WINDOWS_SHOWN * totals.window_ms
        for name, field in names.items():
            value = getattr(totals, field)
            if value is not None:
                self.say(name, key, reported.reporter, value, until_ms=until_ms, now_ms=now_ms)

    def _add_latency(self, where: Key, latency: LatencyTotals, more: Key, now_ms: int) -> None:
        key = bounded((*where, latency.topic or ""))
        if latency.measure == "end_to_end":
            key = (*key, *bounded((latency.group_id or "",)), *more)
            self.distribute(_END_TO_END, key, latency.counts, latency.sum_us, now_ms)
        else:
            self.distribute(_ACKNOWLEDGEMENT, (*key, *more), latency.counts, latency.sum_us, now_ms)

    def _add_hook(self, origin: Origin, hook: HookTotals, more: Key, now_ms: int) -> None:
        key = (*bounded((*origin, hook.interceptor, hook.hook)), *more)
        self.count(_CALLS, key, hook.calls, now_ms)
        self.count(_ERRORS, key, hook.errors, now_ms)
        self.count(_SECONDS, key, hook.time_ns, now_ms)


def trouble_with_bounds(window: InterceptionTotals) -> str | None:
    """Say why a window's distributions cannot be added; None when they can."""
    for what, entries, wanted in (
        ("latencies", window.latencies, _LATENCY_COUNTS),
        ("sizes", window.sizes, _SIZE_COUNTS),
    ):
        if any(len(one.counts) != wanted for one in entries):
            return f"{what} must have {wanted} counts, as contracts/vectors/interception_aggregates.json says"
    return None


def parts_of(window: InterceptionTotals, most: int) -> Iterator[InterceptionTotals]:
    """Split a window into parts of at most ``most`` entries, which add up to it."""
    nothing: dict[str, object] = {**dict.fromkeys(_LISTS, ()), "dropped": {}}
    if window.dropped:
        yield window.model_copy(update={**nothing, "dropped": window.dropped})
    for name in _LISTS:
        entries = getattr(window, name)
        for first in range(0, len(entries), most):
            yield window.model_copy(update={**nothing, name: entries[first : first + most]})
