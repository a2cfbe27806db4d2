"""The order in which clients changed, so that a reader gets changes alone (docs/decisions/0166)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from itertools import islice
from typing import Final, NamedTuple

from kwitness.collector.client_owners import ClientOwners

MAX_GONE: Final = 10_000
"""Clients that ended and are remembered for readers."""
MAX_GONE_CHARACTERS: Final = 1024 * 1024
"""Characters of their keys."""


class ChangeCursor(NamedTuple):
    """How far a reader has read a replica's changes.

    ``epoch`` is that of the replica's process and its owners; ``begun`` is the revision at which the reader began: it
    does not know clients that ended before.
    """

    epoch: str
    revision: int
    begun: int


class ClientChanges:
    """Keys of clients by the revision of their last change. The last clients that ended are among them."""

    def __init__(self) -> None:
        self.revision = 0
        self._revisions: dict[str, int] = {}
        self._gone: dict[str, None] = {}
        self._gone_characters = 0
        self._forgotten = 0
        self._owners: ClientOwners | None = None
        self.renew()

    def renew(self) -> None:
        """Have all readers begin again."""
        self._epoch = secrets.token_hex(8)

    def follow(self, owners: ClientOwners) -> None:
        """Have all readers begin again if the owners of clients changed."""
        known, self._owners = self._owners or owners, owners
        if known is not owners and not known.equals(owners):
            self.renew()

    def note(self, key: str) -> None:
        """Note that a client is new or changed."""
        self.revision += 1
        self._revisions.pop(key, None)
        self._revisions[key] = self.revision
        if key in self._gone:
            self._remember_no_more(key)

    def leave(self, keys: Iterable[str]) -> None:
        """Note that clients ended."""
        for key in keys:
            self.note(key)
            self._gone[key] = None
            self._gone_characters += len(key)
        while len(self._gone) > MAX_GONE or self._gone_characters > MAX_GONE_CHARACTERS:
            oldest = next(iter(self._gone))
            self._remember_no_more(oldest)
            self._forgotten = self._revisions.pop(oldest)

    def _remember_no_more(self, key: str) -> None:
        del self._gone[key]
        self._gone_characters -= len(key)

    def begin(self) -> ChangeCursor:
        """Return the cursor of a reader that knows nothing."""
        return ChangeCursor(self._epoch, 0, self.revision)

    def continues(self, cursor: ChangeCursor) -> bool:
        """Return whether everything is known that changed since."""
        known_until = max(cursor.revision, cursor.begun)
        return cursor.epoch == self._epoch and self._forgotten <= known_until <= self.revision

    def after(self, revision: int, most: int) -> list[tuple[str, int]]:
        """Return the first keys and revisions behind a revision."""
        found: list[tuple[str, int]] = []
        for entry in reversed(self._revisions.items()):
            if entry[1] <= revision:
                break
            found.append(entry)
        return list(islice(reversed(found), most))
