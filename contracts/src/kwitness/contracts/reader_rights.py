"""Decides which rows a reader of clients may see; `contracts/vectors/reader_rights.json` holds examples.

Facts of a row must be proven, not claimed by a client: a namespace counts that the token of a pod or the table of pods
names, not one that a client writes into its own telemetry. A fact that is not known is no reason to show a row.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Final, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from .owners import text_fits

__all__ = ["MAX_SCOPE_ENTRIES", "NamespacePattern", "OwnerPattern", "ReaderScope", "RowFacts", "Scope", "may_see"]

MAX_SCOPE_ENTRIES: Final = 32
"""Namespaces of a scope, and owners of it: replicas of a collector send each of them as a header of a request."""

NamespacePattern = Annotated[
    str,
    Field(
        min_length=1,
        max_length=64,
        pattern=r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?|([a-z0-9][-a-z0-9]*)?\*)$",
        description="A namespace, or a prefix of namespaces with * at its end.",
    ),
]
OwnerPattern = Annotated[
    str, Field(min_length=1, max_length=129, description="A team, or a prefix of teams with * at its end.")
]


class Scope(Protocol):
    """Namespaces and owners whose rows a reader sees, however many they are."""

    @property
    def namespaces(self) -> Collection[str]:
        """Namespaces, and prefixes of namespaces with * at their end."""

    @property
    def owners(self) -> Collection[str]:
        """Teams, and prefixes of teams likewise."""


class ReaderScope(BaseModel):
    """Limits a reader to rows of these namespaces and owners; to nothing where both are empty."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    namespaces: tuple[NamespacePattern, ...] = Field(
        (), description="Namespaces of clients' pods; with * at its end a prefix.", max_length=MAX_SCOPE_ENTRIES
    )
    owners: tuple[OwnerPattern, ...] = Field(
        (), description="Owners of clients, groups or topics; with * at its end a prefix.", max_length=MAX_SCOPE_ENTRIES
    )


class RowFacts(NamedTuple):
    """Proven facts of a row; None and an empty text are not known.

    ``owner`` is the team of the client or group, ``topic_owner`` that of the topic, which may see who uses it.
    """

    namespace: str | None = None
    owner: str | None = None
    topic_owner: str | None = None


def may_see(row: RowFacts, scope: Scope | None) -> bool:
    """Return whether a reader may see a row; None is a reader without a scope, who sees all."""
    if scope is None:
        return True
    return _fits(scope.namespaces, row.namespace) or any(
        _fits(scope.owners, team) for team in (row.owner, row.topic_owner)
    )


def _fits(patterns: Collection[str], text: str | None) -> bool:
    return bool(text) and any(text_fits(pattern, text) for pattern in patterns)
