"""Reads a question about observers' windows: which rows match, and in which order."""

from __future__ import annotations

import base64
from typing import Final

from pydantic import TypeAdapter
from pydantic_core import to_json

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.failures import RefusedError
from kwitness.collector.inventory.item_owners import OWNED_BY, ItemOwners
from kwitness.collector.inventory.recent_windows import Item
from kwitness.collector.inventory.window_tables import Number, Table
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

    ``after`` is the last key of the page before, if there is one; ``place`` is that of the number that items are
    ordered by, None where it is their key.

    Raises
    ------
    RefusedError
        The order is ascending, or a page with an order is continued. An item may have more at another replica than at
        this one, so that neither has an exact answer.
    """

    def __init__(
        self, table: Table, question: Question, owners: ClientOwners, scope: ReaderScope | None = None
    ) -> None:
        self.table = table
        self.scope = scope
        self.fields = question.fields
        self.limit = question.limit
        self.owners = ItemOwners(table, owners)
        self.after, self.place = _position(table, question)
        filters = question.filters
        self._texts = [(place, _kept(name, filters[name])) for place, name in enumerate(table.key) if name in filters]
        self._teams = [(field, filters[field]) for field in OWNED_BY if field in filters]

    @property
    def adds_up(self) -> bool:
        """True where the number that items are ordered by is a sum over replicas."""
        return self.place is not None and self.place < self.table.added

    def shown(self, item: Item) -> Item | None:
        """Return what the reader sees of an item, which has rows of some observers alone; None for nothing.

        A group has no namespace of its own: of one whose topic is not of the scope, the commits are seen that sidecars
        of the scope's namespaces counted.
        """
        scope = self.scope
        if scope is None or may_see(self._facts(item.key), scope):
            return item
        if _NAMESPACE in self.table.key:
            return None
        return item.of_namespaces(lambda namespace: may_see(RowFacts(namespace), scope))

    def _facts(self, key: Key) -> RowFacts:
        namespace = key[self.table.key.index(_NAMESPACE)] if _NAMESPACE in self.table.key else None
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
