"""Finds the hour of the past that a request chooses, and whether its rows are in the index."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Final, NamedTuple

from aiohttp import web

from kwitness.console.door import READER
from kwitness.console.index.past_hours import Hour, PastHours
from kwitness.console.index.reader_schemas import Seen
from kwitness.console.pages.page import Page
from kwitness.console.pages.past import LONGEST_FIELD, ShownPast, other_fields
from kwitness.console.readers import Reader
from kwitness.console.rows.hours import hour_of
from kwitness.console.sources.past_source import PastAnswer, PastSource
from kwitness.console.sources.shown_sources import ShownSource, shown_source
from kwitness.console.sources.source import SourceState
from kwitness.contracts.spelling import quantity

__all__ = ["PastRequests", "RequestedPast"]

_PROBLEM: Final = "people who see all namespaces see why, so ask who runs kwitness"
_DOUBTS: Final = {
    1: "what was missing when the time to wait for it was over: the table has the hour as grace, not as sealed",
    2: "what is still to come: the hour is open, and is read again after a minute",
}


class RequestedPast(NamedTuple):
    """An hour of the past that a request chooses.

    Attributes
    ----------
    shown
        As pages show it.
    source
        How complete its rows are.
    hour
        The hour in the index; None where it is not there.
    """

    shown: ShownPast
    source: ShownSource
    hour: Hour | None

    def while_waiting(self) -> RequestedPast:
        """Return it as it is after the index has dropped it: the next request has it read."""
        return self._replace(shown=self.shown.while_waiting(), hour=None)


class PastRequests:
    """Requests for hours of the past. `requested` is called on the thread of the event loop."""

    def __init__(self, hours: PastHours, source: PastSource) -> None:
        self._hours = hours
        self._source = source

    def requested(self, page: Page, request: web.Request) -> RequestedPast | None:
        """Return the hour that a request chooses, and have it read where the index does not have it; None for now."""
        start_ms = hour_of(request.query.get("at", "")) if page.has_past else None
        if start_ms is None:
            return None
        reader, job = request[READER], request.query.get("job", "")[:LONGEST_FIELD]
        answer = self._source.answer(start_ms, job)
        name, option = _place(answer, reader)
        shown = ShownPast(
            start_ms=start_ms,
            path=request.rel_url.raw_path,
            fields=other_fields(request.query),
            job=job,
            state=answer.state,
            table=name,
            option=option,
            title=answer.table.job if answer.table and reader.sees_all else "",
            facts=answer.facts,
            problem=(answer.problem if reader.sees_all else _PROBLEM) if answer.problem else None,
            jobs=answer.jobs if reader.sees_all else (),
        )
        return RequestedPast(shown, _source_of(answer, reader), answer.hour if answer.state == "ready" else None)

    def seen_by(self, hour: Hour, reader: Reader) -> contextlib.AbstractContextManager[Seen]:
        """Have the rows of an hour that a reader may see; see `PastHours.seen_by`."""
        return self._hours.seen_by(hour, reader)


def _place(answer: PastAnswer, reader: Reader) -> tuple[str, str]:
    """Return the table's name in SQL and how the command finds it; for readers of namespaces those of examples."""
    return (answer.table.name, answer.table.option) if answer.table and reader.sees_all else ("traffic", "tables")


def _source_of(answer: PastAnswer, reader: Reader) -> ShownSource:
    state = SourceState("traffic of that hour")
    state.as_of_ms = answer.facts.get("computed_ms") or 0
    state.lacks = tuple(_lacks(answer))
    return shown_source(state, reader)


def _lacks(answer: PastAnswer) -> Sequence[str]:
    left_out = answer.facts.get("left_out")
    rows = [f"{quantity(left_out, 'row')}, those of the fewest bytes"] if left_out else []
    doubt = _DOUBTS.get(answer.facts.get("doubt") or 0)
    return [*rows, doubt] if doubt else rows
