"""Finds which namespaces' clients a person may see, and asks again before each answer is too old.

Permission to `get` the virtual resource `clients` of `kwitness.dev` in a namespace shows the clients of it; in all
namespaces, all clients.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final

from kwitness.console.readers import Reader, TooManyNamespacesError
from kwitness.console.sign_in.credentials import Credential
from kwitness.console.sign_in.reviews import ALL_NAMESPACES, ApiReviews, User

__all__ = ["MAX_KNOWN", "MAX_NAMESPACES", "Permissions"]

MAX_NAMESPACES: Final = 1_000
"""Namespaces that are asked about for one person."""
MAX_KNOWN: Final = 2_000
"""Credentials whose answers are kept; the one used longest ago leaves."""
_AT_ONCE: Final = 16
"""Questions at once for one person."""
_RENEWED_AFTER: Final = 0.75
"""Share of its time after which an answer in use is asked for again, beside the request that uses it."""
_WITHOUT_S: Final = 5.0
"""How long "no namespace" is used: the person may just have got the permission, or the index its first rows."""
_REFUSED_S: Final = 10.0
"""How long a token stays refused."""
_LOG: Final = logging.getLogger(__name__)
_Found = Reader | TooManyNamespacesError | None


@dataclass(frozen=True, slots=True)
class _Answer:
    """A reader, None for a token that the API server does not accept, or why there is none; and the question's time."""

    reader: _Found
    began: float
    seconds: float

    def is_usable(self, now: float) -> bool:
        return now < self.began + self.seconds

    def is_fresh(self, now: float) -> bool:
        return now < self.began + self.seconds * _RENEWED_AFTER


class Permissions:
    """The readers that credentials make.

    Parameters
    ----------
    namespaces
        Returns the namespaces of the clients that the index knows; called on a thread.
    seconds
        How long an answer is used.
    """

    def __init__(self, reviews: ApiReviews, namespaces: Callable[[], Collection[str]], seconds: float) -> None:
        self._reviews = reviews
        self._namespaces = namespaces
        self._seconds = seconds
        self._known: OrderedDict[bytes, _Answer] = OrderedDict()
        self._asking: dict[bytes, asyncio.Task[_Found]] = {}

    def is_known(self, credential: Credential) -> bool:
        """Return whether the API server has accepted this token before, or has refused it a moment ago."""
        answer = self._known.get(credential.key)
        return answer is not None and (answer.reader is not None or answer.is_usable(time.monotonic()))

    async def reader(self, credential: Credential) -> Reader | None:
        """Return the reader; None where the API server does not accept the token.

        Raises
        ------
        ApiUnavailableError
            The answer at hand is too old, and the API server gave no other.
        TooManyNamespacesError
            The person may see clients in more namespaces than a reader has.
        """
        now, answer = time.monotonic(), self._known.get(credential.key)
        if answer is not None and answer.is_usable(now):
            self._known.move_to_end(credential.key)
            if answer.reader is not None and not answer.is_fresh(now):
                self._ask(credential)
            found = answer.reader
        else:
            found = await asyncio.shield(self._ask(credential))
        if isinstance(found, TooManyNamespacesError):
            raise TooManyNamespacesError(str(found)) from None
        return found

    def _ask(self, credential: Credential) -> asyncio.Task[_Found]:
        task = self._asking.get(credential.key)
        if task is None:
            task = self._asking[credential.key] = asyncio.create_task(self._evaluate(credential))
            task.add_done_callback(lambda done: self._end(credential.key, done))
        return task

    def _end(self, key: bytes, task: asyncio.Task[_Found]) -> None:
        del self._asking[key]
        if not task.cancelled():
            task.exception()  # of a renewal beside requests; the next request asks again

    async def _evaluate(self, credential: Credential) -> _Found:
        began = time.monotonic()
        try:
            reader: _Found = await self._found(credential)
        except TooManyNamespacesError as error:
            reader = error
        if reader is None:
            seconds = _REFUSED_S
        elif isinstance(reader, Reader) and not (reader.sees_all or reader.namespaces):
            seconds = min(_WITHOUT_S, self._seconds)
        else:
            seconds = self._seconds
        self._known[credential.key] = _Answer(reader, began, seconds)
        self._known.move_to_end(credential.key)
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)
        return reader

    async def _found(self, credential: Credential) -> Reader | None:
        proof = credential.proof
        user = proof if isinstance(proof, User) else await self._reviews.user_of(proof)
        if user is None:
            return None
        if await self._may_see(credential, ALL_NAMESPACES):
            return Reader(user.name, None)
        names = sorted(await asyncio.to_thread(self._namespaces))
        if len(names) > MAX_NAMESPACES:
            _LOG.warning(
                "More namespaces have clients than are asked about; the last by name are not shown",
                extra={"namespaces": len(names), "at_most": MAX_NAMESPACES},
            )
        allowed: set[str] = set()
        for start in range(0, min(len(names), MAX_NAMESPACES), _AT_ONCE):
            some = names[start : min(start + _AT_ONCE, MAX_NAMESPACES)]
            answers = await asyncio.gather(*(self._may_see(credential, namespace) for namespace in some))
            allowed.update(namespace for namespace, may in zip(some, answers, strict=True) if may)
        return Reader(user.name, frozenset(allowed))

    def _may_see(self, credential: Credential, namespace: str) -> Awaitable[bool]:
        if isinstance(credential.proof, User):
            return self._reviews.user_may_see(credential.proof, namespace)
        return self._reviews.holder_may_see(credential.proof, namespace)
