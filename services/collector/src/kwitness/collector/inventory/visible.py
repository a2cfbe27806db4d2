"""Decides which clients and connections an answer may show to its reader, by what is proven of them."""

from __future__ import annotations

from collections.abc import Mapping

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.origin import Origin
from kwitness.contracts.envelopes import OpenConnection
from kwitness.contracts.reader_rights import ReaderScope, RowFacts, may_see

__all__ = ["Visible", "everything"]

_NAMESPACE = "k8s_namespace"
_OWNED_BY = ("principal", "client_id", "group_id")


def everything(*_row: object) -> bool:
    """Return True: a reader without a scope sees each row."""
    return True


class Visible:
    """Shows rows of a reader's ``scope``; all of them where it is None."""

    def __init__(self, scope: ReaderScope | None, owners: ClientOwners) -> None:
        self.scope = scope
        self.audience = b"" if scope is None else scope.model_dump_json().encode()
        """Names the scope in cursors."""
        self._owners = owners

    def client(self, record: ClientRecord) -> bool:
        """Return whether a client is shown."""
        return self.scope is None or self.identity(record.proven)

    def identity(self, proven: Mapping[str, str]) -> bool:
        """Return whether a client of this identity is shown, which has no namespace that is only claimed."""
        if self.scope is None:
            return True
        entry = self._owners.owner_of(proven) if self.scope.owners else None
        return may_see(RowFacts(proven.get(_NAMESPACE), None if entry is None else entry.team), self.scope)

    def connection(self, connection: OpenConnection, origin: Origin) -> bool:
        """Return whether an open connection is shown, which an observer of this origin lists."""
        if self.scope is None:
            return True
        texts = {name: text for name in _OWNED_BY if (text := getattr(connection, name)) is not None}
        return self.identity({**texts, **{name: text for name, text in origin._asdict().items() if text}})

    def namespace(self, namespace: str) -> bool:
        """Return whether all of a namespace is shown."""
        return may_see(RowFacts(namespace), self.scope)
