"""The ledger: at each hop, accepted = delivered + queued + dropped, within one epoch (the life of this process)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

RECEIVE: Final = "receive"
PROMETHEUS: Final = "prometheus"
TOPIC: Final = "topic"
EVENTS: Final = "events"
"""Numbers that observers send: rows and totals."""
EVENTS_TOPIC: Final = "events_topic"
"""Their rows on the way into the topics."""


def forward_hop(name: str) -> str:
    """Name the hop towards the OTLP endpoint ``name``."""
    return f"forward:{name}"


@dataclass(slots=True)
class Hop:
    """One hop in pushes, in observers' events, or in parts of counts that are forwarded.

    ``queued`` is counted by whoever holds the queue, not derived, so that the sum can be checked. What was given back
    to its sender to try again counts as dropped with the reason ``returned``: it will be accepted again.
    """

    name: str
    accepted: int = 0
    delivered: int = 0
    queued: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    def accept(self, count: int) -> None:
        """Take ``count`` in; they are queued until `deliver` or `drop`."""
        self.accepted += count
        self.queued += count

    def deliver(self, count: int) -> None:
        """Hand ``count`` on."""
        self.delivered += count
        self.queued -= count

    def drop(self, reason: str, count: int = 1) -> None:
        """Give ``count`` up."""
        if count:
            self.dropped[reason] = self.dropped.get(reason, 0) + count
            self.queued -= count


class Ledger:
    """All hops of this process; ``epoch_ms`` is its start."""

    def __init__(self, epoch_ms: int) -> None:
        self.epoch_ms = epoch_ms
        self._hops = {name: Hop(name) for name in (RECEIVE, PROMETHEUS, TOPIC, EVENTS, EVENTS_TOPIC)}

    def hop(self, name: str) -> Hop:
        """Return the hop ``name``, which begins at zero."""
        return self._hops.setdefault(name, Hop(name))

    def hops(self) -> list[Hop]:
        """Return all hops in the order in which they were made."""
        return list(self._hops.values())
