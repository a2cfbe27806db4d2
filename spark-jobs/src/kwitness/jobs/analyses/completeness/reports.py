"""What records say of the offsets of one partition, and how what was said grows into runs.

A report is one row of an interceptor or an observer: a client told in a window which offsets were acknowledged to it,
written by it, or handed to it. Reports are a set, so one that comes twice is one. Those that are old enough are folded
into runs, which forget who said what but at their edges; a report that comes after that cannot be told from one that
came before, so it fills holes and counts as late.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kwitness.jobs.frame.intervals import (
    EMPTY,
    Intervals,
    coalesced,
    difference,
    intersection,
    size,
    union,
    within,
)

MAX_REPORTS = 1024
"""Reports of one row that wait to be folded; beyond that the oldest are folded early."""


class Report(NamedTuple):
    """What one row says of a partition.

    Attributes
    ----------
    start_ms, end_ms
        The row's window; an end that is ahead of the record's own time is that time.
    teller
        A digest of the client and of who saw it.
    seq
        The row's number at its source.
    ranges
        Offsets; too many where not `exact`.
    again
        Records of these that came more than once within the window.
    exact
        Whether no gap between ranges was closed.
    plain
        Whether nothing of it was written within a transaction, as far as observers can say so.
    markers
        Batches of transactions in it; each transaction ends with a marker.
    unconfirmed
        Records sent with acks=0, which have offsets that nobody was told.
    sent, acknowledged, given_up
        Of a topic, not of a partition: records that an application wanted to send, and what became of them.
    """

    start_ms: int
    end_ms: int
    teller: int
    seq: int
    ranges: Intervals = EMPTY
    again: int = 0
    exact: bool = True
    plain: bool = False
    markers: int = 0
    unconfirmed: int = 0
    sent: int = 0
    acknowledged: int = 0
    given_up: int = 0


class Edge(NamedTuple):
    """Who told of the offset at the edge of a run, and when its window began or ended."""

    at_ms: int
    teller: int


class Run(NamedTuple):
    """Offsets without a gap, and who told of the first and of the last of them first."""

    first: int
    last: int
    begin: Edge
    end: Edge


class Sums(NamedTuple):
    """What was counted of reports that were folded.

    Attributes
    ----------
    duplicated
        Offsets that were told of again: Σ of the sizes of all reports, minus the size of their union.
    late
        Offsets that only reports told of which came after their time.
    late_reports
        Reports that did; what they count is in no sum.
    """

    duplicated: int = 0
    late: int = 0
    late_reports: int = 0
    markers: int = 0
    unconfirmed: int = 0
    sent: int = 0
    acknowledged: int = 0
    given_up: int = 0


NO_SUMS = Sums()


@dataclass(frozen=True, slots=True)
class Told:
    """All that one voice said of a partition: interceptors or observers, of what was written or of one group.

    Attributes
    ----------
    runs
        Offsets of folded reports, from about the partition's floor on.
    reports
        Those that were not folded yet.
    sure
        Offsets that were surely told of, from the floor on: without those of closed gaps.
    plain
        Those of them that were written outside of transactions.
    skipped
        Offsets of holes that the log had when the group had passed them.
    crowded
        Whether reports were folded early, for there were too many.
    """

    runs: tuple[Run, ...] = ()
    reports: tuple[Report, ...] = ()
    sure: Intervals = EMPTY
    plain: Intervals = EMPTY
    skipped: Intervals = EMPTY
    sums: Sums = NO_SUMS
    exact: bool = True
    crowded: bool = False
    first_ms: int | None = None
    last_ms: int | None = None

    @property
    def folded(self) -> Intervals:
        """Offsets of the runs."""
        return tuple((run.first, run.last) for run in self.runs)

    def offsets(self) -> Intervals:
        """All offsets that were told of, whether folded or not."""
        return union(self.folded, coalesced(pair for one in self.reports for pair in one.ranges))

    def surely(self) -> Intervals:
        """All of them without those of closed gaps."""
        return union(self.sure, coalesced(pair for one in self.reports if one.exact for pair in one.ranges))

    def plainly(self) -> Intervals:
        """All of them that were written outside of transactions."""
        return union(
            self.plain, coalesced(pair for one in self.reports if one.plain and one.exact for pair in one.ranges)
        )

    def with_reports(self, reports: Iterable[Report], floor: int) -> Told:
        """With reports that came in time."""
        new = {_key(one): one for one in self.reports}
        for one in sorted(reports):
            new.setdefault(_key(one), one._replace(ranges=_from(one.ranges, floor)))
        kept = tuple(sorted(new.values(), key=_age))
        return replace(
            self,
            reports=kept,
            exact=self.exact and all(one.exact for one in kept),
            first_ms=min([*_present(self.first_ms), *(one.start_ms for one in kept)], default=None),
            last_ms=max([*_present(self.last_ms), *(one.end_ms for one in kept)], default=None),
        )

    def with_late(self, reports: Iterable[Report], floor: int) -> Told:
        """With reports of a time that was folded: what they say is there, and whether it came twice is not known."""
        late = [one._replace(ranges=_from(one.ranges, floor)) for one in reports]
        fresh = difference(coalesced(pair for one in late for pair in one.ranges), self.offsets())
        # What is told of already is left as it is: it may be the same report once more.
        new = [one._replace(ranges=intersection(one.ranges, fresh)) for one in late]
        return replace(
            self._with_ranges(new),
            sums=self.sums._replace(late=self.sums.late + size(fresh), late_reports=self.sums.late_reports + len(late)),
            exact=self.exact and all(one.exact for one in late),
        )

    def fold(self, before_ms: int) -> Told:
        """Fold reports of windows that ended before a time, and the oldest ones if there are too many."""
        old = sum(one.end_ms < before_ms for one in self.reports)
        early = max(old, len(self.reports) - MAX_REPORTS)
        done = self.reports[:early]
        folded = replace(self._with_ranges(done), reports=self.reports[early:], crowded=self.crowded or early > old)
        again = sum(one.again + size(one.ranges) for one in done) + size(self.folded) - size(folded.folded)
        sums = self.sums
        return replace(
            folded,
            sums=Sums(
                duplicated=sums.duplicated + again,
                late=sums.late,
                late_reports=sums.late_reports,
                markers=sums.markers + sum(one.markers for one in done),
                unconfirmed=sums.unconfirmed + sum(one.unconfirmed for one in done),
                sent=sums.sent + sum(one.sent for one in done),
                acknowledged=sums.acknowledged + sum(one.acknowledged for one in done),
                given_up=sums.given_up + sum(one.given_up for one in done),
            ),
        )

    def above(self, floor: int) -> Told:
        """Without what is below a floor, but for the edge of the last run there."""
        runs = [run._replace(first=max(run.first, floor)) for run in self.runs if run.last >= floor]
        below = [run for run in self.runs if run.last < floor]
        if below and not (runs and runs[0].first == floor):
            runs.insert(0, below[-1]._replace(first=below[-1].last))
        return replace(
            self,
            runs=tuple(runs),
            reports=tuple(one._replace(ranges=_from(one.ranges, floor)) for one in self.reports),
            sure=_from(self.sure, floor),
            plain=_from(self.plain, floor),
            skipped=_from(self.skipped, floor),
        )

    def _with_ranges(self, reports: Sequence[Report]) -> Told:
        if not reports:
            return self
        new = (
            Run(first, last, Edge(one.start_ms, one.teller), Edge(one.end_ms, one.teller))
            for one in reports
            for first, last in one.ranges
        )
        sure = coalesced(pair for one in reports if one.exact for pair in one.ranges)
        plain = coalesced(pair for one in reports if one.exact and one.plain for pair in one.ranges)
        return replace(
            self, runs=joined((*self.runs, *new)), sure=union(self.sure, sure), plain=union(self.plain, plain)
        )


def joined(parts: Iterable[Run]) -> tuple[Run, ...]:
    """Runs with all offsets of some, in any order; an edge is that of whoever told of it first."""
    found: list[Run] = []
    for one in sorted(parts):
        if not found or one.first > found[-1].last + 1:
            found.append(one)
            continue
        before = found[-1]
        begin = min(before.begin, one.begin) if one.first == before.first else before.begin
        # The one with the greater last offset; of one offset, whoever told of it first.
        end = min((before, one), key=lambda run: (-run.last, run.end)).end
        found[-1] = Run(before.first, max(before.last, one.last), begin, end)
    return tuple(found)


def _key(one: Report) -> tuple[int, int, int]:
    return one.teller, one.start_ms, one.seq


def _age(one: Report) -> tuple[int, Report]:
    return one.end_ms, one


def _from(offsets: Intervals, floor: int) -> Intervals:
    return within(offsets, floor, offsets[-1][1]) if offsets else EMPTY


def _present(value: int | None) -> list[int]:
    return [] if value is None else [value]
