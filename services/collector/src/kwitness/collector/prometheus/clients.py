"""What one client feeds: its slots, and, when its pushes always look alike, in which order."""

from __future__ import annotations

from kwitness.collector.fairness import NOBODY
from kwitness.collector.otlp.shapes import Shape
from kwitness.collector.prometheus.series import SeriesKey, Slot

SlotKey = tuple[str, tuple[tuple[str, str], ...]]
"""A metric's name as sent, and the point's attributes."""


class Client:
    """One client instance: its identity as label text, and its slots by metric and attributes.

    ``shape`` is that of its pushes when they always look alike, ``fed`` the slots of its values in their order;
    ``last_size`` are the bytes of its last push that was decoded; ``short`` says that the budget had no room for some
    of its series; ``ended`` are slots of series whose labels it had before, kept for some scrapes more. ``holder`` is
    whose share of the budget it is of, ``without`` the most series of one push that found no slot. Since
    ``alone_since_ms`` nobody else can have counted what it counts: see `core.Arrival`.
    """

    __slots__ = (
        "alone_since_ms",
        "bare",
        "ended",
        "fed",
        "holder",
        "labels",
        "last_size",
        "pushes",
        "shape",
        "short",
        "slots",
        "without",
    )

    def __init__(self, labels: str, holder: str = NOBODY, alone_since_ms: int = 0) -> None:
        self.holder = holder
        self.without = 0
        self.labels = labels
        self.bare: SeriesKey = (labels, "")
        self.alone_since_ms = alone_since_ms
        self.pushes = 0
        self.slots: dict[SlotKey, Slot] = {}
        self.shape: Shape | None = None
        self.fed: list[Slot] = []
        self.last_size = -1
        self.short = False
        self.ended: list[Slot] = []

    def rename(self, labels: str) -> None:
        """Take other labels; slots keep theirs until they are moved."""
        self.labels = labels
        self.bare = (labels, "")
