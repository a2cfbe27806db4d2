"""The account of one epoch of one source: which of its numbers were found, which it sealed, and what does not agree.

It is a function of the set of records that were read, whatever their order and their cut into batches, as long as a
source has at most `MAX_RANGES` ranges at the end of each batch. Beyond that the lowest ones are closed: their numbers
are judged for good, and forgotten. What comes later of such numbers is counted as `late`, and taken to be what was
missing there, so that nothing is reported as missing that may have come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kwitness.jobs.analyses.ledger_audit.numbers import (
    MAX_EXAMPLES,
    MAX_RANGES,
    NOTHING_SETTLED,
    OTLP,
    PLUGIN,
    SEALING,
    SEALS,
    Batch,
    Island,
    Run,
    Seal,
    Settled,
    TopicSums,
    pairs,
    runs,
)
from kwitness.jobs.frame.intervals import (
    EMPTY,
    Intervals,
    coalesced,
    difference,
    holes,
    intersection,
    size,
    union,
    within,
)

_MAX_REASONS = 64
_OTHER = "other"


@dataclass(frozen=True, slots=True)
class Account:
    """What was read so far.

    Attributes
    ----------
    records
        Records, however often a number came.
    seen
        Numbers that were found, from `floor` on.
    covered
        Numbers that seals cover, and those of the seals, from `floor` on.
    waiting
        Seals that lack records.
    tail
        Numbers found above the highest seal's.
    floor
        Numbers below it were judged for good; 0 where all are told apart.
    late
        Numbers below the floor that came afterwards.
    late_sealed
        Records that seals below the floor have counted afterwards.
    """

    kind: str
    records: int = 0
    first_ms: int | None = None
    last_ms: int | None = None
    sealed_until_ms: int | None = None
    last_seal: int | None = None
    topics: Mapping[str, TopicSums] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    seen: tuple[Run, ...] = ()
    covered: Intervals = EMPTY
    waiting: tuple[Seal, ...] = ()
    tail: tuple[Run, ...] = ()
    floor: int = 0
    settled: Settled = NOTHING_SETTLED
    late: int = 0
    late_sealed: int = 0

    @property
    def numbers(self) -> int:
        """Different numbers that were found."""
        return self.settled.numbers + size(pairs(self.seen)) + self.late

    @property
    def duplicates(self) -> int:
        """Records whose number had come before."""
        return self.records - self.numbers

    def add(self, batch: Batch) -> Account:
        """With what a batch has, none of whose records was added before."""
        topics = dict(self.topics)
        before = pairs(self.seen)
        late, fresh = 0, []
        for island in batch.islands:
            below = within(((island.first, island.last),), 0, self.floor - 1)
            above = within(((island.first, island.last),), self.floor, island.last)
            late += size(below)
            fresh += [Run(first, last, island.since_ms) for first, last in above]
            found = size(below) + size(above) - size(intersection(above, before))
            topics[island.topic] = topics.get(island.topic, TopicSums()).with_found(found, island.first)
        added = replace(
            self,
            records=self.records + batch.records,
            first_ms=_least(self.first_ms, batch.first_ms),
            last_ms=_greatest(self.last_ms, batch.last_ms),
            topics=topics,
            seen=runs((*self.seen, *fresh)),
            late=self.late + late,
        )
        if self.kind in SEALING:
            new = [seal for seal in batch.seals if not within(before, seal.seq, seal.seq)]
            times = {seal.seq: seal.time_ms for seal in batch.seals}
            again = tuple(
                one._replace(time_ms=min(one.time_ms, times.get(one.seq, one.time_ms))) for one in self.waiting
            )
            added = replace(added, waiting=again).with_seals(new, [one for one in batch.islands if one.topic != SEALS])
        return added.folded()

    def with_seals(self, seals: Sequence[Seal], rows: Iterable[Island]) -> Account:
        """With seals that were not there, and rows, which their numbers were added of already."""
        topics, dropped = dict(self.topics), dict(self.dropped)
        for seal in seals:
            sums = topics.get(seal.topic, TopicSums())
            topics[seal.topic] = sums._replace(sealed=sums.sealed + seal.counted)
            for reason, count in seal.dropped:
                name = reason if reason in dropped or len(dropped) < _MAX_REASONS else _OTHER
                dropped[name] = dropped.get(name, 0) + count
        # What a seal below the floor covers was judged already.
        known = [seal for seal in seals if seal.seq >= self.floor]
        numbers = coalesced(pair for seal in known for pair in ((seal.seq, seal.seq), *seal.numbers))
        last = max([*(seal.seq for seal in seals), *_present(self.last_seal)], default=None)
        seen = pairs(self.seen)
        tail = runs((*self.tail, *(Run(one.first, one.last, one.since_ms) for one in rows)))
        return replace(
            self,
            topics=topics,
            dropped=dropped,
            sealed_until_ms=max(
                [*_present(self.sealed_until_ms), *(seal.window_end_ms for seal in seals if seal.window_end_ms)],
                default=None,
            ),
            last_seal=last,
            covered=union(self.covered, _from(numbers, self.floor)),
            waiting=tuple(
                seal for seal in sorted((*self.waiting, *known)) if seal.first >= self.floor and seal.lacks(seen)
            ),
            tail=_runs_from(tail, max(self.floor, -1 if last is None else last + 1)),
            late_sealed=self.late_sealed + sum(seal.counted for seal in seals if seal.seq < self.floor),
        )

    def judged(self) -> tuple[Seal, ...]:
        """Seals that lack records, but for those of a time before the first record that was read of their topic."""

        def is_read(seal: Seal) -> bool:
            first = self.topics.get(seal.topic, TopicSums()).first_seq
            return first is None or seal.last >= first

        return tuple(seal for seal in self.waiting if is_read(seal))

    def missing(self) -> int:
        """Numbers that were given and neither found nor told to be dropped."""
        if self.kind in SEALING:
            seen = pairs(self.seen)
            waiting = sum(seal.lacks(seen) for seal in self.judged())
        else:
            waiting = size(self._holes()) if self.kind == PLUGIN else 0
        return max(0, self.settled.missing + waiting - self.late)

    def missing_since_ms(self) -> int | None:
        """Since when the first of them is missing; None where none is."""
        if not self.missing():
            return None
        if self.settled.missing:
            return self.first_ms
        if self.kind in SEALING:
            return min(seal.time_ms for seal in self.judged())
        return min(run.since_ms for run in self.seen[1:])

    def gaps(self) -> Intervals:
        """The first ranges that missing numbers are in; dropped ones may be among them, which seals do not name."""
        if not self.missing():
            return EMPTY
        seen = pairs(self.seen)
        found = coalesced(
            (
                *self.settled.gaps,
                *(pair for seal in self.judged() for pair in difference(seal.numbers, seen)),
                *(self._holes() if self.kind == PLUGIN else ()),
            )
        )
        return found[:MAX_EXAMPLES]

    def unsealed(self) -> int:
        """Numbers that were found and that no seal covers."""
        return max(0, self.settled.unsealed + size(self._unsealed()) - self.late_sealed)

    def unsealed_ranges(self) -> Intervals:
        """The first of those that are told apart."""
        return self._unsealed()[:MAX_EXAMPLES] if self.unsealed() else EMPTY

    def unsealed_since_ms(self) -> int | None:
        """Since when a seal is missing; None where none is."""
        if not self.unsealed():
            return None
        if self.settled.unsealed > self.late_sealed:
            return self.first_ms
        # Above the highest seal exactly; below it since the beginning of the run, which is about a window.
        below = within(self._unsealed(), 0, self.last_seal or 0)
        since = [run.since_ms for run in self.seen if within(below, run.first, run.last)]
        return min([run.since_ms for run in self.tail] + since, default=self.first_ms)

    def untold(self) -> int:
        """Numbers below the last known one that no topic and no seal has: totals, and what was lost with its seal."""
        if self.kind == PLUGIN:
            return 0
        return self.settled.untold + size(self._holes())

    def _holes(self) -> Intervals:
        return holes(union(pairs(self.seen), self.covered))

    def _unsealed(self) -> Intervals:
        return difference(pairs(self.seen), self.covered) if self.kind in SEALING else EMPTY

    def folded(self) -> Account:
        """With the lowest ranges closed where they are too many."""
        seen = pairs(self.seen)
        starts = [one[-MAX_RANGES][0] for one in (seen, self.covered) if len(one) > MAX_RANGES]
        if not starts:
            return self
        floor = max(starts)
        known = union(seen, self.covered)
        # The hole below the floor is judged too, where it ends there.
        closed = within(holes(known), 0, floor - 1)
        below = within(seen, 0, floor - 1)
        lacking = [seal for seal in self.judged() if seal.first < floor]
        gaps = (
            tuple(pair for seal in lacking for pair in difference(seal.numbers, seen))
            if self.kind in SEALING
            else closed
        )
        settled = self.settled
        return replace(
            self,
            seen=_runs_from(self.seen, floor),
            covered=_from(self.covered, floor),
            waiting=tuple(seal for seal in self.waiting if seal.first >= floor),
            tail=_runs_from(self.tail, floor),
            floor=floor,
            settled=Settled(
                numbers=settled.numbers + size(below),
                missing=settled.missing
                + (sum(seal.lacks(seen) for seal in lacking) if self.kind in SEALING else 0)
                + (size(closed) if self.kind == PLUGIN else 0),
                unsealed=settled.unsealed + size(within(self._unsealed(), 0, floor - 1)),
                untold=settled.untold + (0 if self.kind == PLUGIN else size(closed)),
                ranges=settled.ranges + len(closed),
                gaps=coalesced((*settled.gaps, *gaps))[:MAX_EXAMPLES] if self.kind != OTLP else EMPTY,
            ),
        )


def _runs_from(of: tuple[Run, ...], first: int) -> tuple[Run, ...]:
    return tuple(run._replace(first=max(run.first, first)) for run in of if run.last >= first)


def _from(numbers: Intervals, first: int) -> Intervals:
    return tuple((max(low, first), high) for low, high in numbers if high >= first)


def _least(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def _greatest(one: int | None, other: int) -> int:
    return other if one is None else max(one, other)


def _present(value: int | None) -> list[int]:
    return [] if value is None else [value]
