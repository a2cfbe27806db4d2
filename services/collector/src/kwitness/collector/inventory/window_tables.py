"""Describes the rows that are kept of observers' windows: the texts of their keys, and their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from struct import Struct
from typing import Final, NamedTuple

from kwitness.collector.origin import Origin
from kwitness.collector.prometheus.budget import Key, bounded
from kwitness.contracts.envelopes import ApiTotals, TrafficTotals, WindowTotals
from kwitness.contracts.nouns import GROUPS, TRAFFIC
from kwitness.contracts.questions import Noun

MOST: Final = 2**62
"""The largest number of the contracts; what observers send may add up to more."""
_UNKNOWN: Final = -1
_PACKED: Final = Struct("q")
Number = int | float | None
Numbers = tuple[Number, ...]
"""Rates, sums and levels of a row, in the order of its table; None is not known, or not counted in such a row."""


class Reading(NamedTuple):
    """Numbers of a row or item, errors by Kafka's code, and the end of the newest window that they are of."""

    numbers: Numbers
    errors: Mapping[str, int]
    until_ms: int


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of one noun.

    Attributes
    ----------
    noun
        The noun that they are the items of.
    key
        Fields of an item that make its key, in their order; an empty text is not known.
    rates, sums, levels
        Fields of totals: an item has the first per second, adds up the second, and has the largest of the third.
    """

    noun: Noun
    key: tuple[str, ...]
    rates: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    @cached_property
    def added(self) -> int:
        """How many of the numbers are rates and sums."""
        return len(self.rates) + len(self.sums)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields of an item that have the numbers, in their order."""
        return (*(f"{name}_per_s" for name in self.rates), *self.sums, *self.levels)

    def read(self, totals: object, window: WindowTotals) -> Reading:
        """Return what an entry of a window has; rates are not divided by its length."""
        values = vars(totals)  # to ask pydantic for an attribute that is not there takes a microsecond
        return Reading(tuple(map(values.get, self._names)), values.get("errors", {}), window.end_ms or 0)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return (*self.rates, *self.sums, *self.levels)

    @cached_property
    def _packing(self) -> Struct:
        return Struct(f"{len(self.fields)}q")

    def pack(self, numbers: Numbers) -> bytes:
        """Return whole numbers in less memory."""
        return self._packing.pack(*[_UNKNOWN if number is None else min(number, MOST) for number in numbers])

    def unpack(self, packed: bytes) -> Numbers:
        """Return the numbers that were packed."""
        return tuple([None if number == _UNKNOWN else number for number in self._packing.unpack(packed)])

    def unpack_number(self, packed: bytes, place: int) -> int | None:
        """Return one of these numbers."""
        number: int = _PACKED.unpack_from(packed, _PACKED.size * place)[0]
        return None if number == _UNKNOWN else number

    def combine(self, reading: Reading, other: Reading) -> Reading:
        """Add up rates, sums and errors; of levels and ends the largest counts."""
        added = self.added
        numbers = (
            *map(_sum, reading.numbers[:added], other.numbers[:added]),
            *map(_largest, reading.numbers[added:], other.numbers[added:]),
        )
        errors = reading.errors
        if other.errors:
            errors = {**errors, **{code: errors.get(code, 0) + count for code, count in other.errors.items()}}
        return Reading(numbers, errors, max(reading.until_ms, other.until_ms))


def _sum(number: Number, other: Number) -> Number:
    return other if number is None else number if other is None else number + other


def _largest(number: Number, other: Number) -> Number:
    return other if number is None else number if other is None else max(number, other)


_CLIENT: Final = ("principal", "client_id", "client_software_name", "client_software_version")
CLIENT_KEY: Final = ("cluster_id", *_CLIENT, "k8s_namespace", "k8s_workload", "k8s_pod")
"""Fields of a client in the key of its traffic."""
TRAFFIC_TABLE: Final = Table(
    TRAFFIC,
    ("cluster_id", "topic", "api", *_CLIENT, "k8s_namespace", "k8s_workload", "k8s_pod"),
    rates=("requests", "records", "record_bytes", "request_bytes", "response_bytes"),
    sums=("throttled_responses", "throttle_ms"),
    levels=("fetch_lag", "fetch_lag_ms", "held_by_transaction"),
)
_GROUP: Final = ("cluster_id", "group_id", "topic")
_GROUP_LEVELS: Final = ("committed_lag", "committed_lag_ms")
GROUP_TABLE: Final = Table(GROUPS, _GROUP, levels=_GROUP_LEVELS)
_GROUP_ANSWERED: Final = (*_GROUP_LEVELS, "went_back_records", "went_back_ms")
"""An answer has the numbers of a row, and those of `RecentRewinds` after them."""
GROUP_ANSWER: Final = Table(GROUPS, _GROUP, levels=_GROUP_ANSWERED)
GROUP_BY_NAMESPACE_ANSWER: Final = Table(GROUPS, (*_GROUP, "k8s_namespace"), levels=_GROUP_ANSWERED)


def client_of(key: Key) -> Key:
    """Return the client of a key of traffic, by `CLIENT_KEY`."""
    return (key[0], *key[3:])


def traffic_rows(origin: Origin, window: WindowTotals) -> Iterator[tuple[Key, Reading]]:
    """Yield entries by client and topic, and by client alone.

    Names of topics are whole, since owners are found by them. Requests to topics whose names the observer does not
    know are in the entries by client alone.
    """
    cluster_id, *pod = origin
    entries: tuple[TrafficTotals | ApiTotals, ...] = (*window.traffic, *window.apis)
    for totals in entries:
        topic = totals.topic if isinstance(totals, TrafficTotals) else ""
        if topic is not None:
            texts = bounded((totals.api, *(getattr(totals, name) or "" for name in _CLIENT)))
            yield (cluster_id, topic, *texts, *pod), TRAFFIC_TABLE.read(totals, window)


def group_rows(origin: Origin, window: WindowTotals) -> Iterator[tuple[Key, Reading]]:
    """Yield entries by group and topic."""
    for totals in window.groups:
        yield (origin.cluster_id, *bounded((totals.group_id,)), totals.topic), GROUP_TABLE.read(totals, window)
