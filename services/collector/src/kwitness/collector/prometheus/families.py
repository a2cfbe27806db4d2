"""Families: one name, one type, one help line; names that clash are split and counted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final, NamedTuple

from kwitness.collector.fairness import NOBODY, Shares
from kwitness.collector.otlp.points import Kind
from kwitness.collector.prometheus.names import Combine, Target, Type, target, type_of
from kwitness.collector.prometheus.series import Counter, Histogram, Series, SeriesKey
from kwitness.contracts import client_metrics

_EXPOSED: Final = {"ms": "s", "ns": "s", "bytes": "By"}
"""Units of the registry as samples have them."""
MAX_UNREGISTERED: Final = 2_000
"""Families outside the registry: metric names are chosen by clients, and each costs a HELP and a TYPE line."""
_MAX_REMEMBERED: Final = 20_000


class Family:
    """All series of one metric. ``original`` is the name as clients send it; ``divisor`` avoids a scale's rounding.

    A family that is ``gone`` only holds its place in the register until another takes it. ``holder`` is whose share of
    the names it is of; ``other_fed`` says that something was added to ``other`` since the register was pruned last.
    """

    __slots__ = (
        "combine",
        "divisor",
        "gone",
        "help",
        "holder",
        "index",
        "name",
        "original",
        "other",
        "other_fed",
        "registered",
        "series",
        "type",
    )

    def __init__(self, index: int, name: str, original: str, aim: Target) -> None:
        self.index = index
        self.name = name
        self.original = original
        self.type: Type = aim.type
        self.combine: Combine = aim.combine
        self.divisor = round(1 / aim.scale) if aim.scale < 1 else 1 / aim.scale
        self.help = aim.help
        self.registered = aim.registered
        self.series: dict[SeriesKey, Series] = {}
        self.other: Counter | Histogram | None = None
        self.other_fed = False
        self.holder = NOBODY
        self.gone = False

    def is_idle(self) -> bool:
        """Whether no client feeds it."""
        return not (self.series or self.other_fed) and (self.other is None or self.other.references <= 0)


def sample_names(name: str, type_: Type) -> tuple[str, ...]:
    """Return every name that a family takes in either text format."""
    match type_:
        case "counter":
            return (name, f"{name}_total")
        case "gauge":
            return (name,)
        case "histogram":
            return (name, f"{name}_bucket", f"{name}_sum", f"{name}_count")


class Resolved(NamedTuple):
    """A metric's family, the factor to its unit, and how to read its values there."""

    family: Family | None
    factor: float
    kind: Kind


def _effective(kind: Kind, type_: Type) -> Kind:
    """Read a value as the family's type says where the registry and the client disagree."""
    if type_ == "counter" and kind in {Kind.GAUGE, Kind.LEVEL}:
        return Kind.CUMULATIVE
    if type_ == "counter" and kind is Kind.LEVEL_DELTA:
        return Kind.DELTA
    if type_ == "gauge" and kind is Kind.DELTA:
        return Kind.LEVEL_DELTA
    return kind


class FamilyRegister:
    """Finds the family of a metric as sent, making it when it is new; ``reserved`` are names of our own."""

    def __init__(self, reserved: Iterable[str]) -> None:
        self.families: list[Family] = []
        self.conflicts = 0
        self.refused = 0
        self._by_name: dict[str, Family] = {}
        self._taken = {taken for name in reserved for taken in (name, name.removesuffix("_total"))}
        self._resolved: dict[tuple[str, str, Kind], Resolved] = {}
        self._refused: set[tuple[str, tuple[str, str, Kind]]] = set()
        self._unregistered = Shares(MAX_UNREGISTERED)
        self._free: list[int] = []

    def resolve(self, name: str, unit: str, kind: Kind, holder: str) -> Resolved:
        """Find out where a metric's values go; no family when there are too many, or too many that this holder made."""
        key = (name, unit, kind)
        found = self._resolved.get(key)
        if found is None:
            if (holder, key) in self._refused:
                return Resolved(None, 1, kind)
            family, factor = self._resolve(name, unit, kind, holder)
            found = Resolved(family, factor, kind if family is None else _effective(kind, family.type))
            if len(self._resolved) + len(self._refused) >= _MAX_REMEMBERED:
                return found
            if family is None:
                self._refused.add((holder, key))
            else:
                self._resolved[key] = found
        return found

    def units(self) -> dict[int, str]:
        """Return the units of exposed values by the family's index; those that nobody named are absent."""
        units = {
            one.family.index: unit
            for (_, unit, _), one in self._resolved.items()
            if one.family is not None and not one.family.registered
        }
        for family in self.families:
            known = client_metrics.lookup(family.original) if family.registered else None
            if known is not None:
                units[family.index] = _EXPOSED.get(known.unit, known.unit)
        return units

    def restore(self, original: str, aim: Target) -> Family | None:
        """Make the family that was there before a restart; None when there are too many."""
        return self._by_name.get(aim.name) or self._make(aim.name, original, aim, NOBODY)

    def prune(self) -> bool:
        """Where there was no room for a new name, forget those outside the registry that nobody sends any more."""
        if self._unregistered.taken < MAX_UNREGISTERED and not self._refused:
            return False
        self._refused.clear()
        for family in self.families:
            if not (family.registered or family.gone) and family.is_idle():
                family.gone, family.other = True, None
                self._unregistered.take(family.holder, -1)
                self._free.append(family.index)
                self._taken.difference_update(sample_names(family.name, family.type))
                del self._by_name[family.name]
            family.other_fed = False
        self._resolved = {
            key: one for key, one in self._resolved.items() if one.family is not None and not one.family.gone
        }
        return True

    def _resolve(self, original: str, unit: str, kind: Kind, holder: str) -> tuple[Family | None, float]:
        aim = target(original, unit, kind)
        sent = type_of(kind)
        if aim.registered and (aim.type == "histogram") != (sent == "histogram"):
            # A distribution cannot become the registry's single number: it gets a family of its own.
            aim = Target(f"{aim.name}_{sent}", sent, "sum", aim.scale, aim.factor, aim.help, aim.registered)
            self.conflicts += 1
        digest = hashlib.sha256(original.encode()).hexdigest()[:8]
        for attempt, name in enumerate((aim.name, f"{aim.name}_{aim.type}", f"{aim.name}_{digest}")):
            family = self._by_name.get(name)
            if family is not None and family.type == aim.type and family.original == original:
                return family, aim.factor
            if family is None and self._is_free(name, aim.type):
                self.conflicts += attempt > 0
                return self._make(name, original, aim, holder), aim.factor
        return None, aim.factor

    def _is_free(self, name: str, type_: Type) -> bool:
        return self._taken.isdisjoint(sample_names(name, type_))

    def _make(self, name: str, original: str, aim: Target, holder: str) -> Family | None:
        if not aim.registered:
            if not self._unregistered.has_room(holder):
                self.refused += 1
                return None
            self._unregistered.take(holder)
        if self._free:
            family = Family(self._free.pop(), name, original, aim)
            self.families[family.index] = family
        else:
            family = Family(len(self.families), name, original, aim)
            self.families.append(family)
        family.holder = holder
        self._by_name[name] = family
        self._taken.update(sample_names(name, aim.type))
        return family
