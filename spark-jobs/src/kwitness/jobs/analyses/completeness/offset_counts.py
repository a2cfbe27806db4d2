"""Counts offsets of one partition, with examples: those that a group has passed, and gaps of the log. Pure."""

from __future__ import annotations

from typing import NamedTuple

from kwitness.jobs.frame.intervals import EMPTY, Intervals, difference, size, union

MAX_EXAMPLES = 20


class Judged(NamedTuple):
    """What is said of the offsets that were written and that a group has passed.

    Attributes
    ----------
    written
        How many there are.
    lost
        Proved not to have been handed over, and not in the log or not committed.
    skipped
        Proved likewise, and the log had them: the client asked for later ones, or the group committed beyond them.
    not_seen
        Nobody saw them handed over; that proves nothing.
    aborted
        Of transactions that were aborted.
    compacted
        Of a topic from which compaction may have removed them before.
    """

    written: int = 0
    lost: int = 0
    skipped: int = 0
    not_seen: int = 0
    aborted: int = 0
    compacted: int = 0
    lost_ranges: Intervals = EMPTY
    skipped_ranges: Intervals = EMPTY
    not_seen_ranges: Intervals = EMPTY

    def plus(self, other: Judged) -> Judged:
        """Both together, which are of different offsets."""
        return Judged(
            written=self.written + other.written,
            lost=self.lost + other.lost,
            skipped=self.skipped + other.skipped,
            not_seen=self.not_seen + other.not_seen,
            aborted=self.aborted + other.aborted,
            compacted=self.compacted + other.compacted,
            lost_ranges=union(self.lost_ranges, other.lost_ranges),
            skipped_ranges=union(self.skipped_ranges, other.skipped_ranges),
            not_seen_ranges=union(self.not_seen_ranges, other.not_seen_ranges),
        )

    def few(self) -> Judged:
        """With examples alone."""
        return self._replace(
            lost_ranges=self.lost_ranges[:MAX_EXAMPLES],
            skipped_ranges=self.skipped_ranges[:MAX_EXAMPLES],
            not_seen_ranges=self.not_seen_ranges[:MAX_EXAMPLES],
        )

    def healed(self, late: Intervals) -> Judged:
        """After offsets came late that may be among the examples."""
        lost, skipped = difference(self.lost_ranges, late), difference(self.skipped_ranges, late)
        not_seen = difference(self.not_seen_ranges, late)
        return self._replace(
            lost=self.lost - size(self.lost_ranges) + size(lost),
            skipped=self.skipped - size(self.skipped_ranges) + size(skipped),
            not_seen=self.not_seen - size(self.not_seen_ranges) + size(not_seen),
            lost_ranges=lost,
            skipped_ranges=skipped,
            not_seen_ranges=not_seen,
        )


class Gaps(NamedTuple):
    """Offsets of the log that nobody said were written, between the first and the last that somebody did.

    Attributes
    ----------
    control
        As many of them as there may be markers of transactions.
    unconfirmed
        As many of the others as were sent with acks=0.
    unexplained
        The rest.
    """

    control: int = 0
    unconfirmed: int = 0
    unexplained: int = 0
    ranges: Intervals = EMPTY


NO_GAPS = Gaps()
