"""Offers what observers and interceptors count to the endpoints that are to have it, once in each scrape interval."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from kwitness.collector.events import Event
from kwitness.collector.prometheus.budget import BudgetedSeries
from kwitness.collector.prometheus.counted_payloads import payloads
from kwitness.collector.sinks.otlp_forward import OtlpForward

_SOURCE: Final = "counts"
_LEAST_S: Final = 1.0


class ForwardedCounts:
    """The series of one replica, as a service of their own. ``epoch_ms`` is the start of this process."""

    def __init__(self, totals: Sequence[BudgetedSeries], resource: Mapping[str, str], epoch_ms: int) -> None:
        self._totals = totals
        self._resource = resource
        self._epoch_ms = epoch_ms
        self._numbers = itertools.count(1)
        self._due = 0.0

    async def offer_when_due(self, forwards: Iterable[OtlpForward], interval_ms: int, now_ms: int) -> None:
        """Offer all values of now, in parts, where no part of those before waits: the next ones will be newer."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + max(interval_ms / 1000, _LEAST_S)
        ready = [forward for forward in forwards if "counts" in forward.config.sources and not forward.holds(_SOURCE)]
        if not ready:
            return
        for payload in payloads(self._totals, self._resource, now_ms):
            event = Event(_SOURCE, self._epoch_ms, next(self._numbers), now_ms, {}, payload)
            for forward in ready:
                forward.offer(event)
            await asyncio.sleep(0)  # pushes and scrapes wait for one part
