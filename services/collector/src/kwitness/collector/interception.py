"""What becomes of interceptors' events: rows go to their topic, totals to Prometheus (docs/decisions/0070)."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from kwitness.collector.event_lines import EventBatch
from kwitness.collector.event_numbers import SourceNumbers
from kwitness.collector.header_counts import HeaderCounts
from kwitness.collector.inventory.directives import DirectiveTable
from kwitness.collector.inventory.reporters import Reporters
from kwitness.collector.origin import Sender, origin_of
from kwitness.collector.pipeline import now_ms
from kwitness.collector.prometheus.intercepted import InterceptedSeries, Reported, parts_of, trouble_with_bounds
from kwitness.collector.taking import EventTaking
from kwitness.contracts.envelopes import EventsAnswer, InterceptorsHead, Rejection
from kwitness.contracts.topics import HEADERS, INTERCEPTIONS, SEALS

_TOPICS: Final = (INTERCEPTIONS, HEADERS, SEALS)
_ENTRIES_PER_STEP: Final = 250


class Interception:
    """Everything that this replica knows from interceptors. It is forgotten with the process, as of observers.

    ``headers`` are counted there, together with those that observers saw.
    """

    def __init__(self, taking: EventTaking, headers: HeaderCounts) -> None:
        self._taking = taking
        self._headers = headers
        self.reporters = Reporters()
        self.directives = DirectiveTable()
        self.totals = InterceptedSeries(0)

    def expire(self, now: int) -> None:
        """Let reporters and series go that were not heard of for long; ``now`` in milliseconds since 1970."""
        self.reporters.expire(now)
        self.totals.expire(now)

    async def accept(self, head: InterceptorsHead, batch: EventBatch, sender: Sender) -> EventsAnswer:
        """Take a request of a reporter of the sender's pod, and say of each number what became of it."""
        self.reporters.record(head, now_ms())
        taken = await self._taking.take(batch, sender, _TOPICS, partial(self._add_totals, head))
        profile, state = head.profile, head.state
        directives = self.directives.for_pod(
            sender.namespace, profile.namespace, profile.name, settings=state.settings, suspended=state.suspended
        )
        return self._taking.answer(taken, directives)

    async def _add_totals(
        self, head: InterceptorsHead, numbers: SourceNumbers, fresh: frozenset[int], rejected: list[Rejection]
    ) -> set[int]:
        now = now_ms()
        profile = head.profile
        reported = Reported(origin_of(head), profile.namespace, profile.name, head.reporter, head.attributes)
        taken: set[int] = set()
        for window in head.totals:
            if window.seq not in fresh:
                continue
            trouble = trouble_with_bounds(window)
            if trouble is not None:
                rejected.append(Rejection(seq=window.seq, reason="UnknownBounds", message=trouble))
                continue
            for part in parts_of(window, _ENTRIES_PER_STEP):
                self.totals.add(reported, part, now)
                self._headers.add(reported.origin, head.runtime, part.headers, now)
                await asyncio.sleep(0)  # others' requests and scrapes wait for one part, not for all of it
            numbers.take((window.seq,))
            taken.add(window.seq)
        return taken
