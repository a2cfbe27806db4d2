"""The order in which clients changed, so that a reader gets changes alone (docs/decisions/0166)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Final, NamedTuple

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.inventory.cursor_seal import CursorSeal

MAX_GONE: Final = 10_000
"""Clients that ended and are remembered for readers."""
MAX_GONE_CHARACTERS: Final = 1024 * 1024
"""Characters of their keys, and of what decides who may see them."""
_FEW_CHANGES: Final = 1_000
"""Changes that another of the same client followed are left where they are up to here, and up to as many as others."""


class ChangeCursor(NamedTuple):
    """How far a reader has read a replica's changes.

    ``begun`` is the revision at which the reader began: it does not know clients that ended before.
    """

    revision: int
    begun: int


class ClientChanges:
    """Keys of clients by the revision of their last change. The last clients that ended are among them."""

    def __init__(self) -> None:
        self.revision = 0
        self._revisions: dict[str, int] = {}
        self._noted: list[int] = []
        self._noted_keys: list[str] = []
        self._gone: dict[str, Mapping[str, str]] = {}
        self._gone_characters = 0
        self._forgotten = 0
        self._moved = 0
        self._owners: ClientOwners | None = None
        self.renew()

    def renew(self) -> None:
        """Have all readers begin again."""
        self._seal = CursorSeal()

    def follow(self, owners: ClientOwners) -> None:
        """Have all readers begin again if the owners of clients changed."""
        known, self._owners = self._owners or owners, owners
        if known is not owners and not known.equals(owners):
            self.renew()

    def note(self, key: str, *, moved: bool = False) -> None:
        """Note that a client is new or changed; one that ``moved`` may be seen by other readers than before."""
        self.revision += 1
        if moved:
            self._moved = self.revision
        self._revisions.pop(key, None)
        self._revisions[key] = self.revision
        self._noted.append(self.revision)
        self._noted_keys.append(key)
        if len(self._noted) > 2 * len(self._revisions) + _FEW_CHANGES:
            self._noted, self._noted_keys = list(self._revisions.values()), list(self._revisions)
        if key in self._gone:
            self._remember_no_more(key)

    def leave(self, seen_by: Mapping[str, Mapping[str, str]]) -> None:
        """Note that clients ended, and by key what decides who may see them."""
        for key, proven in seen_by.items():
            self.note(key)
            self._gone[key] = proven
            self._gone_characters += _characters(key, proven)
        while len(self._gone) > MAX_GONE or self._gone_characters > MAX_GONE_CHARACTERS:
            oldest = next(iter(self._gone))
            self._remember_no_more(oldest)
            self._forgotten = self._revisions.pop(oldest)

    def _remember_no_more(self, key: str) -> None:
        self._gone_characters -= _characters(key, self._gone.pop(key))

    def gone(self, key: str) -> Mapping[str, str]:
        """Return what decided who may see a client that ended; nothing of others."""
        return self._gone.get(key, {})

    def begin(self) -> ChangeCursor:
        """Return the cursor of a reader that knows nothing."""
        return ChangeCursor(0, self.revision)

    def write(self, cursor: ChangeCursor, audience: bytes = b"") -> str:
        """Return a cursor as readers of one scope have it, which tells them no numbers."""
        return self._seal.close(*cursor, audience)

    def read(self, text: str, audience: bytes = b"") -> ChangeCursor | None:
        """Return a cursor of this process, its owners and the scope; None for any other text."""
        numbers = self._seal.open(text, audience)
        return None if numbers is None else ChangeCursor(*numbers)

    def continues(self, cursor: ChangeCursor, *, scoped: bool = False) -> bool:
        """Return whether everything is known that changed since.

        A reader who is ``scoped`` begins again if any client moved, since it may have been one of its own.
        """
        known_until = max(cursor.revision, cursor.begun)
        needed = max(self._forgotten, self._moved) if scoped else self._forgotten
        return needed <= known_until <= self.revision

    def after(self, revision: int, most: int) -> list[tuple[str, int]]:
        """Return the first keys and revisions behind a revision."""
        found: list[tuple[str, int]] = []
        for place in range(bisect_right(self._noted, revision), len(self._noted)):
            key = self._noted_keys[place]
            if self._revisions.get(key) == self._noted[place]:
                found.append((key, self._noted[place]))
                if len(found) == most:
                    break
        return found


def _characters(key: str, proven: Mapping[str, str]) -> int:
    return len(key) + sum(map(len, proven.values()))
