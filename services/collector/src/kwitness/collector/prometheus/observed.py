"""Counters and times of answers that observers add to, within a budget of series (docs/decisions/0043)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Generic, TypeVar

from kwitness.collector.origin import Origin
from kwitness.collector.otlp.points import Buckets
from kwitness.collector.prometheus.exposition import counter_sample, heading, histogram_samples
from kwitness.collector.prometheus.labels import label_value, render
from kwitness.collector.prometheus.series import Counter, Histogram, cost
from kwitness.contracts.envelopes import ApiTotals, TimeTotals, TrafficTotals, WindowTotals
from kwitness.contracts.own_metrics import OwnMetric, own_metric

IDLE_MS: Final = 3_600_000
"""A series that nothing was added to for this long ends: clients come and go, and their names with them."""
OTHER: Final = "other"
_PODS_SHARE: Final = 2
"""Half of the budget may go to series of single pods: a rollout makes all of them new, and old ones stay an hour."""
_POD: Final = "k8s_pod"
_OF_SIDECARS: Final = frozenset({"k8s_namespace", "k8s_workload", _POD})
"""Labels that what other observers report has not, even beyond the budget."""
_SWEEP_EVERY_MS: Final = 60_000
_LINES_PER_PIECE: Final = 2_000
_MICROSECONDS: Final = 1_000_000
_TRAFFIC: Final[Mapping[str, str]] = {
    "kafka_client_requests_total": "requests",
    "kafka_client_records_total": "records",
    "kafka_client_record_bytes_total": "record_bytes",
}
_APIS: Final[Mapping[str, str]] = {
    "kafka_client_api_requests_total": "requests",
    "kafka_client_request_bytes_total": "request_bytes",
    "kafka_client_response_bytes_total": "response_bytes",
}
_TRAFFIC_ERRORS: Final = "kafka_client_errors_total"
_API_ERRORS: Final = "kafka_client_api_errors_total"
_TIMES: Final = "kafka_client_response_time_seconds"
_COUNTERS: Final = (*_TRAFFIC, _TRAFFIC_ERRORS, *_APIS, _API_ERRORS)
_BOUNDS_US: Final = tuple(round(bound * _MICROSECONDS) for bound in own_metric(_TIMES).bounds)
TIME_COUNTS: Final = len(_BOUNDS_US) + 1
"""How many counts a `TimeTotals` must have."""

Key = tuple[str, ...]
"""Values of a family's labels, in their order; an empty one is not known."""


S = TypeVar("S", bound=Counter | Histogram)


class _Entry(Generic[S]):
    __slots__ = ("added_ms", "labels", "series")

    def __init__(self, labels: str, series: S) -> None:
        self.labels = labels
        self.series = series
        self.added_ms = 0


class _Family(Generic[S]):
    """One metric's series by their label values; ``other`` are those of what did not fit.

    ``size`` is how many samples a series takes of the budget.
    """

    def __init__(self, metric: OwnMetric, make: Callable[[], S], write: Callable[[str, str, S], str]) -> None:
        self.metric = metric
        self.size = cost(make())
        self.entries: dict[Key, _Entry[S]] = {}
        self.other: dict[Key, _Entry[S]] = {}
        self._make = make
        self._write = write
        self._pod_at = metric.labels.index(_POD) if _POD in metric.labels else None

    def new(self, key: Key) -> _Entry[S]:
        """Make an entry that is nowhere yet."""
        labels = render((name, value) for name, value in zip(self.metric.labels, key, strict=True) if value)
        return _Entry(labels, self._make())

    def names_a_pod(self, key: Key) -> bool:
        """Whether the series is one of a single pod."""
        return self._pod_at is not None and key[self._pod_at] not in ("", OTHER)

    def of_other_pods(self, key: Key) -> Key:
        """Return the key of the series of all pods that have none of their own."""
        at = self._pod_at
        return key if at is None else (*key[:at], OTHER, *key[at + 1 :])

    def beyond(self, key: Key) -> Key:
        """Return the key of the series of everything of the cluster that has none of its own."""
        labels = zip(self.metric.labels[1:], key[1:], strict=True)
        return (key[0], *("" if name in _OF_SIDECARS and not value else OTHER for name, value in labels))

    def lines(self) -> Iterator[str]:
        """Write all series, those that came in meanwhile left out."""
        for entry in [*self.entries.values(), *self.other.values()]:
            yield self._write(self.metric.name, entry.labels, entry.series)

    def sweep(self, before_ms: int) -> list[Key]:
        """End the series that nothing was added to since, and return their keys."""
        idle = [key for key, one in self.entries.items() if one.added_ms < before_ms]
        for key in idle:
            del self.entries[key]
        return idle


def _counters(names: Iterable[str]) -> dict[str, _Family[Counter]]:
    return {name: _Family(own_metric(name), Counter, counter_sample) for name in names}


def _times() -> _Family[Histogram]:
    return _Family(
        own_metric(_TIMES),
        lambda: Histogram(_BOUNDS_US),
        lambda name, labels, series: histogram_samples(name, labels, series, _MICROSECONDS),
    )


class ObservedTotals:
    """All of them; ``max_series`` bounds the samples. Beyond it everything goes to a series of label values `other`.

    Beyond half of it pods get no series of their own any more, but share one whose pod is `other`: the counts of
    workloads stay apart. Its budget is apart from that of clients' own telemetry, so that neither can blind the other.
    """

    def __init__(self, max_series: int) -> None:
        self.max_series = max_series
        self.series = 0
        self.overflowed = 0
        self.pods_overflowed = 0
        self._of_pods = 0
        self._counters = _counters(_COUNTERS)
        self._times = _times()
        self._swept_ms = 0

    def add(self, origin: Origin, window: WindowTotals, now_ms: int) -> None:
        """Add what is new in a window; whether it was added before is not known here."""
        for traffic in window.traffic:
            topic = (traffic.topic or "",)
            self._add_counts(_TRAFFIC, _TRAFFIC_ERRORS, _key(origin, traffic, topic), traffic, now_ms)
        for api in window.apis:
            self._add_counts(_APIS, _API_ERRORS, _key(origin, api, ()), api, now_ms)
        for times in window.times:
            self._add_times(origin, times, now_ms)

    def _add_counts(
        self, names: Mapping[str, str], errors: str, key: Key, totals: TrafficTotals | ApiTotals, now_ms: int
    ) -> None:
        for name, field in names.items():
            amount = getattr(totals, field)
            if amount:
                self._entry(self._counters[name], key, now_ms).series.total += amount
        for code, count in totals.errors.items():
            if count:
                self._entry(self._counters[errors], (*key, code), now_ms).series.total += count

    def _add_times(self, origin: Origin, times: TimeTotals, now_ms: int) -> None:
        # A histogram for each pod would be most of the budget, and to replicas of a workload brokers are alike.
        where = (origin.cluster_id, origin.k8s_namespace, origin.k8s_workload)
        key = _bounded((*where, times.api, times.topic or "", times.principal or ""))
        series = self._entry(self._times, key, now_ms).series
        series.add(Buckets(_BOUNDS_US, times.counts, times.sum_us, sum(times.counts)))

    def _entry(self, family: _Family[S], key: Key, now_ms: int) -> _Entry[S]:
        entry = family.entries.get(key) or self._begun(family, key)
        if entry is None and family.names_a_pod(key):
            shared = family.of_other_pods(key)
            entry = family.entries.get(shared) or self._begun(family, shared)
            self.pods_overflowed += entry is not None
        if entry is None:
            return self._other(family, key)
        entry.added_ms = now_ms
        return entry

    def _begun(self, family: _Family[S], key: Key) -> _Entry[S] | None:
        """Make the series if the budget has room for it."""
        of_pods = family.size if family.names_a_pod(key) else 0
        if of_pods and self._of_pods + of_pods > self.max_series // _PODS_SHARE:
            return None
        if self.series + family.size > self.max_series:
            return None
        self.series += family.size
        self._of_pods += of_pods
        entry = family.entries[key] = family.new(key)
        return entry

    def _other(self, family: _Family[S], key: Key) -> _Entry[S]:
        self.overflowed += 1
        beyond = family.beyond(key)
        entry = family.other.get(beyond)
        if entry is None:
            entry = family.other[beyond] = family.new(beyond)
        return entry

    def expire(self, now_ms: int) -> None:
        """End series that nothing was added to for an hour."""
        if 0 <= now_ms - self._swept_ms < _SWEEP_EVERY_MS:  # a clock may be set back
            return
        self._swept_ms = now_ms
        before_ms = now_ms - IDLE_MS
        self._sweep(self._times, before_ms)
        for family in self._counters.values():
            self._sweep(family, before_ms)

    def _sweep(self, family: _Family[S], before_ms: int) -> None:
        ended = family.sweep(before_ms)
        self.series -= family.size * len(ended)
        self._of_pods -= family.size * sum(map(family.names_a_pod, ended))

    def render(self, *, openmetrics: bool) -> Iterator[bytes]:
        """Write all families in pieces of some thousand lines; those without series are left out."""
        counters = ((one.metric, one.lines()) for one in self._counters.values())
        for metric, lines in (*counters, (self._times.metric, self._times.lines())):
            piece = [heading(metric.name, metric.type, metric.help, openmetrics=openmetrics)]
            written = False
            for line in lines:
                piece.append(line)
                written = True
                if len(piece) >= _LINES_PER_PIECE:
                    yield "".join(piece).encode("utf-8", "replace")
                    piece.clear()
            if written:
                yield "".join(piece).encode("utf-8", "replace")


def parts_of(window: WindowTotals, most: int) -> Iterator[WindowTotals]:
    """Split a window into parts of at most ``most`` entries, which add up to it."""
    for name in ("traffic", "apis", "times"):
        entries = getattr(window, name)
        for first in range(0, len(entries), most):
            nothing: dict[str, object] = {"traffic": (), "apis": (), "times": ()}
            yield window.model_copy(update={**nothing, name: entries[first : first + most]})


def _key(origin: Origin, totals: TrafficTotals | ApiTotals, topic: Key) -> Key:
    who = (totals.principal, totals.client_id, totals.client_software_name, totals.client_software_version)
    return _bounded((*origin, totals.api, *topic, *(value or "" for value in who)))


def _bounded(values: Key) -> Key:
    return tuple(label_value(value)[0] for value in values)
