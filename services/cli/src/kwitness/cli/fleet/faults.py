"""What happens to records on their way into the topics."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterator
from typing import Literal

from kwitness.contracts.topics import TRAFFIC

from .fleet import Fleet
from .record import FleetRecord

__all__ = ["CORRUPTIONS", "Fault", "FaultyWay"]

Fault = Literal["late", "duplicate", "reordered", "corrupt", "too_old", "from_the_future"]
"""The faults that a record which arrived can have."""

CORRUPTIONS: tuple[Callable[[bytes], bytes | None], ...] = (
    lambda _: None,
    lambda _: b"",
    lambda value: value[: len(value) // 2],
    lambda value: value[: len(value) // 2] + b"\xff\xfe" + value[len(value) // 2 :],
    lambda value: b"[" + value + b"]",
    lambda value: value.replace(b'/1"', b'/9"', 1),
    lambda value: value.replace(b'"event_seq":', b'"event_seq":-', 1),
    lambda value: value.replace(b'"event_epoch":', b'"event_epoch":"soon","was":', 1),
    lambda value: value.replace(b'"event_source":', b'"source":', 1),
)
"""Every way in which a value can be bad."""

_AGAIN_WITHIN = 2
_TOO_OLD_MS, _FUTURE_MS = -8 * 86_400_000, 2 * 3_600_000


class FaultyWay:
    """Takes records window by window, and yields what arrives; holds those that are late."""

    def __init__(self, fleet: Fleet) -> None:
        faults = fleet.faults
        self._window_ms = fleet.window_ms
        self._window: tuple[int, int] = (0, 0)
        self._dice = random.Random(f"{fleet.seed}/way")  # noqa: S311 - it must be the same again
        self._late_windows = faults.late_windows
        self._shares = (
            ("late", faults.late),
            ("duplicate", faults.duplicates),
            ("reordered", faults.reordered),
            ("corrupt", faults.corrupt),
            ("lost", faults.lost),
            ("too_old", faults.too_old),
            ("from_the_future", faults.from_the_future),
        )
        self._total = sum(share for _, share in self._shares)
        # By the window in which they arrive, then in the order in which they came.
        self._held: list[tuple[int, int, FleetRecord]] = []
        self._came = 0

    def begin_window(self, number: int, start_ms: int) -> None:
        """What comes from now on is of this window."""
        self._number = number
        self._window = (start_ms, start_ms + self._window_ms)

    def through(self, records: list[FleetRecord]) -> Iterator[FleetRecord]:
        """Yield what arrives of one source's records."""
        if not self._total:
            yield from records
            return
        dice = self._dice
        arriving: list[FleetRecord] = []
        moved: list[int] = []
        for record in records:
            chance = dice.random()
            if chance >= self._total:
                arriving.append(record)
                continue
            fault = self._fault(chance)
            if fault == "late":
                self._hold(record._replace(fault=fault), dice.randint(1, self._late_windows))
            elif fault == "reordered":
                moved.append(len(arriving))
                arriving.append(record)
            elif fault == "duplicate":
                arriving.append(record)
                self._hold(record._replace(fault=fault), dice.randint(0, _AGAIN_WITHIN))
            elif fault == "corrupt":
                # None and nothing at all say little, and the rest more: each is as frequent as the others.
                value = record.value or b""
                arriving.append(record._replace(value=dice.choice(CORRUPTIONS)(value), fault=fault))
            elif fault != "lost":
                arriving.append(self._at_another_time(record, fault))
        for place in moved:
            other = dice.randrange(len(arriving))
            here, there = arriving[place], arriving[other]
            arriving[place], arriving[other] = there, here._replace(fault=here.fault or "reordered")
        yield from arriving

    def end_window(self) -> Iterator[FleetRecord]:
        """Yield what was late until this window."""
        while self._held and self._held[0][0] <= self._number:
            yield heapq.heappop(self._held)[2]

    def end(self) -> Iterator[FleetRecord]:
        """Yield what is late still."""
        while self._held:
            yield heapq.heappop(self._held)[2]

    def _fault(self, chance: float) -> str:
        for name, share in self._shares:
            if chance < share:
                return name
            chance -= share
        return self._shares[-1][0]

    def _hold(self, record: FleetRecord, windows: int) -> None:
        self._came += 1
        later = record._replace(timestamp_ms=record.timestamp_ms + windows * self._window_ms)
        heapq.heappush(self._held, (self._number + windows, self._came, later))

    def _at_another_time(self, record: FleetRecord, fault: str) -> FleetRecord:
        """Return a row whose source had a wrong clock; others have no window, or seal what is of this one."""
        if record.kind != TRAFFIC:
            return record
        by_ms = _TOO_OLD_MS if fault == "too_old" else _FUTURE_MS
        value = record.value or b""
        for name, time_ms in zip((b"window_start_ms", b"window_end_ms"), self._window, strict=True):
            value = value.replace(b'"%s":%d,' % (name, time_ms), b'"%s":%d,' % (name, max(0, time_ms + by_ms)), 1)
        return record._replace(value=value, fault=fault)
