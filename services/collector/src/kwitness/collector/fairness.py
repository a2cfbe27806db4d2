"""Who holds how much of what all share, so that nobody can take it from the others (docs/decisions/0116)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

NOBODY: Final = ""
"""Holds what a restart left, until its client is heard from again; it has no share, and nothing is refused to it."""
ANONYMOUS: Final = "User:ANONYMOUS"
"""Kafka's principal of clients that did not authenticate."""
_SHARE: Final = 10
"""A holder's share of a budget is one part in so many: it has that whatever another one did before."""
_OPEN: Final = 2
"""Beyond its share a holder may take what is free of this part of a budget, where most clusters stay for good."""
_LONGEST: Final = 128


def holder_of(identity: Mapping[str, str], caller: str | None) -> str:
    """Return whose share a push counts for, by who pushed it and who brought it by plain OTLP, if anybody did.

    That is the caller, the authenticated principal, or else the address that the connection came from: what nobody can
    choose for himself. Nothing where none of them is known.
    """
    principal, address = identity.get("principal"), identity.get("client_address")
    if caller is not None:
        return _bounded(f"caller {caller}")
    if principal and principal != ANONYMOUS:
        return _bounded(f"principal {principal}")
    return _bounded(f"address {address}") if address else ""


def _bounded(text: str) -> str:
    return text if len(text) <= _LONGEST else hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


class Shares:
    """A budget of ``most``, of which ``taken`` is taken."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0
        self._held: dict[str, int] = {}

    def allows(self, holder: str, amount: int = 1) -> bool:
        """Whether a holder may have so much more, whether or not there is room for it."""
        if holder == NOBODY or self.taken + amount <= self.most // _OPEN:
            return True
        return self._held.get(holder, 0) + amount <= max(self.most // _SHARE, 1)

    def has_room(self, holder: str, amount: int = 1) -> bool:
        """Whether a holder may have so much more, and there is room for it."""
        return self.taken + amount <= self.most and self.allows(holder, amount)

    def take(self, holder: str, amount: int = 1) -> None:
        """Give a holder so much more, whether or not it is allowed; a negative amount takes it away again."""
        self.taken += amount
        self._hold(holder, amount)

    def move(self, before: str, after: str, amount: int = 1) -> None:
        """Let another one hold what one held before."""
        self._hold(before, -amount)
        self._hold(after, amount)

    def _hold(self, holder: str, amount: int) -> None:
        if holder == NOBODY or not amount:
            return
        held = self._held.get(holder, 0) + amount
        if held > 0:
            self._held[holder] = held
        else:
            self._held.pop(holder, None)
