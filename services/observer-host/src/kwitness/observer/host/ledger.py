"""What became of the events of one observer: accepted = delivered + queued + dropped, since the process began."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Ledger"]


@dataclass(slots=True)
class Ledger:
    """Counts of events; whoever holds the queue counts what is in it."""

    accepted: int = 0
    delivered: int = 0
    queued: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    def drop(self, reason: str, count: int = 1) -> None:
        """Give up ``count`` events that are not queued."""
        if count:
            self.dropped[reason] = self.dropped.get(reason, 0) + count

    def copy(self) -> Ledger:
        """The counts as they are now."""
        return Ledger(self.accepted, self.delivered, self.queued, dict(self.dropped))
