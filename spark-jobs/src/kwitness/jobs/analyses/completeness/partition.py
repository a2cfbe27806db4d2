"""One partition: what was written, what each group was handed, and what that proves. Pure.

It is a function of the reports that were read, in any cut, as long as none comes later than `grace` and there are no
more than `MAX_RANGES` ranges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, NamedTuple

from kwitness.jobs.analyses.completeness.offset_counts import MAX_EXAMPLES, NO_GAPS, Gaps, Judged
from kwitness.jobs.analyses.completeness.reports import Report, Run, Told
from kwitness.jobs.frame.intervals import (
    EMPTY,
    Interval,
    Intervals,
    coalesced,
    difference,
    holes,
    intersection,
    size,
    union,
    within,
)

Evidence = Literal["interceptors", "wire", "offsets"]
WRITTEN = ""
"""The group of rows on what was written."""

MAX_RANGES = 1024
"""Ranges of one set; beyond that the lowest ones are judged for good, whoever has not read them yet."""
SETTLED_RANGES = 128
"""From so many on, what all groups have passed is judged for good and forgotten."""
MAX_GROUPS = 200
MAX_ABORTS = 256
_IDLE_MS = 86_400_000
_LAST = 2**63 - 1


class Voice(NamedTuple):
    """Who speaks of what: a group's consumption, or what was written."""

    group_id: str
    evidence: Evidence


class Abort(NamedTuple):
    """Among these offsets so many records are of transactions that were aborted: an observer saw a broker say so."""

    first: int
    last: int
    records: int


class Log(NamedTuple):
    """What a survey said of the partition.

    Attributes
    ----------
    compacted
        Whether compaction may remove records; None where it is not known.
    committed
        Offsets that groups have committed.
    """

    surveyed_ms: int
    start: int
    end: int
    topic_id: str | None = None
    compacted: bool | None = None
    committed: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Partition:
    """What is known of one partition.

    Attributes
    ----------
    floor
        Offsets below it were judged for good.
    folded_ms
        Reports of windows before it are late.
    beyond
        Offsets that were acknowledged and that the log did not have when it was surveyed.
    left_out
        Groups that found no room.
    forced
        Whether the floor was raised over groups that had not come there.
    """

    told: Mapping[Voice, Told] = field(default_factory=dict)
    settled: Mapping[Voice, Judged] = field(default_factory=dict)
    gaps: Gaps = NO_GAPS
    aborts: tuple[Abort, ...] = ()
    log: Log | None = None
    floor: int = 0
    seen_ms: int = 0
    folded_ms: int = 0
    beyond: Intervals = EMPTY
    left_out: int = 0
    forced: bool = False

    def after(
        self,
        reports: Mapping[Voice, Iterable[tuple[int, Report]]],
        aborts: Iterable[Abort] = (),
        log: Log | None = None,
        *,
        grace_ms: int,
    ) -> Partition:
        """With what was read, each report with the time of its record in Kafka; and with what a survey said."""
        state = self._recreated(log) if log is not None and self._is_another(log) else self
        told, settled = dict(state.told), dict(state.settled)
        seen_ms, left_out = state.seen_ms, state.left_out
        for voice, found in sorted(reports.items()):
            if voice not in told and sum(one.group_id != WRITTEN for one in told) >= MAX_GROUPS:
                left_out += 1
                continue
            arrived = list(found)
            seen_ms = max([seen_ms, *(at_ms for at_ms, _ in arrived)])
            late = [one for at_ms, one in arrived if at_ms > one.end_ms + grace_ms or one.end_ms < state.folded_ms]
            in_time = [
                one for at_ms, one in arrived if at_ms <= one.end_ms + grace_ms and one.end_ms >= state.folded_ms
            ]
            before = told.get(voice, Told())
            told[voice] = before.with_reports(in_time, state.floor).with_late(late, state.floor)
            if voice in settled and late:
                settled[voice] = settled[voice].healed(coalesced(pair for one in late for pair in one.ranges))
        if log is not None:
            seen_ms = max(seen_ms, log.surveyed_ms)
        folded_ms = max(state.folded_ms, seen_ms - 2 * grace_ms)
        known = sorted({*state.aborts, *(one for one in aborts if one.last >= state.floor)})
        after = replace(
            state,
            told={voice: one.fold(folded_ms) for voice, one in told.items()},
            settled=settled,
            aborts=tuple(known[-MAX_ABORTS:]),
            forced=state.forced or len(known) > MAX_ABORTS,
            log=log or state.log,
            seen_ms=seen_ms,
            folded_ms=folded_ms,
            left_out=left_out,
        )
        return after.surveyed(log).closed()

    def surveyed(self, log: Log | None) -> Partition:
        """With what the log lacks of what was acknowledged, and with what it still has of what groups skipped."""
        if log is None:
            return self
        sure = coalesced(pair for one in self._writers() for pair in one.sure)
        # Kept, since retention removes the records later, and Kafka the commits of a group that is gone.
        skipped = {
            voice: replace(reader, skipped=self._judged(voice, self.floor, _LAST).skipped_ranges)
            for voice, reader in self._readers().items()
        }
        return replace(self, beyond=within(sure, log.end, _LAST), told={**self.told, **skipped})

    def judged(self, voice: Voice) -> Judged:
        """What is said of a group."""
        return self.settled.get(voice, Judged()).plus(self._judged(voice, self.floor, _LAST)).few()

    def all_gaps(self) -> Gaps:
        """What is said of the log."""
        ranges = union(self.gaps.ranges, self._live_gaps())
        total = self.gaps.unexplained + size(self._live_gaps())
        control = min(total, sum(one.sums.markers for one in self._writers()))
        unconfirmed = min(total - control, sum(one.sums.unconfirmed for one in self._writers()))
        return Gaps(control, unconfirmed, total - control - unconfirmed, ranges[:MAX_EXAMPLES])

    def approximate(self, voice: Voice) -> bool:
        """Whether the row's sets hold too much, or some of what they would say was forgotten."""
        one = self.told.get(voice)
        return self.forced or (one is not None and (one.crowded or not one.exact))

    def _writers(self) -> list[Told]:
        return [one for voice, one in self.told.items() if voice.group_id == WRITTEN]

    def _readers(self) -> dict[Voice, Told]:
        return {voice: one for voice, one in self.told.items() if voice.group_id != WRITTEN}

    def written(self) -> Intervals:
        """Everything that anybody said was written."""
        return coalesced(pair for one in self._writers() for pair in one.offsets())

    def _live_gaps(self) -> Intervals:
        folded = coalesced(pair for one in self._writers() for pair in one.folded)
        if not folded:
            return EMPTY
        between = holes(self.written())
        return within(between, max(folded[0][0], self.floor), folded[-1][1])

    def _judged(self, voice: Voice, first: int, last: int) -> Judged:
        """What is said of a group between two offsets."""
        one = self.told.get(voice)
        if one is None or not one.runs:
            return Judged()
        sure = coalesced(pair for writer in self._writers() for pair in writer.surely())
        passed = within(sure, max(first, one.runs[0].first), min(last, one.runs[-1].last))
        missing = difference(passed, one.offsets())
        found = Judged(written=size(passed))
        if not missing:
            return found
        plain = coalesced(pair for writer in self._writers() for pair in writer.plainly())
        written = self.written()
        allowed = {abort: abort.records for abort in self.aborts}
        for before, after in pairwise(one.runs):
            hole = within(missing, before.last + 1, after.first - 1)
            if not hole:
                continue
            proved = _is_proved(before, after)
            if voice.evidence == "wire":
                # Brokers send aborted records as well, and who fetches goes on where a compacted gap ends.
                found = found.plus(self._missing(voice, hole, proved=proved))
                continue
            perhaps = difference(hole, plain)
            aborted = _aborted(perhaps, allowed)
            open_to_doubt = difference(perhaps, aborted)
            doubtful = self._may_be_aborted(open_to_doubt, after, written)
            found = found.plus(Judged(aborted=size(aborted)))
            found = found.plus(self._but_for_compaction(voice, intersection(hole, plain), proved=proved))
            found = found.plus(self._but_for_compaction(voice, open_to_doubt, proved=proved and not doubtful))
        return found

    def _but_for_compaction(self, voice: Voice, missing: Intervals, *, proved: bool) -> Judged:
        compacted = None if self.log is None else self.log.compacted
        if compacted:
            return Judged(compacted=size(missing))
        return self._missing(voice, missing, proved=proved and compacted is False)

    def _missing(self, voice: Voice, missing: Intervals, *, proved: bool) -> Judged:
        if not proved:
            return Judged(not_seen=size(missing), not_seen_ranges=missing)
        skipped = self._skipped(voice, missing)
        lost = difference(missing, skipped)
        return Judged(lost=size(lost), lost_ranges=lost, skipped=size(skipped), skipped_ranges=skipped)

    def _skipped(self, voice: Voice, missing: Intervals) -> Intervals:
        """Return offsets that a broker had: it answers from the offset that a client asks for, so the client jumped.

        Interceptors do not see what their client asked for; there the group's commit shows it.
        """
        on_wire = voice.evidence == "wire"
        if self.log is None:
            return missing if on_wire else EMPTY
        committed = _LAST if on_wire else dict(self.log.committed).get(voice.group_id, 0)
        in_log = within(missing, self.log.start, min(self.log.end, committed) - 1)
        return union(in_log, intersection(missing, self.told[voice].skipped))

    def _may_be_aborted(self, missing: Intervals, after: Run, written: Intervals) -> bool:
        """Whether a later offset, of which nobody said that it was written, may be the marker that aborts them."""
        if not missing:
            return False
        last = written[-1][1]
        if len(within(written, missing[0][0], last)) > 1:
            return True
        return self.log is None or self.log.surveyed_ms < after.begin.at_ms or self.log.end > last + 1

    def closed(self) -> Partition:
        """With the lowest offsets judged for good where ranges are many."""
        sets = [pairs for one in self.told.values() for pairs in (one.folded, one.sure)]
        most = max(map(len, sets), default=0)
        if most <= SETTLED_RANGES:
            return self
        floor, forced = self._passed(), self.forced
        if most > MAX_RANGES:
            # Somebody is far behind: what is below is let go of, and the rows say so.
            needed = max(pairs[-MAX_RANGES // 2][0] for pairs in sets if len(pairs) > MAX_RANGES)
            floor, forced = max(floor, needed), forced or needed > floor
        if floor <= self.floor:
            return self
        settled = dict(self.settled)
        for voice in self._readers():
            judged = self._judged(voice, self.floor, floor - 1)
            settled[voice] = settled.get(voice, Judged()).plus(judged).few()
        gaps = within(self._live_gaps(), self.floor, floor - 1)
        return replace(
            self,
            told={voice: one.above(floor) for voice, one in self.told.items()},
            settled=settled,
            gaps=Gaps(
                unexplained=self.gaps.unexplained + size(gaps),
                ranges=union(self.gaps.ranges, gaps)[:MAX_EXAMPLES],
            ),
            aborts=tuple(one for one in self.aborts if one.last >= floor),
            floor=floor,
            forced=forced,
        )

    def _passed(self) -> int:
        """The offset to which everything was judged of all groups that still read."""
        writers = [one.runs[-1].last for one in self._writers() if one.runs]
        readers = [
            one.runs[-1].last if one.runs else 0
            for one in self._readers().values()
            if one.last_ms is not None and one.last_ms >= self.seen_ms - _IDLE_MS
        ]
        return min([*readers, max(writers)]) if writers else self.floor

    def _is_another(self, log: Log) -> bool:
        before = self.log
        return before is not None and None not in (before.topic_id, log.topic_id) and before.topic_id != log.topic_id

    def _recreated(self, log: Log) -> Partition:
        """Of a topic that was recreated: what was said of the one before says nothing of it."""
        return Partition(told={voice: Told() for voice in self.told}, folded_ms=log.surveyed_ms)


def _is_proved(before: Run, after: Run) -> bool:
    """Whether one client was handed what is before a hole and what is after it, in one window or the next.

    A consumer is handed a partition in order, so it had that partition all the time, and was not handed the hole.
    """
    return before.end.teller == after.begin.teller and after.begin.at_ms <= before.end.at_ms


def _aborted(offsets: Intervals, allowed: dict[Abort, int]) -> Intervals:
    """Those of the offsets that observers saw to be aborted; what they counted is taken from `allowed`."""
    found = EMPTY
    for abort in sorted(allowed):
        taken = _first_of(within(difference(offsets, found), abort.first, abort.last), allowed[abort])
        allowed[abort] -= size(taken)
        found = union(found, taken)
    return found


def _first_of(offsets: Intervals, count: int) -> Intervals:
    found: list[Interval] = []
    for first, last in offsets:
        if count <= 0:
            break
        found.append((first, min(last, first + count - 1)))
        count -= found[-1][1] - first + 1
    return tuple(found)
