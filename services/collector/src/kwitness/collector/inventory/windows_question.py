"""Reads a question about observers' windows: which rows match, and in which order."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Final

from pydantic import TypeAdapter
from pydantic_core import to_json

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.failures import RefusedError
from kwitness.collector.inventory.item_owners import OWNED_BY, ItemOwners
from kwitness.collector.inventory.recent_windows import Item
from kwitness.collector.inventory.visible import everything
from kwitness.collector.inventory.window_tables import (
    GROUP_ANSWER,
    GROUP_BY_NAMESPACE_ANSWER,
    GROUP_TABLE,
    Number,
    Table,
)
from kwitness.collector.prometheus.budget import Key
from kwitness.collector.prometheus.labels import label_pattern
from kwitness.contracts.owners import text_fits
from kwitness.contracts.questions import Question
from kwitness.contracts.reader_rights import ReaderScope, RowFacts, may_see

_NAMESPACE: Final = "k8s_namespace"
_KEYS: Final[TypeAdapter[Key]] = TypeAdapter(Key)
Rank = tuple[bool, float, Key]
"""Rows are sorted by it: those without a value come last, and of equal values the smaller key first."""


class WindowsQuestion:
    """A question about the rows of a table, of a reader with a ``scope``; None sees all.

    ``stored`` is the table of the rows, ``table`` that of the items: groups have an item for each namespace where the
    question names the field. ``after`` is the last key of the page before, if there is one; ``place`` is that of the
    number that items are ordered by, None where it is their key.

    Raises
    ------
    RefusedError
        The order is ascending, or a page with an order is continued. An item may have more at another replica than at
        this one, so that neither has an exact answer.
    """

    def __init__(
        self, stored: Table, question: Question, owners: ClientOwners, scope: ReaderScope | None = None
    ) -> None:
        self.stored = stored
        self.is_by_namespace = stored is GROUP_TABLE and _NAMESPACE in question.fields
        self.table = table = _answered(stored, is_by_namespace=self.is_by_namespace)
        self.scope = scope
        self.fields = question.fields
        self.limit = question.limit
        self.owners = ItemOwners(stored, owners)
        self.after, self.place = _position(table, question)
        filters = question.filters
        self._texts = [(place, _kept(name, filters[name])) for place, name in enumerate(stored.key) if name in filters]
        self._teams = [(field, filters[field]) for field in OWNED_BY if field in filters]

    @property
    def adds_up(self) -> bool:
        """True where the number that items are ordered by is a sum over replicas."""
        return self.place is not None and self.place < self.table.added

    def shown(self, item: Item) -> Iterator[Item]:
        """Yield what the reader sees of an item: it has rows of some observers alone, and is apart by namespace."""
        shows = self.shows_of(item.key)
        if shows is _nothing:
            return
        if self.is_by_namespace:
            parts = [item.of_namespaces(name.__eq__, (*item.key, name)) for name in item.namespaces if shows(name)]
            yield from filter(None, parts)
        elif shows is everything:
            yield item
        elif (part := item.of_namespaces(shows)) is not None:
            yield part

    def shows_of(self, key: Key) -> Callable[[str], bool]:
        """Return what says of a namespace whether the reader sees what its observers counted of an item with this key.

        A group has no namespace of its own: of one whose topic is not of the scope, the commits are seen that sidecars
        of the scope's namespaces counted.
        """
        scope = self.scope
        if len(key) > len(self.stored.key):
            return key[-1].__eq__
        if scope is None or may_see(self._facts(key), scope):
            return everything
        if _NAMESPACE in self.stored.key:
            return _nothing
        return lambda namespace: may_see(RowFacts(namespace), scope)

    def _facts(self, key: Key) -> RowFacts:
        namespace = key[self.stored.key.index(_NAMESPACE)] if _NAMESPACE in self.stored.key else None
        teams = {field: owner.team for field, owner in self.owners.fields(key)}
        return RowFacts(namespace, teams.get("owner"), teams.get("topic_owner"))

    def matches(self, key: Key) -> bool:
        """Compare the texts of a row, and whose it is, with the filters."""
        for place, pattern in self._texts:
            if not text_fits(pattern, key[place] or None):
                return False
        for field, pattern in self._teams:
            owner = self.owners.entry(field, key)
            if owner is None or not text_fits(pattern, owner.team):
                return False
        return True

    def rank(self, key: Key, number: Number) -> Rank:
        """Return what a row is sorted by; ``number`` is that at ``place``."""
        return number is None, -(number or 0), key


def _answered(stored: Table, *, is_by_namespace: bool) -> Table:
    if stored is not GROUP_TABLE:
        return stored
    return GROUP_BY_NAMESPACE_ANSWER if is_by_namespace else GROUP_ANSWER


def _nothing(_namespace: str) -> bool:
    return False


def token(key: Key) -> str:
    """Return the token of the page after a key."""
    return base64.urlsafe_b64encode(to_json(key)).decode()


def _position(table: Table, question: Question) -> tuple[Key | None, int | None]:
    order, after = question.order, question.after
    if order is None:
        return _key(table, after) if after else None, None
    if not order.descending:
        raise RefusedError(
            "BadOrder", f"{table.noun.path} has the largest first alone: order=-{order.field}, not {order.field}"
        )
    if after:
        raise RefusedError("BadContinue", "a page with an order has no next one: leave out order or continue")
    return None, table.fields.index(order.field)


def _key(table: Table, text: str) -> Key:
    try:
        key = _KEYS.validate_json(base64.urlsafe_b64decode(text))
    except ValueError:
        key = ()
    if len(key) != len(table.key):
        raise RefusedError("BadContinue", f"continue is no token of a page of {table.noun.path}: begin without it")
    return key


def _kept(name: str, pattern: str) -> str:
    """Return a text as rows have it, where names that clients choose are cut."""
    return pattern if name == "topic" else label_pattern(pattern)
