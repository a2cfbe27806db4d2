"""A page of the console: its address, the sources that it shows, and how its values are selected from the index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kwitness.console.index.database import Database
from kwitness.console.pages.past import ShownPast

__all__ = ["Page", "PageValues", "Requested"]


@dataclass(frozen=True, slots=True)
class Requested:
    """A request, and the index that its page is made from.

    Attributes
    ----------
    database
        The index, with the rows that the reader may see.
    query
        Fields of the address.
    name
        What follows the page's path; empty for pages without a name.
    read_ms
        When the last successful read of each source began, by its key; 0 before it. Sources that are not there, as
        those of Kubernetes beside `kwitness try`, have no entry.
    now_ms
        The time, in milliseconds since 1970.
    seen_ms
        When this browser marked findings as seen; 0 if it never did.
    past
        The hour of the past that the index is of; None for now.
    own_owner
        The owner whose clients this browser shows first; empty without one.
    """

    database: Database
    query: Mapping[str, str]
    name: str
    read_ms: Mapping[str, int]
    now_ms: int
    seen_ms: int = 0
    past: ShownPast | None = None
    own_owner: str = ""


PageValues = Callable[[Requested], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Page:
    """A page at `path`, or with `is_named` one for each name below it.

    Attributes
    ----------
    title
        Of its link in the navigation; empty where it has none.
    section
        The page of the navigation that it belongs to.
    sources
        Keys of the sources whose age and problems it shows.
    values
        Returns what its template shows, `lines` among them: those that give its numbers elsewhere.
    csv
        Returns its rows as CSV, for `format=csv` in the address; None where it has none.
    has_past
        True where `at` in the address shows an hour of the past.
    past_sources
        Keys of the sources of now that pages of an hour of the past show as well.
    own_address
        Returns the address of an owner's rows, which a browser with such an owner is sent to from the bare path; None
        where there is none.
    """

    path: str
    section: str
    template: str
    sources: Sequence[str]
    values: PageValues
    title: str = ""
    is_named: bool = False
    csv: Callable[[Requested], str] | None = None
    has_past: bool = False
    past_sources: Sequence[str] = ()
    own_address: Callable[[str], str] | None = None

    @property
    def route(self) -> str:
        """The path as aiohttp matches it."""
        return f"{self.path}/{{name:.+}}" if self.is_named else self.path
