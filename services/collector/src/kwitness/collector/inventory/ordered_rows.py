"""Orders the rows of an answer, alike at every replica, so that their parts make one page."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from kwitness.collector.failures import RefusedError
from kwitness.collector.turns import Turns
from kwitness.contracts.questions import Question

MAX_ORDER_CHARACTERS: Final = 256
"""Characters by which text is ordered: those of a page's last row are in the token for the next one, which is part of
a request's address."""
WRITTEN_PER_STEP: Final = 50
"""Items that are written between two looks at the clock."""
_DIGITS: Final = 20
_TOKEN: Final = TypeAdapter(tuple[str, str | None, str])
_KEY: Final = operator.attrgetter("key")
_VALUE: Final = operator.attrgetter("value")


class Row(NamedTuple):
    """One item of an answer.

    ``value`` is that of the field that items are ordered by, as `order_value` has it. Of two rows with the same key
    that of the higher ``version`` counts. ``item`` is written JSON, or at first what that is written from.
    """

    key: str
    value: str | None
    version: int
    item: Any


def order_value(value: object) -> str | None:
    """Return a text that is ordered as the value is: a number of 64 bits has leading zeros."""
    if isinstance(value, int):
        return f"{value:0{_DIGITS}}"
    return str(value)[:MAX_ORDER_CHARACTERS] if value else None


AnyRow = tuple[str, str | None, int, Any]
"""A `Row`, or what becomes one: a tuple is made in a fraction of the time."""


async def write_items(rows: Iterable[AnyRow], write: Callable[[str, Any], bytes]) -> list[Row]:
    """Return rows with items as they are written from key and item."""
    turns, written = Turns(), list[Row]()
    for number, (key, value, version, item) in enumerate(rows):
        if number % WRITTEN_PER_STEP == 0:
            await turns.pause_when_due()
        written.append(Row(key, value, version, write(key, item)))
    return written


class RowOrder:
    """The order of a question's rows, and their limit.

    Raises
    ------
    RefusedError
        The question continues a page of another order.
    """

    def __init__(self, question: Question) -> None:
        self._order = question.order
        self._limit = question.limit
        self._after_value, self._after_key = self._begin(question.after)

    def _begin(self, token: str) -> tuple[str | None, str]:
        if self._order is None or not token:
            return None, token
        try:
            order, value, key = _TOKEN.validate_json(token)
        except ValidationError:
            order, value, key = "", None, ""
        if order != self._order.text:
            raise RefusedError(
                "BadContinue", f"continue is no token of a page with the order {self._order.text}: begin without it"
            )
        return value, key

    @property
    def most(self) -> int:
        """Rows of a part: one more than of a page, which tells that another page follows."""
        return self._limit + 1

    def first(self, rows: Iterable[Row]) -> list[Row]:
        """Return the first rows behind the page before."""
        left = sorted(filter(self._is_behind, rows), key=_KEY)
        if self._order is not None:
            valued = [row for row in left if row.value is not None]
            valued.sort(key=_VALUE, reverse=self._order.descending)
            left = [*valued, *(row for row in left if row.value is None)]
        return left[: self.most]

    def _is_behind(self, row: Row) -> bool:
        if self._order is None or row.value == self._after_value or not self._after_key:
            return row.key > self._after_key
        if self._after_value is None or row.value is None:
            return row.value is None
        return (row.value < self._after_value) is self._order.descending

    async def page(self, parts: Sequence[Sequence[Row]]) -> tuple[list[Row], str | None]:
        """Return the page that parts make together, each of them `first` of its replica, and the next one's token."""
        found = list(parts[0]) if len(parts) == 1 else await self._merge(parts)
        page = found[: self._limit]
        return page, self._token(page[-1]) if len(found) > len(page) else None

    async def _merge(self, parts: Sequence[Sequence[Row]]) -> list[Row]:
        turns = Turns()
        newest: dict[str, Row] = {}
        for rows in parts:
            await turns.pause_when_due()
            for row in rows:
                known = newest.get(row.key)
                if known is None or row.version > known.version:
                    newest[row.key] = row
        found: list[Row] = []
        for rows in parts:
            await turns.pause_when_due()
            found = self.first([*found, *(row for row in rows if newest[row.key] is row)])
        return found

    def _token(self, last: Row) -> str:
        if self._order is None:
            return last.key
        return to_json((self._order.text, last.value, last.key)).decode()
