"""The ledger of a driver: accepted = delivered + queued + dropped, in records, within the life of this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

#: Reasons for drops that are no record's own fault; the others are those of `kwitness.jobs.frame.rejection`.
NO_RECORD = "NoRecord"
"""Offsets under which Kafka holds no record: markers of transactions, or what compaction removed."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Records on their way into the table.

    Attributes
    ----------
    accepted
        Taken into a micro-batch, or found to be gone before one could take them.
    delivered
        In the table.
    queued
        In the batch that runs now.
    dropped
        Not in the table, by reason: those of rejected and of lost records, and `NO_RECORD`.
    """

    accepted: int = 0
    delivered: int = 0
    queued: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)

    def accept(self, count: int) -> Ledger:
        """Take `count` records in."""
        return replace(self, accepted=self.accepted + count, queued=self.queued + count)

    def settle(self, delivered: int, dropped: Mapping[str, int]) -> Ledger:
        """Say what became of records that were queued."""
        return replace(
            self,
            delivered=self.delivered + delivered,
            queued=self.queued - delivered - sum(dropped.values()),
            dropped=_added(self.dropped, dropped),
        )

    def abandon(self) -> Ledger:
        """Give queued records back to the topic: their batch was broken off and is accepted again."""
        return replace(self, accepted=self.accepted - self.queued, queued=0)


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return dict(Counter(one) + Counter(other))
