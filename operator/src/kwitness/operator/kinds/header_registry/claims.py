"""Decides which register of one home gets which key and number, from what is remembered and what is claimed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kwitness.contracts.resources.header_registry import NUMBERED_RANGES, WELL_KNOWN_IDS, IdRange, TakenKey
from kwitness.contracts.resources.precedence import precedence
from kwitness.operator.model.header_ids import MOST_BYTES, HeaderIds, home_text
from kwitness.operator.model.store import Key

__all__ = ["Claim", "Elsewhere", "Result", "Share", "settle"]

_SHARES: Final = 10
"""A namespace beyond its tenth of all bytes gets room for new keys in the first half of them alone."""

_PUNCTUATION: Final = 16
"""Bytes of a key's entry beside its name: quotes, colon, number, comma."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What one register wants: ``keys`` with the numbers that it writes itself, in its order.

    ``rank`` is its place in the list of the KafkaCluster. ``released`` are keys whose number is given back. ``stated``
    are numbers by key as its status has them. One that holds still keeps what it has with ``prefix`` and wants nothing
    new.
    """

    key: Key
    rank: int = 0
    priority: int = 0
    id_range: IdRange | None = None
    keys: Mapping[str, int | None] = field(default_factory=dict)
    released: frozenset[str] = frozenset()
    stated: Mapping[str, int] = field(default_factory=dict)
    holds_still: bool = False
    prefix: str = ""

    def may_keep(self, name: str) -> bool:
        """Return whether a key that it has stays with it."""
        return name.startswith(self.prefix) if self.holds_still else name in self.keys


@dataclass(slots=True)
class Share:
    """What one register got. ``taken`` are keys that somebody else has, ``numberless`` those that got no number.

    ``no_room`` are keys that were not registered since no more can be remembered.
    """

    keys: dict[str, int | None] = field(default_factory=dict)
    taken: list[TakenKey] = field(default_factory=list)
    numberless: list[str] = field(default_factory=list)
    no_room: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Bytes that other homes use of the text, and by number how many keys there it was given to."""

    bytes: int = 0
    numbers: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """What is to be remembered, and each register's share of it."""

    ids: HeaderIds
    shares: Mapping[Key, Share]


def settle(
    remembered: HeaderIds,
    claims: Iterable[Claim],
    gone: Iterable[Key] = (),
    *,
    elsewhere: Elsewhere = Elsewhere(),
    ranges: Mapping[IdRange, tuple[int, int]] = NUMBERED_RANGES,
    most_bytes: int = MOST_BYTES,
) -> Result:
    """Decide on all registers of a home together.

    A remembered owner keeps its keys, but for one of an earlier rank. New ones go by rank, then namespace, then
    precedence, those with numbers of their own before any number is handed out. ``gone`` are owners that are not there
    any more, or claim nothing here.
    """
    in_order = sorted(
        claims,
        key=lambda claim: (claim.rank, claim.key.namespace, precedence(claim.priority, claim.key.name)),
    )
    work = _Settling(remembered, in_order, frozenset(gone), elsewhere, most_bytes)
    for claim in in_order:
        work.claim_keys(claim)
    for claim in in_order:
        work.hand_out_numbers(claim, ranges)
    for claim in in_order:
        work.give_back_numbers(claim)
    return work.result()


class _Settling:
    def __init__(
        self,
        remembered: HeaderIds,
        claims: Sequence[Claim],
        gone: frozenset[Key],
        elsewhere: Elsewhere,
        most_bytes: int,
    ) -> None:
        self._before = remembered
        self._elsewhere = elsewhere
        self._given = dict(remembered.given)
        self._spent = Counter(remembered.spent)
        self._named = {number: name for name, number in remembered.given.items()}
        self._until_now = {
            number: owner.namespace
            for owner, keys in remembered.owners.items()
            for number in keys.values()
            if number is not None
        }
        self._past = remembered.past | self._until_now.keys()
        self._shares = {claim.key: Share() for claim in claims}
        self._owner: dict[str, Key] = {}
        self._holder: dict[int, str] = {}
        self._next: dict[IdRange, int] = {}
        wanted = {claim.key: claim for claim in claims}
        # Of those that nobody has told of, and that may be there all the same, everything stays.
        self._unknown = {
            owner: dict(keys) for owner, keys in remembered.owners.items() if owner not in wanted and owner not in gone
        }
        for owner, keys in self._unknown.items():
            for name, number in keys.items():
                self._hold(owner, name, number)
        first: dict[str, int] = {}
        for claim in claims:
            for name in () if claim.holds_still else claim.keys:
                first.setdefault(name, claim.rank)
        for claim in claims:
            for name, number in remembered.owners.get(claim.key, {}).items():
                if claim.may_keep(name) and (claim.holds_still or first[name] == claim.rank):
                    self._keep(claim, name, number)
        self._restore(claims)
        self._most_bytes = most_bytes
        self._room = most_bytes - elsewhere.bytes - len(home_text(self._ids()))
        self._owned: Counter[str] = Counter()
        for owner, name in ((owner, name) for name, owner in self._owner.items()):
            self._owned[owner.namespace] += _size(name)

    def claim_keys(self, claim: Claim) -> None:
        """Register the keys that nobody has, with the numbers that the register writes itself."""
        if claim.holds_still:
            return
        share = self._shares[claim.key]
        before = self._before.owners.get(claim.key, {})
        for name, number in claim.keys.items():
            owner = self._owner.get(name)
            if owner is not None and owner != claim.key:
                share.taken.append(TakenKey(key=name, by=str(owner)))
                continue
            if owner is not None and number in (None, share.keys.get(name)):
                continue
            if number is not None:
                rival = self._rival(name, number)
                if rival is not None:
                    share.taken.append(rival)
                    if owner is not None:
                        # It is its key all the same, with the number that it had.
                        self._hold_if_free(claim.key, name, before.get(name))
                    continue
            # The number that a key had is remembered as well, unless it is given back.
            is_given_back = name in claim.released and name in self._given
            if not is_given_back and not self._has_room(claim.key, name):
                share.no_room.append(name)
                if owner is not None:
                    self._hold_if_free(claim.key, name, before.get(name))
                continue
            share.keys[name] = number
            self._hold(claim.key, name, number)

    def hand_out_numbers(self, claim: Claim, ranges: Mapping[IdRange, tuple[int, int]]) -> None:
        """Give keys without a number the one that they had before, or the next."""
        share = self._shares[claim.key]
        if claim.holds_still:
            return
        for name in [one for one, number in share.keys.items() if number is None and claim.keys.get(one) is None]:
            number = self._given.get(name)
            if number is None and claim.id_range is not None and name not in claim.released:
                number = self._next_number(name, claim.id_range, ranges[claim.id_range])
                if number is None or not self._has_room(claim.key, name):
                    share.numberless.append(name)
                    continue
                self._give(claim.key, name, number)
            if number is not None:
                share.keys[name] = number
                self._hold(claim.key, name, number)

    def give_back_numbers(self, claim: Claim) -> None:
        """Let numbers be those of keys only while these are there."""
        for name in () if claim.holds_still else claim.released:
            if self._owner.get(name) == claim.key and name in self._given:
                self._named.pop(self._given.pop(name), None)
                self._spend(claim.key.namespace, -_size(name))

    def result(self) -> Result:
        ids = self._ids()
        holders = {number: self._owner[name].namespace for number, name in self._holder.items()}
        for number in ids.past - self._before.past:
            self._spend(self._until_now[number], _size_of_past(number))
        for number in self._before.past - ids.past:
            if number in holders:
                self._spend(holders[number], -_size_of_past(number))
        return Result(self._ids(), self._shares)

    def _ids(self) -> HeaderIds:
        owners = {**self._unknown, **{owner: dict(share.keys) for owner, share in self._shares.items() if share.keys}}
        present = {number for keys in owners.values() for number in keys.values() if number is not None}
        return HeaderIds(owners, dict(self._given), frozenset(self._past - present - self._named.keys()), self._spent)

    def _keep(self, claim: Claim, name: str, number: int | None) -> None:
        """Leave a key with its owner, and its number if that is still the one that is wanted."""
        wanted = claim.keys.get(name)
        is_handed_out = name in self._given or name in claim.released
        if not claim.holds_still and number is not None and wanted is None and not is_handed_out:
            # The register wrote the number itself and does so no longer: where it wants numbers, the key keeps this.
            if claim.id_range is None:
                number = None
            else:
                self._give(claim.key, name, number)
        if not claim.holds_still and wanted is not None and wanted != number:
            number = None
        self._shares[claim.key].keys[name] = number
        self._hold(claim.key, name, number)

    def _restore(self, claims: Sequence[Claim]) -> None:
        """Take over what statuses know and nobody remembers: the ConfigMap was deleted, or an older one restored."""
        for claim in claims:
            for name, number in claim.stated.items():
                wanted = claim.keys.get(name)
                if name in self._owner or not claim.may_keep(name):
                    continue
                if wanted not in (None, number) or self._given.get(name, number) != number:
                    continue
                if self._rival(name, number) is None:
                    if wanted is None and name not in claim.released:
                        self._give(claim.key, name, number)
                    self._shares[claim.key].keys[name] = number
                    self._hold(claim.key, name, number)

    def _give(self, owner: Key, name: str, number: int) -> None:
        """Let a number belong to a key until it is given back; KIP-82's own do so already."""
        if WELL_KNOWN_IDS.get(name) != number:
            if name not in self._given:
                self._spend(owner.namespace, _size(name))
            self._given[name] = number
            self._named[number] = name

    def _spend(self, namespace: str, count: int) -> None:
        self._spent[namespace] = max(0, self._spent[namespace] + count)

    def _hold(self, owner: Key, name: str, number: int | None) -> None:
        self._owner[name] = owner
        if number is not None:
            self._holder[number] = name

    def _hold_if_free(self, owner: Key, name: str, number: int | None) -> None:
        if number is not None and self._rival(name, number) is None:
            self._shares[owner].keys[name] = number
            self._hold(owner, name, number)

    def _rival(self, name: str, number: int) -> TakenKey | None:
        """Who has a number, if it is not free for this key."""
        holder = self._holder.get(number, name)
        if holder != name:
            return TakenKey(key=name, by=str(self._owner[holder]), id=number)
        if self._named.get(number, name) != name:
            return TakenKey(key=name, id=number)
        return None

    def _next_number(self, name: str, id_range: IdRange, bounds: tuple[int, int]) -> int | None:
        known = WELL_KNOWN_IDS.get(name)
        if known is not None:
            return known if self._rival(name, known) is None else None
        first, last = bounds
        numbers = range(self._next.get(id_range, first), last + 1)
        used = (self._holder, self._named, self._past)
        free = (number for number in numbers if not any(number in them for them in used))
        number = next((number for number in free if not self._elsewhere.numbers.get(number)), None)
        self._next[id_range] = last + 1 if number is None else number + 1
        return number

    def _has_room(self, owner: Key, name: str) -> bool:
        """Return whether a key's entry can be remembered, and if so, reserve its room."""
        need = _size(name)
        if not self._shares[owner].keys:
            need += len(str(owner)) + _PUNCTUATION
        used = self._owned[owner.namespace] + self._spent[owner.namespace] + need
        reserved = self._most_bytes // 2 if used > self._most_bytes // _SHARES else 0
        if need > self._room - reserved:
            return False
        self._room -= need
        self._owned[owner.namespace] += need
        return True


def _size(name: str) -> int:
    return len(json.dumps(name)) + _PUNCTUATION


def _size_of_past(number: int) -> int:
    return len(str(number)) + 1
