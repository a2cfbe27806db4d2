"""Counters, histograms and levels that others' totals are added to, within a budget of series (docs/decisions/0043)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Generic, TypeVar

from kwitness.collector.core import ZeroPeriod
from kwitness.collector.otlp.points import Buckets
from kwitness.collector.prometheus.exposition import counter_sample, heading, histogram_samples, sample
from kwitness.collector.prometheus.labels import label_value, render
from kwitness.collector.prometheus.render_errors import OWN, rendered_wholly
from kwitness.collector.prometheus.series import Counter, Histogram, cost
from kwitness.contracts.own_metrics import OwnMetric, own_metric

IDLE_MS: Final = 3_600_000
"""A series that nothing was added to for this long ends: clients come and go, and their names with them."""
OTHER: Final = "other"
_PODS_SHARE: Final = 2
"""Half of the budget may go to series of single pods: a rollout makes all of them new, and old ones stay an hour."""
_POD: Final = "k8s_pod"
_OF_PODS: Final = frozenset({"k8s_namespace", "k8s_workload", _POD})
"""Labels that gateways and observers beside brokers do not know, even beyond the budget."""
MAX_VOICES: Final = 64
"""How many may say what a level is: processes of a pod that forks are as many as it likes."""
_SWEEP_EVERY_MS: Final = 60_000
_LINES_PER_PIECE: Final = 2_000

Key = tuple[str, ...]
"""Values of a family's labels, in their order; an empty one is not known."""


class Level:
    """The largest of what several say now, each until its own time, in milliseconds since 1970.

    Beyond `MAX_VOICES` the smallest is forgotten.
    """

    __slots__ = ("said",)

    def __init__(self) -> None:
        self.said: dict[Key, tuple[int, int]] = {}

    def put(self, who: Key, value: int, until_ms: int, now_ms: int) -> None:
        """Take what one says instead of what it said before, and forget what counts no more."""
        self.said = {one: said for one, said in self.said.items() if said[1] > now_ms}
        self.said[who] = (value, until_ms)
        if len(self.said) > MAX_VOICES:
            del self.said[min(self.said, key=lambda one: self.said[one])]

    def largest(self, now_ms: int) -> int | None:
        """Return the largest value that counts; None if there is none."""
        return max((value for value, until_ms in self.said.values() if until_ms > now_ms), default=None)


S = TypeVar("S", bound=Counter | Histogram | Level)
Write = Callable[[str, str, S, ZeroPeriod, float], str]
"""Writes the samples of a metric's name, labels as text, and series that counts in parts of the metric's unit."""


class Entry(Generic[S]):
    """A series with its labels as text, and when something was added last."""

    __slots__ = ("added_ms", "labels", "series")

    def __init__(self, labels: str, series: S) -> None:
        self.labels = labels
        self.series = series
        self.added_ms = 0


class Family(Generic[S]):
    """One metric's series by their label values; ``other`` are those of what did not fit.

    ``size`` is how many samples a series takes of the budget. ``divisor`` of what a series counts in are one of the
    metric's unit. ``more_labels`` come after those of the registry.
    """

    def __init__(
        self,
        metric: OwnMetric,
        make: Callable[[int], S],
        write: Write[S],
        divisor: float = 1,
        more_labels: Iterable[str] = (),
    ) -> None:
        self.metric = metric
        self.labels = (*metric.labels, *more_labels)
        self.divisor = divisor
        first = make(0)
        self.size = 1 if isinstance(first, Level) else cost(first)
        self.entries: dict[Key, Entry[S]] = {}
        self.other: dict[Key, Entry[S]] = {}
        self._make = make
        self._write = write
        self._pod_at = metric.labels.index(_POD) if _POD in metric.labels else None

    def new(self, key: Key, now_ms: int) -> Entry[S]:
        """Make an entry that is nowhere yet."""
        labels = render((name, value) for name, value in zip(self.labels, key, strict=True) if value)
        return Entry(labels, self._make(now_ms))

    def names_a_pod(self, key: Key) -> bool:
        """Whether the series is one of a single pod."""
        return self._pod_at is not None and key[self._pod_at] not in ("", OTHER)

    def of_other_pods(self, key: Key) -> Key:
        """Return the key of the series of all pods that have none of their own."""
        at = self._pod_at
        return key if at is None else (*key[:at], OTHER, *key[at + 1 :])

    def beyond(self, key: Key) -> Key:
        """Return the key of the series of everything of the cluster that has none of its own."""
        labels = zip(self.labels[1:], key[1:], strict=True)
        return (key[0], *("" if name in _OF_PODS and not value else OTHER for name, value in labels))

    def lines(self, zeros: ZeroPeriod) -> Iterator[str]:
        """Write all series, those that came in meanwhile left out, and those that have no value now."""
        for entry in [*self.entries.values(), *self.other.values()]:
            line = self._write(self.metric.name, entry.labels, entry.series, zeros, self.divisor)
            if line:
                yield line

    def labelled(self) -> list[tuple[dict[str, str], S]]:
        """Return all series there are now with their labels, without those that are empty."""
        found = [*self.entries.items(), *self.other.items()]
        return [
            ({name: value for name, value in zip(self.labels, key, strict=True) if value}, entry.series)
            for key, entry in found
        ]

    def own(self) -> list[tuple[Key, S]]:
        """Return the series that have labels of their own, with these."""
        return [(key, entry.series) for key, entry in self.entries.items()]

    def shift(self, step_ms: int) -> None:
        """Shift the times at which series were created; levels have none."""
        for entry in (*self.entries.values(), *self.other.values()):
            if not isinstance(entry.series, Level):
                entry.series.created_ms += step_ms

    def sweep(self, before_ms: int) -> list[Key]:
        """End the series that nothing was added to since, and return their keys."""
        idle = [key for key, one in self.entries.items() if one.added_ms < before_ms]
        for key in idle:
            del self.entries[key]
        return idle


def counters(names: Iterable[str], divisor: float = 1, more_labels: Iterable[str] = ()) -> dict[str, Family[Counter]]:
    """Make families of counters that count ``divisor`` of the metric's unit."""
    return {name: Family(own_metric(name), Counter, counter_sample, divisor, more_labels) for name in names}


def bounds_of(name: str, divisor: int) -> tuple[int, ...]:
    """Return a histogram's bounds, in what ``divisor`` of are one of the metric's unit."""
    return tuple(round(bound * divisor) for bound in own_metric(name).bounds)


def histogram(name: str, divisor: int, more_labels: Iterable[str] = ()) -> Family[Histogram]:
    """Make a family of histograms likewise."""
    bounds = bounds_of(name, divisor)
    return Family(own_metric(name), lambda now_ms: Histogram(now_ms, bounds), histogram_samples, divisor, more_labels)


def levels(name: str, divisor: int = 1, more_labels: Iterable[str] = ()) -> Family[Level]:
    """Make a family of levels in ``divisor`` of the metric's unit; one without a value that holds has no sample."""
    return Family(own_metric(name), lambda _: Level(), _level_sample, divisor, more_labels)


def _level_sample(name: str, labels: str, series: Level, zeros: ZeroPeriod, divisor: float) -> str:
    value = series.largest(zeros.now_ms)
    return "" if value is None else sample(name, labels, value if divisor == 1 else value / divisor)


class BudgetedSeries:
    """Families with one budget; ``max_series`` bounds the samples. Beyond it everything goes to series of `other`.

    Beyond half of it pods get no series of their own any more, but share one whose pod is `other`: the counts of
    workloads stay apart. The budget is apart from that of clients' own telemetry, so that neither can blind the other.
    """

    def __init__(self, max_series: int) -> None:
        self.max_series = max_series
        self.series = 0
        self.overflowed = 0
        self.pods_overflowed = 0
        self._of_pods = 0
        self._counters: dict[str, Family[Counter]] = {}
        self._histograms: dict[str, Family[Histogram]] = {}
        self._levels: dict[str, Family[Level]] = {}
        self._swept_ms = 0

    def count(self, name: str, key: Key, amount: int, now_ms: int) -> None:
        """Add to a counter; nothing makes no series."""
        if amount:
            self._entry(self._counters[name], key, now_ms).series.total += amount

    def distribute(self, name: str, key: Key, counts: tuple[int, ...], total: int, now_ms: int) -> None:
        """Add to a histogram of that many bounds and one."""
        series = self._entry(self._histograms[name], key, now_ms).series
        series.add(Buckets(series.bounds, counts, total, sum(counts)))

    def say(self, name: str, key: Key, who: str, value: int, *, until_ms: int, now_ms: int) -> None:
        """Set what ``who`` says of a level until then; of levels that share a series it may say something of each."""
        self._entry(self._levels[name], key, now_ms).series.put((who, *key), value, until_ms, now_ms)

    def _entry(self, family: Family[S], key: Key, now_ms: int) -> Entry[S]:
        entry = family.entries.get(key) or self._begun(family, key, now_ms)
        if entry is None and family.names_a_pod(key):
            shared = family.of_other_pods(key)
            entry = family.entries.get(shared) or self._begun(family, shared, now_ms)
            self.pods_overflowed += entry is not None
        if entry is None:
            return self._other(family, key, now_ms)
        entry.added_ms = now_ms
        return entry

    def _begun(self, family: Family[S], key: Key, now_ms: int) -> Entry[S] | None:
        """Make the series if the budget has room for it."""
        of_pods = family.size if family.names_a_pod(key) else 0
        if of_pods and self._of_pods + of_pods > self.max_series // _PODS_SHARE:
            return None
        if self.series + family.size > self.max_series:
            return None
        self.series += family.size
        self._of_pods += of_pods
        entry = family.entries[key] = family.new(key, now_ms)
        return entry

    def _other(self, family: Family[S], key: Key, now_ms: int) -> Entry[S]:
        self.overflowed += 1
        beyond = family.beyond(key)
        entry = family.other.get(beyond)
        if entry is None:
            entry = family.other[beyond] = family.new(beyond, now_ms)
        return entry

    def expire(self, now_ms: int) -> None:
        """End series that nothing was added to for an hour."""
        if 0 <= now_ms - self._swept_ms < _SWEEP_EVERY_MS:  # a clock may be set back
            return
        self._swept_ms = now_ms
        before_ms = now_ms - IDLE_MS
        for counter in self._counters.values():
            self._sweep(counter, before_ms)
        for distribution in self._histograms.values():
            self._sweep(distribution, before_ms)
        for level in self._levels.values():
            self._sweep(level, before_ms)

    def _sweep(self, family: Family[S], before_ms: int) -> None:
        ended = family.sweep(before_ms)
        self.series -= family.size * len(ended)
        self._of_pods -= family.size * sum(map(family.names_a_pod, ended))

    def clock_was_set(self, step_ms: int) -> None:
        """Shift the times at which counters were created with the clock that they were read from."""
        for counter in self._counters.values():
            counter.shift(step_ms)
        for distribution in self._histograms.values():
            distribution.shift(step_ms)

    def families(self) -> Iterator[Family[Counter] | Family[Histogram] | Family[Level]]:
        """Yield all families."""
        yield from self._counters.values()
        yield from self._histograms.values()
        yield from self._levels.values()

    def render(self, zeros: ZeroPeriod, *, openmetrics: bool) -> Iterator[bytes]:
        """Write all families in pieces of some thousand lines; those without series are left out, new counters 0."""
        for family in self.families():
            yield from rendered_wholly(
                family.metric.name, _pieces(family.metric, family.lines(zeros), openmetrics=openmetrics), of=OWN
            )


def _pieces(metric: OwnMetric, lines: Iterator[str], *, openmetrics: bool) -> Iterator[bytes]:
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


def bounded(values: Key) -> Key:
    """Cut what is too long for a label's value."""
    return tuple(label_value(value)[0] for value in values)
