"""The accumulators as rows of plain JSON values, for the state file. A row's first entry says what it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from kwitness.collector.otlp.points import Buckets
from kwitness.collector.prometheus.clients import Client, SlotKey
from kwitness.collector.prometheus.families import Family, FamilyRegister
from kwitness.collector.prometheus.names import Target
from kwitness.collector.prometheus.series import Counter, Gauge, Histogram, Life, Series, Slot
from kwitness.contracts import client_metrics

_VERSION: Final = 5
_EARLIER: Final = frozenset({3, 4})
"""Of counters the first said whether a scrape had seen them, and not when they were created; neither said since when
a client's increments add up."""


def dump(
    register: FamilyRegister, clients: Iterable[tuple[str, Client]], keys: tuple[str, ...]
) -> Iterator[list[object]]:
    """Yield families with their series, then clients with their slots."""
    yield ["core", _VERSION, list(keys)]
    for family in register.families:
        if family.gone:
            yield ["gone"]
            continue
        yield [
            "family",
            family.name,
            family.original,
            family.type,
            family.combine,
            family.divisor,
            family.help,
            family.registered,
        ]
        for (identity, text), series in family.series.items():
            if not isinstance(series, Gauge):
                yield ["series", family.index, identity, text, *_accumulated(series)]
        if family.other is not None:
            yield ["other", family.index, *_accumulated(family.other)]
    for name, client in clients:
        yield ["client", name, client.labels, client.pushes, client.alone_since_ms]
        for (metric, attributes), slot in client.slots.items():
            value = slot.series.of(name) if isinstance(slot.series, Gauge) else _added(slot)
            shared = slot.series is register.families[slot.family].other
            place = "none" if slot.series is None else "other" if shared else "own"
            yield [
                "slot",
                metric,
                [list(pair) for pair in attributes],
                slot.family,
                *slot.series_key,
                place,
                _last(slot.last),
                slot.start_ns,
                slot.push,
                value,
                slot.time_ns,
                [[start_ns, _last(life.last), life.time_ns] for start_ns, life in (slot.lives or {}).items()],
                *([slot.since_ns, _last(slot.buckets)] if slot.since_ns or slot.buckets else []),
            ]


def _added(slot: Slot) -> object:
    return [slot.total, slot.count] if slot.count else slot.total or None


def _last(last: float | Buckets | None) -> object:
    return [last.bounds, last.counts, last.total, last.count] if isinstance(last, Buckets) else last


def _value(saved: Any) -> float | Buckets:
    match saved:
        case [bounds, counts, total, count]:
            return Buckets(tuple(bounds), tuple(counts), total, count)
        case int() | float():
            return saved
        case _:
            raise ValueError(f"not a value: {str(saved)[:80]}")


def _accumulated(series: Counter | Histogram) -> list[object]:
    if isinstance(series, Counter):
        return [series.total, series.created_ms]
    return [series.bounds, series.counts, series.total, series.count, series.created_ms]


def load(rows: Iterable[list[Any]], register: FamilyRegister, keys: tuple[str, ...], now_ms: int) -> dict[str, Client]:
    """Fill an empty register and return the clients; nothing when the labels are configured otherwise now.

    Counters from after ``now_ms``, in milliseconds since 1970, are old: the clock was set back meanwhile.

    Raises
    ------
    ValueError, TypeError, KeyError, IndexError
        If the rows are not what `dump` yields.
    """
    reading = _Reading(register, now_ms)
    for row in rows:
        if row[0] == "core":
            if row[1] not in {*_EARLIER, _VERSION} or tuple(row[2]) != keys:
                return {}
        else:
            reading.take(row)
    for family in register.families:
        # A series that nobody feeds any more would never end.
        family.series = {
            labels: one for labels, one in family.series.items() if isinstance(one, Gauge) or one.references > 0
        }
    return reading.clients


class _Reading:
    """What was read so far: families by their old index, and the client whose slots come next."""

    def __init__(self, register: FamilyRegister, now_ms: int) -> None:
        self._now_ms = now_ms
        self.clients: dict[str, Client] = {}
        self._families: list[Family | None] = []
        self._register = register
        self._name = ""
        self._slot_keys: dict[SlotKey, SlotKey] = {}

    def take(self, row: list[Any]) -> None:
        match row:
            case ["family", name, original, type_, combine, divisor, help_, registered]:
                aim = Target(name, type_, combine, 1 / divisor, 1, help_, registered)
                valid = _still_valid(original, aim)
                self._families.append(self._register.restore(original, aim) if valid else None)
            case ["gone"]:
                self._families.append(None)
            case ["client", name, labels, pushes, alone_since_ms]:
                self._name = str(name)
                client = self.clients[self._name] = Client(str(labels), alone_since_ms=int(alone_since_ms))
                client.pushes = int(pushes)
            case ["series", index, identity, text, *accumulated]:
                if (family := self._families[index]) is not None:
                    family.series[str(identity), str(text)] = _series(accumulated, self._now_ms)
            case ["other", index, *accumulated]:
                if (family := self._families[index]) is not None:
                    family.other = _series(accumulated, self._now_ms)
            case ["slot", metric, attributes, index, *rest]:
                if (family := self._families[index]) is not None:
                    key = (str(metric), tuple(sorted((str(one), str(two)) for one, two in attributes)))
                    key = self._slot_keys.setdefault(key, key)
                    client = self.clients[self._name]
                    # An earlier release had a slot for each order of the attributes: the last one stays.
                    slot = client.slots[key] = _slot(self._name, client, family, rest)
                    client.short |= slot.series is family.other
            case _:
                raise ValueError(f"not a row of the collector's state: {str(row)[:80]}")


def _still_valid(original: str, aim: Target) -> bool:
    known = client_metrics.lookup(original)
    if known is None or aim.type == "histogram":
        return not aim.registered or known is not None
    return known.type == aim.type and abs(known.scale - aim.scale) <= known.scale * 1e-9


def _series(accumulated: list[Any], now_ms: int) -> Counter | Histogram:
    match accumulated:
        case [int() | float() as total, int() as created]:
            return Counter(_created_ms(created, now_ms), total)
        case [bounds, counts, int() | float() as total, int() as count, int() as created]:
            series = Histogram(_created_ms(created, now_ms), tuple(bounds))
            if len(counts) != len(series.counts):
                raise ValueError("a histogram with the wrong number of buckets")
            series.counts, series.total, series.count = [int(one) for one in counts], total, count
            return series
        case _:
            raise ValueError(f"not an accumulated series: {str(accumulated)[:80]}")


def _created_ms(saved: int, now_ms: int) -> int:
    if isinstance(saved, bool):
        return 0 if saved else now_ms
    return saved if saved <= now_ms else 0


def _slot(name: str, client: Client, family: Family, rest: list[Any]) -> Slot:
    identity, attributes, place, last, start_ns, push, value, time_ns, lives, *sums = rest
    same = identity == client.labels
    series_key = client.bare if same and not attributes else (client.labels if same else str(identity), str(attributes))
    series: Series | None = None
    if place == "other":
        series = family.other
    elif place == "own" and family.type == "gauge":
        series = family.series.setdefault(series_key, Gauge())
        if isinstance(series, Gauge) and value is not None:
            series.join(name)
            series.put(name, value)
    elif place == "own":
        series = family.series[series_key]
    if isinstance(series, Counter | Histogram):
        series.references += 1
    slot = Slot(family.index, series_key, series)
    slot.last = None if last is None else _value(last)
    slot.start_ns, slot.push, slot.time_ns = int(start_ns), int(push), int(time_ns)
    if lives:
        slot.lives = {int(start): Life(_value(value), int(at)) for start, value, at in lives}
    if family.type != "gauge" and value is not None:
        slot.total, slot.count = value if isinstance(value, list) else (value, 0)
    if sums:
        slot.since_ns, buckets = int(sums[0]), None if sums[1] is None else _value(sums[1])
        slot.buckets = buckets if isinstance(buckets, Buckets) else None
    return slot
