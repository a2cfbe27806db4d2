"""Decides which clients and connections an answer may show to its reader, by what is proven of them."""

from __future__ import annotations

from collections.abc import Mapping

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.origin import Origin
from kwitness.contracts.envelopes import OpenConnection
from kwitness.contracts.owners import KnownOwner
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
        self._shown: dict[RowFacts, bool] = {}
        self._connections: dict[tuple[object, ...], bool] = {}

    def client(self, record: ClientRecord) -> bool:
        """Return whether a client is shown."""
        if self.scope is None:
            return True
        proven = record.proven
        # The record remembers the owner of its whole identity.
        owner = record.owner(self._owners) if proven is record.who else self._owners.owner_of(proven)
        return self._shows(proven.get(_NAMESPACE), owner)

    def identity(self, proven: Mapping[str, str]) -> bool:
        """Return whether a client of this identity is shown, which has no namespace that is only claimed."""
        return self.scope is None or self._shows(proven.get(_NAMESPACE), self._owners.owner_of(proven))

    def connection(self, connection: OpenConnection, origin: Origin) -> bool:
        """Return whether an open connection is shown, which an observer of this origin lists."""
        if self.scope is None:
            return True
        client = (connection.principal, connection.client_id, connection.group_id)
        known = (*client, *origin)
        if known not in self._connections:
            names = (*_OWNED_BY, *Origin._fields)
            self._connections[known] = self.identity(
                {name: text for name, text in zip(names, known, strict=True) if text}
            )
        return self._connections[known]

    def _shows(self, namespace: str | None, owner: KnownOwner | None) -> bool:
        facts = RowFacts(namespace, None if owner is None else owner.team)
        if facts not in self._shown:
            self._shown[facts] = may_see(facts, self.scope)
        return self._shown[facts]

    def namespace(self, namespace: str) -> bool:
        """Return whether all of a namespace is shown."""
        return may_see(RowFacts(namespace), self.scope)
