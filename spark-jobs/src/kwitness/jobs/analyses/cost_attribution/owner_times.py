"""Times from which other entries of owners count: between two of them each client and topic has one owner."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.owner_lookup import OwnerLookup
from kwitness.contracts.owners import OwnerList
from kwitness.jobs.frame.windows import Span


class OwnerTimes(NamedTuple):
    """The start of a span, and the later times in it from which entries count, in milliseconds, ascending."""

    starts: tuple[int, ...]

    @classmethod
    def within(cls, span: Span, owners: OwnerList | None) -> OwnerTimes:
        """Return the times of a span."""
        lookup = OwnerLookup(owners or OwnerList())
        starts = [span.start]
        while (change := lookup.next_change_ms(starts[-1])) is not None and change < span.end:
            starts.append(change)
        return cls(tuple(starts))

    def before(self, at_ms: int) -> int:
        """Return the last of the times that is not after a time of the span."""
        return self.starts[max(0, bisect_right(self.starts, at_ms) - 1)]

    def column(self, at_ms: Column) -> Column:
        """Return the same of a column, as one literal: most months have one owner of each thing."""
        starts = F.lit(list(self.starts)).cast("array<bigint>")
        return starts[0] if len(self.starts) == 1 else F.array_max(F.filter(starts, lambda start: start <= at_ms))
