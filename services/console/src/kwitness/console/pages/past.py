"""An hour of the past, as pages show it: when it was, from which table, and links to the hours around it and to now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from kwitness.console.pages.timestamps import timestamp
from kwitness.console.rows.hours import HOUR_MS, hour_text

__all__ = ["LONGEST_FIELD", "ShownPast", "other_fields"]

_OF_HOURS: Final = {"at", "job", "page"}
LONGEST_FIELD: Final = 1_000
"""Characters of a field of the address that links to other hours keep."""


def other_fields(query: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of an address but those that choose hour, table and number of the page."""
    return {name: value for name, value in query.items() if name not in _OF_HOURS and len(value) <= LONGEST_FIELD}


@dataclass(frozen=True, slots=True)
class ShownPast:
    """An hour that a request chooses.

    Attributes
    ----------
    start_ms
        Its start.
    path, fields
        The page, and the fields of its address that are not about the hour.
    job
        The table that the address names; empty where it names none.
    state
        Why it is shown or not, as `PastAnswer` has it.
    table, option
        The table's name in SQL, and how the command finds it.
    title
        The table as pages name it; empty where the reader may not know it.
    facts
        What is known of table and hour.
    problem
        Why the hour cannot be read, and what to do.
    jobs
        Tables to choose from.
    """

    start_ms: int
    path: str
    fields: Mapping[str, str]
    job: str
    state: str
    table: str
    option: str
    title: str
    facts: Mapping[str, Any]
    problem: str | None
    jobs: Sequence[str]

    @property
    def begins(self) -> str:
        """The start, in words."""
        return timestamp(self.start_ms)

    @property
    def ends(self) -> str:
        """The end, in words."""
        return timestamp(self.start_ms + HOUR_MS)

    @property
    def typed(self) -> str:
        """The start as a field of the type datetime-local has it."""
        return hour_text(self.start_ms).removesuffix("Z")

    def address(self, start_ms: int | None = None, *, job: str | None = None) -> str:
        """Return the address of this page at another hour, or of another table."""
        return self._of_page(
            {
                "at": hour_text(self.start_ms if start_ms is None else start_ms),
                "job": self.job if job is None else job,
            }
        )

    @property
    def now(self) -> str:
        """The address of this page now."""
        return self._of_page({})

    @property
    def before(self) -> str:
        """The address of the hour before."""
        return self.address(self.start_ms - HOUR_MS)

    @property
    def after(self) -> str:
        """The address of the hour after."""
        return self.address(self.start_ms + HOUR_MS)

    @property
    def has_before(self) -> bool:
        """True where the hour before may be kept."""
        first = self.facts.get("first_ms")
        return self.start_ms >= HOUR_MS and (first is None or self.start_ms > first)

    def while_waiting(self) -> ShownPast:
        """Return it as it is before it is read."""
        return replace(self, state="waiting")

    def kept(self, address: str) -> str:
        """Return the address of another page at this hour."""
        query = urlencode({"at": hour_text(self.start_ms), **({"job": self.job} if self.job else {})})
        return f"{address}{'&' if '?' in address else '?'}{query}"

    def _of_page(self, hour: Mapping[str, str]) -> str:
        query = urlencode({**self.fields, **{name: value for name, value in hour.items() if value}})
        return f"{self.path}?{query}" if query else self.path
