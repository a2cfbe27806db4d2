"""Bounds what strangers can have the API server asked: tokens that it refused, by minute, and unknown ones at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from kwitness.console.door import RefusedError

__all__ = ["MAX_AT_ONCE", "MAX_REFUSED", "MAX_REFUSED_OF_PEER", "Attempt", "Attempts"]

MAX_REFUSED: Final = 120
"""Refused sign-ins of a minute; then new ones wait for the next minute. Who is signed in goes on."""
MAX_REFUSED_OF_PEER: Final = 60
"""Those of one address; behind an ingress or a proxy all people have one."""
MAX_AT_ONCE: Final = 16
"""Sign-ins that are being checked."""
_MINUTE_S: Final = 60.0
_TOO_MANY: Final = 429


@dataclass(slots=True)
class Attempt:
    """A sign-in that is being checked."""

    is_refused: bool = False


class Attempts:
    """The sign-ins of this minute that were refused, and those that are being checked."""

    def __init__(self) -> None:
        self._refused = Counter[str]()
        self._began = time.monotonic()
        self._checking = 0

    @contextmanager
    def attempt(self, peer: str) -> Iterator[Attempt]:
        """Count a sign-in of an address while it is checked, and afterwards if it was refused.

        Raises
        ------
        RefusedError
            There were too many.
        """
        if time.monotonic() >= self._began + _MINUTE_S:
            self._refused.clear()
            self._began = time.monotonic()
        if self._refused.total() >= MAX_REFUSED or self._refused[peer] >= MAX_REFUSED_OF_PEER:
            raise _too_many("Many sign-ins were refused within a minute: try again in a minute.")
        if self._checking >= MAX_AT_ONCE:
            raise _too_many("Many sign-ins are being checked: try again in some seconds.")
        self._checking += 1
        attempt = Attempt()
        try:
            yield attempt
        finally:
            self._checking -= 1
            if attempt.is_refused:
                self._refused[peer] += 1


def _too_many(message: str) -> RefusedError:
    return RefusedError(message, title="Too many sign-ins", status=_TOO_MANY)
