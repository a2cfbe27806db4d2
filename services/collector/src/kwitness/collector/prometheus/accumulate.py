"""The Python core: accumulators of all clients of this replica, within a budget of series."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from kwitness.collector.core import Applied, Arrival, ClientValue, CoreCounts, CoreState
from kwitness.collector.otlp.decode import MalformedPayloadError, decode
from kwitness.collector.otlp.points import Buckets, Decoded, Kind, MetricPoints, Point
from kwitness.collector.otlp.shapes import Shape, shape_of
from kwitness.collector.prometheus import state_rows
from kwitness.collector.prometheus.client_values import values_of
from kwitness.collector.prometheus.clients import Client, SlotKey
from kwitness.collector.prometheus.cumulative import Span, buckets_increment, increment, young_ns
from kwitness.collector.prometheus.exposition import instances, render_family
from kwitness.collector.prometheus.families import Family, FamilyRegister, sample_names
from kwitness.collector.prometheus.labels import LabelWriter
from kwitness.collector.prometheus.series import Counter, Gauge, Histogram, Series, SeriesKey, Slot, alike, cost
from kwitness.contracts.own_metrics import OWN_METRICS

STALE_AFTER_PUSHES: Final = 4
"""Pushes of a client without a gauge after which that gauge ends, for example that of a revoked partition."""
_SLOTS_PER_SERIES: Final = 4
"""Slots, which remember a client's last values, allowed per series of the budget."""
_MAX_ATTRIBUTE_CHARACTERS: Final = 2_048
"""Of all attributes of one point together: they are remembered as they came, for as long as the client."""
_MAX_ATTRIBUTE_SETS: Final = 50_000
_MAX_SHAPES: Final = 2_048
_PLAIN: Final = frozenset({Kind.GAUGE, Kind.DELTA})
_SWEEP_EVERY: Final = 16


class _Arrived(NamedTuple):
    key: SlotKey
    point: Point
    kind: Kind


class PythonCore:
    """Implements `kwitness.collector.core.TelemetryCore`; see there.

    ``labels`` are the identity keys that become labels; ``max_series`` bounds the samples exposed.
    """

    def __init__(self, labels: tuple[str, ...], max_series: int) -> None:
        self.max_series = max_series
        self.writer = LabelWriter(labels)
        self.register = FamilyRegister(
            taken for metric in OWN_METRICS for taken in sample_names(metric.name, metric.type)
        )
        self.clients: dict[str, Client] = {}
        self.series = 0
        self.slots = 0
        self._slot_keys: dict[SlotKey, SlotKey] = {}
        self._shapes: WeakValueDictionary[tuple[bytes, ...], Shape] = WeakValueDictionary()
        self._attribute_texts: dict[tuple[tuple[str, str], ...], str] = {}
        self._overflowed: dict[str, int] = {}
        self._left_out: dict[str, int] = {}
        self._young_ns = 0

    def apply(
        self, client: str, identity: Mapping[str, str], payload: bytes, arrival: Arrival | None = None
    ) -> Applied:
        """See `TelemetryCore.apply`."""
        state = self.clients.get(client)
        if state is not None and state.short and self.series < self.max_series:
            self._readmit(state)
        if state is not None and state.shape is not None:
            values = state.shape.values(payload)
            if values is not None:
                return self._again(client, state, state.shape, values)
        try:
            decoded = decode(payload)
        except MalformedPayloadError as error:
            return Applied(0, (), {}, str(error))
        if state is None:
            state = self.clients[client] = Client(
                self.writer.identity(identity), arrival.alone_since_ms if arrival is not None else 0
            )
        self._young_ns = young_ns(arrival, state.alone_since_ms)
        state.pushes += 1
        self._left_out = {"unsupported": decoded.unsupported} if decoded.unsupported else {}
        for metric in decoded.metrics:
            self._metric(client, state, metric)
        self._learn(state, payload, decoded)
        self._sweep_sometimes(client, state)
        points = sum([len(metric.points) for metric in decoded.metrics])
        return Applied(points, tuple([metric.name for metric in decoded.metrics]), self._left_out, None)

    def _again(self, client: str, state: Client, shape: Shape, values: tuple[float, ...]) -> Applied:
        """Take a push whose slots are known already."""
        state.pushes = pushes = state.pushes + 1
        self._left_out = {}
        for slot, value in zip(state.fed, values, strict=True):
            slot.push = pushes
            series = slot.series
            if type(series) is Gauge:
                series.put(client, value * slot.factor if slot.factor != 1 else value)
            elif type(series) is Counter:
                if 0 <= value < math.inf:
                    new = value * slot.factor if slot.factor != 1 else value
                    series.total += new
                    slot.total += new
                else:
                    self._leave_out("invalid_value")
        self._sweep_sometimes(client, state)
        return Applied(len(values), shape.metrics, self._left_out, None)

    def _learn(self, state: Client, payload: bytes, decoded: Decoded) -> None:
        """Remember the shape of the client's pushes once two in a row are of the same size."""
        again, state.last_size = state.last_size == len(payload), len(payload)
        if not again or not decoded.metrics:
            return
        shape = shape_of(payload, decoded)
        if shape is None:
            return
        fed: list[Slot] = []
        factors: dict[Slot, float] = {}
        for name, unit, sent, points in decoded.metrics:
            family, factor, kind = self.register.resolve(name, unit, sent)
            if family is None or kind not in _PLAIN:
                return
            for attributes, _, _, _ in points:
                slot = state.slots.get((name, attributes))
                if slot is None or slot.family != family.index or factors.setdefault(slot, factor) != factor:
                    return
                slot.factor = factor
                fed.append(slot)
        # Clients with the same metrics share one shape; those with attributes of their own may take only so many.
        known = self._shapes.get(shape.key())
        if known is None and len(self._shapes) < _MAX_SHAPES:
            known = self._shapes[shape.key()] = shape
        state.shape = known
        state.fed = fed

    def _sweep_sometimes(self, client: str, state: Client) -> None:
        if state.pushes % _SWEEP_EVERY == 0:
            self._sweep(client, state)

    def _metric(self, client: str, state: Client, metric: MetricPoints) -> None:
        name, unit, kind, points = metric
        family, factor, kind = self.register.resolve(name, unit, kind)
        if family is None:
            self._leave_out("families", len(points))
            return
        slots, pushes, index = state.slots, state.pushes, family.index
        for point in points:
            attributes, value, start_ns, time_ns = point
            key = (name, attributes)
            slot = slots.get(key)
            if slot is None or slot.family != index:
                slot = self._open(client, state, family, _Arrived(key, point, kind))
            slot.push = pushes
            series = slot.series
            if isinstance(value, Buckets):
                if series is not None:
                    self._histogram(slot, series, kind, point)
            elif isinstance(series, Gauge):
                number = value * factor if factor != 1 else value
                if kind is Kind.LEVEL_DELTA:
                    slot.last = number = number + (slot.last if isinstance(slot.last, int | float) else 0)
                series.put(client, number)
            elif isinstance(series, Counter):
                if not 0 <= value < math.inf:
                    self._leave_out("invalid_value")
                    continue
                new = value if kind is Kind.DELTA else increment(slot, value, Span(start_ns, time_ns, self._young_ns))
                new = new * factor if factor != 1 else new
                series.total += new
                slot.total += new

    def _histogram(self, slot: Slot, series: Series, kind: Kind, point: Point) -> None:
        _, value, start_ns, time_ns = point
        if not isinstance(series, Histogram) or not isinstance(value, Buckets):
            return
        if series.bounds != value.bounds or not math.isfinite(value.total):
            self._leave_out("bounds")
            return
        span = Span(start_ns, time_ns, self._young_ns)
        new = value if kind is Kind.HISTOGRAM_DELTA else buckets_increment(slot, value, span)
        if new is not None:
            series.add(new)
            slot.total += new.total
            slot.count += new.count

    def _open(self, client: str, state: Client, family: Family, arrived: _Arrived) -> Slot:
        key, point, kind = arrived
        if sum(len(name) + len(value) for name, value in key[1]) > _MAX_ATTRIBUTE_CHARACTERS:
            self._leave_out("attributes")
            return Slot(family.index, state.bare, None)
        earlier = state.slots.get(key)
        if earlier is not None and earlier.push == state.pushes:
            # One name with two types in one push: the second would end the first's series at every push.
            self._leave_out("conflict")
            return Slot(family.index, state.bare, None)
        state.shape = None
        if earlier is not None:
            del state.slots[key]
            self._close(client, earlier)
            self.slots -= 1
        if self.slots >= self.max_series * _SLOTS_PER_SERIES:
            # Without memory of the last value only increments can still be added, and only to the shared series.
            self._overflow("slots")
            return Slot(family.index, state.bare, family.other if kind in {Kind.DELTA, Kind.HISTOGRAM_DELTA} else None)
        text = self._attribute_text(key[1])
        series_key = (state.labels, text) if text else state.bare
        series = self._series(family, series_key, lambda: _fresh(family, point))
        state.short |= series is None or series is family.other
        slot = Slot(family.index, series_key, series)
        # Clients send the same metrics: the keys are one object for all of them.
        state.slots[self._slot_keys.setdefault(key, key) if len(self._slot_keys) < _MAX_ATTRIBUTE_SETS else key] = slot
        self.slots += 1
        if isinstance(series, Counter | Histogram):
            series.references += 1
        return slot

    def _series(self, family: Family, labels: SeriesKey, make: Callable[[], Series]) -> Series | None:
        found = family.series.get(labels)
        if found is not None:
            return found
        fresh = make()
        if self.series + cost(fresh) <= self.max_series:
            family.series[labels] = fresh
            self.series += cost(fresh)
            return fresh
        self._overflow(family.type)
        if isinstance(fresh, Gauge):
            return None
        if family.other is None:
            family.other = fresh
        return family.other

    def relabel(self, client: str, identity: Mapping[str, str]) -> None:
        """See `TelemetryCore.relabel`."""
        state = self.clients.get(client)
        if state is None or (labels := self.writer.identity(identity)) == state.labels:
            return
        self._close_ended(client, state)
        state.rename(labels)
        for slot in state.slots.values():
            self._move(client, state, slot)

    def _move(self, client: str, state: Client, slot: Slot) -> None:
        """Let a slot feed the series of its client's new labels; counters of the old ones stay for one more scrape."""
        family, held, (_, text) = self.register.families[slot.family], slot.series, slot.series_key
        before, slot.series_key = slot.series_key, (state.labels, text) if text else state.bare
        if held is None or held is family.other:
            return
        former = Slot(slot.family, before, held)
        if isinstance(held, Gauge):
            value = held.of(client)
            self._close(client, former)
            slot.series = self._series(family, slot.series_key, Gauge)
            if isinstance(slot.series, Gauge) and value is not None:
                slot.series.put(client, value)
        else:
            state.ended.append(former)
            slot.series = self._series(family, slot.series_key, lambda: alike(held))
            if isinstance(slot.series, Counter | Histogram):
                slot.series.references += 1
        state.short |= slot.series is None or slot.series is family.other

    def _close_ended(self, client: str, state: Client) -> None:
        for slot in state.ended:
            self._close(client, slot)
        state.ended.clear()

    def _readmit(self, state: Client) -> None:
        """Give what the client's last push fed, and the budget had no room for, series of its own, now that it has."""
        state.short = False
        for (name, _), slot in state.slots.items():
            family, held = self.register.families[slot.family], slot.series
            if family.gone:
                state.shape = None  # its next push finds the name a new family
            if (
                family.gone
                or family.original != name
                or slot.push != state.pushes
                or (held is not None and held is not family.other)
            ):
                continue
            series = family.series.get(slot.series_key)
            if series is None:
                series = Gauge() if held is None else alike(held)
                if self.series + cost(series) > self.max_series:
                    state.short = True
                    continue
                family.series[slot.series_key] = series
                self.series += cost(series)
            if isinstance(held, Counter | Histogram) and isinstance(series, Counter | Histogram):
                held.references -= 1
                series.references += 1
            slot.series = series

    def _attribute_text(self, attributes: tuple[tuple[str, str], ...]) -> str:
        if not attributes:
            return ""
        text = self._attribute_texts.get(attributes)
        if text is None:
            text = self.writer.attributes(attributes)
            if len(self._attribute_texts) < _MAX_ATTRIBUTE_SETS:
                self._attribute_texts[attributes] = text
        return text

    def depart(self, client: str) -> None:
        """See `TelemetryCore.depart`."""
        state = self.clients.pop(client, None)
        if state is not None:
            for slot in (*state.slots.values(), *state.ended):
                self._close(client, slot)
            self.slots -= len(state.slots)

    def _close(self, client: str, slot: Slot) -> None:
        series = slot.series
        family = self.register.families[slot.family]
        if isinstance(series, Gauge):
            ended = series.drop(client)
        elif series is not None:
            series.references -= 1
            ended = series.references <= 0
        else:
            return
        if ended and series is not family.other and family.series.get(slot.series_key) is series:
            del family.series[slot.series_key]
            self.series -= cost(series)

    def _sweep(self, client: str, state: Client) -> None:
        self._close_ended(client, state)
        stale = [
            key
            for key, slot in state.slots.items()
            if (slot.series is None or isinstance(slot.series, Gauge))
            and state.pushes - slot.push >= STALE_AFTER_PUSHES
        ]
        for key in stale:
            self._close(client, state.slots.pop(key))
        self.slots -= len(stale)
        if stale:
            state.shape = None

    def _leave_out(self, reason: str, count: int = 1) -> None:
        self._left_out[reason] = self._left_out.get(reason, 0) + count

    def _overflow(self, reason: str) -> None:
        self._overflowed[reason] = self._overflowed.get(reason, 0) + 1

    def render(self, *, openmetrics: bool) -> Iterator[bytes]:
        """See `TelemetryCore.render`."""
        self.register.prune()
        for family in self.register.families:
            yield from render_family(family, self.writer.other(), openmetrics=openmetrics)
        yield instances((client.labels for client in self.clients.values()), openmetrics=openmetrics)

    def mark_shown(self) -> None:
        """See `TelemetryCore.mark_shown`."""
        for family in self.register.families:
            for series in (*family.series.values(), family.other):
                if isinstance(series, Counter | Histogram):
                    series.shown = True

    def counts(self) -> CoreCounts:
        """See `TelemetryCore.counts`."""
        return CoreCounts(self.series, self._overflowed, self.register.conflicts, self.writer.cut)

    def values(self, client: str) -> Iterable[ClientValue]:
        """See `TelemetryCore.values`."""
        state = self.clients.get(client)
        return () if state is None else values_of(client, state, self.register)

    def dump(self) -> CoreState:
        """See `TelemetryCore.dump`."""
        return state_rows.dump(self.register, self.clients.items(), self.writer.keys)

    def load(self, rows: Iterable[list[object]]) -> None:
        """See `TelemetryCore.load`."""
        loaded = state_rows.load(rows, self.register, self.writer.keys)
        self.clients = loaded
        self.series = sum(cost(one) for family in self.register.families for one in family.series.values())
        self.slots = sum(len(client.slots) for client in loaded.values())
        for client in loaded.values():
            client.short = any(
                slot.series is self.register.families[slot.family].other for slot in client.slots.values()
            )


def _fresh(family: Family, point: Point) -> Series:
    value = point[1]
    if family.type == "histogram" and isinstance(value, Buckets):
        return Histogram(value.bounds)
    return Gauge() if family.type == "gauge" else Counter()
