"""Addresses of pages: all filters, the order and the number of a page are in the query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self
from urllib.parse import urlencode

from typing_extensions import override

from kwitness.console.rows.hours import hour_of, hour_text

__all__ = ["PAGE_ROWS", "PastView", "View", "Window"]

PAGE_ROWS: Final = 100
_LONGEST: Final = 1_000
"""Characters of a value of the query that are read."""
_MOST_PAGES: Final = 10_000


@dataclass(frozen=True, slots=True)
class View:
    """The query of a page; subclasses add filters, which are texts."""

    order: str = ""
    page: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str], *, orders: Sequence[str]) -> Self:
        """Read a query; what is unknown or has no meaning is left out, since addresses are typed by people."""
        known = {field.name: query[field.name][:_LONGEST].strip() for field in fields(cls) if query.get(field.name)}
        if known.get("order", "").removeprefix("-") not in orders:
            known.pop("order", None)
        page = known.pop("page", "1")
        number = int(page) if page.isascii() and page.isdecimal() and len(page) < len(str(_MOST_PAGES)) else 1
        return cls(**cls._meant(known), page=max(number, 1))

    @classmethod
    def _meant(cls, known: dict[str, str]) -> dict[str, str]:
        """Return the fields that have a meaning, each in one form."""
        return known

    def address(self, path: str, **changes: Any) -> str:
        """Return the address of this view with changes; a change of anything but the page begins at the first."""
        defaults = {field.name: field.default for field in fields(self)}
        values = {name: getattr(self, name) for name in defaults} | {"page": 1} | changes
        query = {name: values[name] for name, default in defaults.items() if values[name] != default}
        return f"{path}?{urlencode(query)}" if query else path

    def ordering(self, default: str) -> tuple[str, str]:
        """Return the field that rows are ordered by, and its direction in SQL."""
        order = self.order or default
        return order.removeprefix("-"), "DESC" if order.startswith("-") else "ASC"

    @property
    def limits(self) -> str:
        """The clause of SQL that selects the rows of the page."""
        return f"LIMIT {PAGE_ROWS} OFFSET {(self.page - 1) * PAGE_ROWS}"

    def sorted_by(self, field: str, default: str) -> tuple[str, str]:
        """Return `aria-sort` of a column, and the order that its heading requests: at first descending."""
        order = self.order or default
        if order.removeprefix("-") != field:
            return "none", f"-{field}"
        return ("descending", field) if order.startswith("-") else ("ascending", f"-{field}")


@dataclass(frozen=True, slots=True)
class PastView(View):
    """The query of a page that also shows hours of the past.

    Attributes
    ----------
    at
        The hour, as `2026-11-24T14:00Z`; empty for now.
    job
        The table that it is read from; empty where there is only one.
    """

    at: str = ""
    job: str = ""

    @classmethod
    @override
    def _meant(cls, known: dict[str, str]) -> dict[str, str]:
        start_ms = hour_of(known.pop("at", ""))
        job = known.pop("job", "")
        return known if start_ms is None else {**known, "at": hour_text(start_ms), "job": job}


@dataclass(frozen=True, slots=True)
class Window:
    """Rows of one page, of all that there are."""

    rows: Sequence[Mapping[str, Any]]
    total: int
    page: int

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], page: int = 1) -> Self:
        """Return the window of rows that each have the number of all as `total`."""
        return cls(rows, rows[0]["total"] if rows else 0, page)

    @property
    def first(self) -> int:
        """Number of the first row, from 1; 0 without rows."""
        return (self.page - 1) * PAGE_ROWS + 1 if self.rows else 0

    @property
    def last(self) -> int:
        """Number of the last row."""
        return (self.page - 1) * PAGE_ROWS + len(self.rows)

    @property
    def pages(self) -> int:
        """Number of pages, 1 at least."""
        return max(1, -(-self.total // PAGE_ROWS))
