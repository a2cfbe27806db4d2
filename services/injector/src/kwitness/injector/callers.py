"""Bounds what callers of the webhook take of the process: every client that reaches its port can send reviews."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["MAX_CONNECTIONS", "MAX_CONNECTIONS_OF_PEER", "BusyError", "Callers"]

MAX_CONNECTIONS: Final = 256
"""Beyond it, the one that has been silent the longest gives way."""
MAX_CONNECTIONS_OF_PEER: Final = 64
"""Of one address, likewise."""
_MOST_REVIEWS: Final = 128
_MOST_REVIEWS_OF_PEER: Final = 64
_MOST_BYTES: Final = 32 * 1024 * 1024
"""Of all bodies that are read or decided on."""
_MOST_BYTES_OF_PEER: Final = 8 * 1024 * 1024


class BusyError(Exception):
    """There is no room for one more review; the message names the bound."""


class Callers:
    """Counts reviews that are under way and the bytes of their bodies, of all callers and of each address."""

    def __init__(self) -> None:
        self._reviews: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    @contextmanager
    def review(self, peer: str, length: int) -> Iterator[None]:
        """Hold while a review is read and decided on.

        Raises
        ------
        BusyError
            If it has no room.
        """
        self._check(self._reviews, peer, 1, (_MOST_REVIEWS_OF_PEER, _MOST_REVIEWS), "reviews")
        self._check(self._bytes, peer, length, (_MOST_BYTES_OF_PEER, _MOST_BYTES), "bytes of reviews")
        for counter, amount in ((self._reviews, 1), (self._bytes, length)):
            counter[peer] += amount
        try:
            yield
        finally:
            for counter, amount in ((self._reviews, 1), (self._bytes, length)):
                counter[peer] -= amount
                if not counter[peer]:
                    del counter[peer]

    @staticmethod
    def _check(counter: Counter[str], peer: str, more: int, most: tuple[int, int], what: str) -> None:
        of_peer, of_all = most
        if counter[peer] + more > of_peer:
            raise BusyError(f"{of_peer} {what} are under way from this address: try again")
        if counter.total() + more > of_all:
            raise BusyError(f"{of_all} {what} are under way: try again")
