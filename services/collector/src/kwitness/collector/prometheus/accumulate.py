"""The Python core: accumulators of all clients of this replica, within a budget of series."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from kwitness.collector.core import Applied, Arrival, ClientValue, CoreCounts, CoreState, Cumulative, ZeroPeriod
from kwitness.collector.fairness import NOBODY, Shares
from kwitness.collector.otlp.decode import MalformedPayloadError, decode
from kwitness.collector.otlp.points import ADDED, INCREMENTS, Buckets, Decoded, Kind, MetricPoints, Point
from kwitness.collector.otlp.shapes import Shape
from kwitness.collector.prometheus import state_rows
from kwitness.collector.prometheus.client_sums import with_sums
from kwitness.collector.prometheus.client_values import values_of
from kwitness.collector.prometheus.clients import Client, SlotKey
from kwitness.collector.prometheus.cumulative import Span, buckets_increment, increment, young_ns
from kwitness.collector.prometheus.exposition import instances, render_family
from kwitness.collector.prometheus.families import Family, FamilyRegister, sample_names
from kwitness.collector.prometheus.known_shapes import KnownShapes
from kwitness.collector.prometheus.labels import MAX_ATTRIBUTE_SETS, LabelWriter
from kwitness.collector.prometheus.render_errors import rendered_wholly
from kwitness.collector.prometheus.room import SeriesRoom
from kwitness.collector.prometheus.series import Counter, Gauge, Histogram, Series, Slot, alike, cost, fresh_series
from kwitness.contracts.own_metrics import OWN_METRICS

STALE_AFTER_PUSHES: Final = 4
"""Pushes of a client without a gauge after which that gauge ends, for example that of a revoked partition."""
_SLOTS_PER_SERIES: Final = 4
"""Slots, which remember a client's last values, allowed per series of the budget."""
_MAX_ATTRIBUTE_CHARACTERS: Final = 2_048
"""Of all attributes of one point together: they are remembered as they came, for as long as the client."""
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
        self.room = SeriesRoom(max_series)
        self.slots = Shares(max_series * _SLOTS_PER_SERIES)
        self._without = 0
        self._slot_keys: dict[SlotKey, SlotKey] = {}
        self._shapes = KnownShapes()
        self._left_out: dict[str, int] = {}
        self._young_ns = 0
        self._now_ms = 0

    def apply(
        self,
        client: str,
        identity: Mapping[str, str],
        payload: bytes,
        holder: str = NOBODY,
        arrival: Arrival | None = None,
    ) -> Applied:
        """See `TelemetryCore.apply`."""
        state = self.clients.get(client)
        self._now_ms = arrival.at_ms if arrival is not None else 0
        if state is not None and state.holder != holder:
            self._hand_over(state, holder)
        if state is not None and state.short and self.room.shares.has_room(holder):
            self._readmit(client, state)
        if state is not None and state.shape is not None:
            values = state.shape.values(payload)
            if values is not None:
                return self._again(client, state, state.shape, values)
        try:
            decoded = decode(payload)
        except MalformedPayloadError as error:
            return Applied(0, (), {}, str(error))
        if state is None:
            alone_since_ms = arrival.alone_since_ms if arrival is not None else 0
            state = self.clients[client] = Client(self.writer.identity(identity), holder, alone_since_ms)
        self._young_ns = young_ns(arrival, state.alone_since_ms)
        applied = self._decoded(client, state, decoded)
        self._shapes.learn(state, payload, decoded, self.register)
        self._sweep_sometimes(client, state)
        return applied

    def add(self, payload: bytes, holder: str, now_ms: int) -> Applied:
        """See `TelemetryCore.add`."""
        self._now_ms = now_ms
        try:
            decoded = decode(payload)
        except MalformedPayloadError as error:
            return Applied(0, (), {}, str(error))
        return self._decoded(None, Client("", holder), decoded)

    def _decoded(self, client: str | None, state: Client, decoded: Decoded) -> Applied:
        state.pushes += 1
        self._without = 0
        left_out = {"unsupported": decoded.unsupported, "too_many": decoded.beyond}
        self._left_out = {reason: count for reason, count in left_out.items() if count}
        for metric in decoded.metrics:
            self._metric(client, state, metric)
        if self._without > state.without:
            # A client's series that have no slot cannot be told apart from those of its push before: the most count.
            self.room.overflow("slots", self._without - state.without)
            state.without = self._without
        points = sum([len(metric.points) for metric in decoded.metrics])
        return Applied(points, tuple([metric.name for metric in decoded.metrics]), self._left_out, None)

    def _hand_over(self, state: Client, holder: str) -> None:
        """Count what a client holds for whose it is now: after a restart that is not known until it pushes."""
        before, state.holder = state.holder, holder
        self.slots.move(before, holder, len(state.slots))
        for slot in state.slots.values():
            self.room.hand_over(self.register.families[slot.family], slot.series_key, slot.series, before, holder)

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
                    self._add(slot, series, value * slot.factor if slot.factor != 1 else value)
                else:
                    self._leave_out("invalid_value")
        self._sweep_sometimes(client, state)
        return Applied(len(values), shape.metrics, self._left_out, None)

    def _sweep_sometimes(self, client: str, state: Client) -> None:
        if state.pushes % _SWEEP_EVERY == 0:
            self._sweep(client, state)

    def _metric(self, client: str | None, state: Client, metric: MetricPoints) -> None:
        name, unit, kind, points = metric
        family, factor, kind = self.register.resolve(name, unit, kind, state.holder)
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
            elif isinstance(series, Gauge) and client is not None:
                number = value * factor if factor != 1 else value
                series.put(client, self._level(slot, number) if kind is Kind.LEVEL_DELTA else number)
            elif isinstance(series, Counter):
                if not 0 <= value < math.inf:
                    self._leave_out("invalid_value")
                    continue
                new = value if kind is Kind.DELTA else increment(slot, value, Span(start_ns, time_ns, self._young_ns))
                self._add(slot, series, new * factor if factor != 1 else new)

    def _level(self, slot: Slot, change: float) -> float:
        before = slot.last if isinstance(slot.last, int | float) else 0
        if math.isfinite(before + change):
            slot.last = before + change
        else:
            self._leave_out("invalid_value")
        return before if slot.last is None or isinstance(slot.last, Buckets) else slot.last

    def _add(self, slot: Slot, series: Counter, new: float) -> None:
        if series.holds(new) and math.isfinite(slot.total + new):
            series.total += new
            slot.total += new
        else:
            self._leave_out("invalid_value")

    def _histogram(self, slot: Slot, series: Series, kind: Kind, point: Point) -> None:
        _, value, start_ns, time_ns = point
        if not isinstance(series, Histogram) or not isinstance(value, Buckets):
            return
        if series.bounds != value.bounds or not math.isfinite(value.total):
            self._leave_out("bounds")
            return
        span = Span(start_ns, time_ns, self._young_ns)
        new = value if kind is Kind.HISTOGRAM_DELTA else buckets_increment(slot, value, span)
        if new is None:
            return
        if series.holds(new.total) and math.isfinite(slot.total + new.total):
            series.add(new)
            slot.add(new)
        else:
            self._leave_out("invalid_value")

    def _open(self, client: str | None, state: Client, family: Family, arrived: _Arrived) -> Slot:
        key, point, kind = arrived
        if sum(len(name) + len(value) for name, value in key[1]) > _MAX_ATTRIBUTE_CHARACTERS:
            self._leave_out("attributes")
            return Slot(family.index, state.bare, None)
        earlier = state.slots.get(key)
        if earlier is not None and earlier.push == state.pushes:
            # One name with two types in one push: the second would end the first's series at every push.
            self._leave_out("conflict")
            return Slot(family.index, state.bare, None)
        if client is None:
            return self._slotless(family, state, arrived)
        state.shape = None
        if earlier is not None:
            del state.slots[key]
            self._close(client, earlier)
            self.slots.take(state.holder, -1)
        if not self.slots.has_room(state.holder):
            return self._slotless(family, state, arrived)
        text = self.writer.attributes(key[1])
        series_key = (state.labels, text) if text else state.bare
        fresh = fresh_series(family.type, point[1], self._now_ms)
        if series_key not in family.series and not self.room.shares.allows(state.holder, cost(fresh)):
            return self._slotless(family, state, arrived)
        series = self.room.find(family, series_key, state.holder, fresh)
        state.short |= series is None or series is family.other
        slot = Slot(family.index, series_key, series)
        if kind in INCREMENTS:
            slot.since_ns = point[2] or point[3]
        # Clients send the same metrics: the keys are one object for all of them.
        state.slots[self._slot_keys.setdefault(key, key) if len(self._slot_keys) < MAX_ATTRIBUTE_SETS else key] = slot
        self.slots.take(state.holder)
        if isinstance(series, Counter | Histogram):
            series.references += 1
        elif series is not None:
            series.join(client)
        return slot

    def _slotless(self, family: Family, state: Client, arrived: _Arrived) -> Slot:
        """Take a value without memory of the one before: increments can be added to what is shared, others cannot."""
        self._without += 1
        if arrived.kind in ADDED:
            other = self.room.other(family, fresh_series(family.type, arrived.point[1], self._now_ms))
            if other is not None:
                return Slot(family.index, state.bare, other)
        self._leave_out("budget")
        return Slot(family.index, state.bare, None)

    def relabel(self, client: str, identity: Mapping[str, str], now_ms: int) -> None:
        """See `TelemetryCore.relabel`."""
        self._now_ms = now_ms
        state = self.clients.get(client)
        if state is None or (labels := self.writer.identity(identity)) == state.labels:
            return
        self._close_ended(client, state)
        state.rename(labels)
        for slot in state.slots.values():
            self._move(client, state, slot)

    def _move(self, client: str, state: Client, slot: Slot) -> None:
        """Let a slot feed the series of its client's new labels; counters of the old ones stay for a while."""
        family, held, (_, text) = self.register.families[slot.family], slot.series, slot.series_key
        before, slot.series_key = slot.series_key, (state.labels, text) if text else state.bare
        if held is None or held is family.other:
            return
        former = Slot(slot.family, before, held)
        if isinstance(held, Gauge):
            value = held.of(client)
            self._close(client, former)
            slot.series = self.room.find(family, slot.series_key, state.holder, Gauge())
            if isinstance(slot.series, Gauge) and value is not None:
                slot.series.join(client)
                slot.series.put(client, value)
        else:
            state.ended.append(former)
            slot.series = self.room.find(family, slot.series_key, state.holder, alike(held, self._now_ms))
            if isinstance(slot.series, Counter | Histogram):
                slot.series.references += 1
        state.short |= slot.series is None or slot.series is family.other

    def _close_ended(self, client: str, state: Client) -> None:
        for slot in state.ended:
            self._close(client, slot)
        state.ended.clear()

    def _readmit(self, client: str, state: Client) -> None:
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
                series = Gauge() if held is None else alike(held, self._now_ms)
                if not self.room.shares.has_room(state.holder, cost(series)):
                    state.short = True
                    continue
                self.room.begin(family, slot.series_key, state.holder, series)
            if isinstance(held, Counter | Histogram) and isinstance(series, Counter | Histogram):
                held.references -= 1
                series.references += 1
            elif isinstance(series, Gauge):
                series.join(client)
            slot.series = series

    def depart(self, client: str) -> None:
        """See `TelemetryCore.depart`."""
        state = self.clients.pop(client, None)
        if state is not None:
            for slot in (*state.slots.values(), *state.ended):
                self._close(client, slot)
            self.slots.take(state.holder, -len(state.slots))

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
        if ended:
            self.room.end(family, slot.series_key, series)

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
        self.slots.take(state.holder, -len(stale))
        if stale:
            state.shape = None

    def _leave_out(self, reason: str, count: int = 1) -> None:
        self._left_out[reason] = self._left_out.get(reason, 0) + count

    def render(self, zeros: ZeroPeriod, *, openmetrics: bool) -> Iterator[bytes]:
        """See `TelemetryCore.render`."""
        if self.register.prune():
            self.room.measure(self.register.families)
        for family in self.register.families:
            pieces = render_family(family, self.writer.other(), zeros, openmetrics=openmetrics)
            yield from rendered_wholly(family.name, pieces)
        labels = (client.labels for client in self.clients.values())
        yield instances(labels, self.max_series, self.writer.other(), openmetrics=openmetrics)

    def clock_was_set(self, step_ms: int) -> None:
        """See `TelemetryCore.clock_was_set`."""
        for family in self.register.families:
            for series in (*family.series.values(), family.other):
                if isinstance(series, Counter | Histogram):
                    series.created_ms += step_ms

    def counts(self) -> CoreCounts:
        """See `TelemetryCore.counts`."""
        return CoreCounts(self.room.shares.taken, self.room.overflowed, self.register.conflicts, self.writer.cut)

    def values(self, client: str) -> Iterable[ClientValue]:
        """See `TelemetryCore.values`."""
        state = self.clients.get(client)
        return () if state is None else values_of(client, state, self.register)

    def cumulative(self, client: str, payload: bytes, now_ms: int) -> Cumulative:
        """See `TelemetryCore.cumulative`."""
        return with_sums(payload, self.clients.get(client), self.register, now_ms)

    def dump(self) -> CoreState:
        """See `TelemetryCore.dump`."""
        return state_rows.dump(self.register, self.clients.items(), self.writer.keys)

    def load(self, rows: Iterable[list[object]], now_ms: int) -> None:
        """See `TelemetryCore.load`."""
        loaded = state_rows.load(rows, self.register, self.writer.keys, now_ms)
        self.clients = loaded
        self.room.restore(self.register.families)
        self.slots = Shares(self.max_series * _SLOTS_PER_SERIES)
        self.slots.take(NOBODY, sum(len(client.slots) for client in loaded.values()))
