"""Asks Kubernetes whose a bearer token is."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kwitness.contracts.audiences import says_audience
from kwitness.jobs.driver.kubernetes_reviews import KubernetesReviews, ReviewUnavailableError

__all__ = ["TokenReviewer", "User"]

_BELIEVED_SECONDS = 60.0
_TURN_SECONDS = 5.0
_REMEMBERED = 1024
"""Good answers, and as many bad ones beside them: who invents tokens pushes out nobody's."""
_ASKING = 4
"""Questions to the API server at once."""


class User(NamedTuple):
    """An account as the API server knows it, with all that permissions can depend on."""

    name: str
    uid: str
    groups: Sequence[str]
    extra: Mapping[str, Sequence[str]]


class TokenReviewer:
    """Verifies tokens of one audience; an answer is believed for a minute.

    Parameters
    ----------
    audience
        Of this driver, and no other.
    clock
        Seconds; only differences count.
    """

    def __init__(
        self,
        reviews: KubernetesReviews,
        audience: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.audience = audience
        self._reviews = reviews
        self._clock = clock
        # When they were asked about and whose they are, by whether they are good.
        self._answers: dict[bool, dict[bytes, tuple[float, User | None]]] = {True: {}, False: {}}
        self._lock = threading.Lock()
        self._turn = threading.BoundedSemaphore(_ASKING)

    def user(self, token: str) -> User | None:
        """Return whose token it is; None where it is not valid or not meant for this audience.

        A token that says itself that it is for another is not asked about.

        Raises
        ------
        ReviewUnavailableError
            Nobody could be asked; nothing is believed then.
        """
        if not says_audience(token, self.audience):
            return None
        key = hashlib.sha256(token.encode()).digest()
        with self._lock:
            for answers in self._answers.values():
                since, known = answers.get(key, (float("-inf"), None))
                if self._clock() - since < _BELIEVED_SECONDS:
                    return known
        if not self._turn.acquire(timeout=_TURN_SECONDS):
            raise ReviewUnavailableError("too many tokens are being asked about; try again")
        try:
            answer = self._ask(token)
        finally:
            self._turn.release()
        self._remember(key, answer)
        return answer

    def _remember(self, key: bytes, answer: User | None) -> None:
        is_good = answer is not None
        with self._lock:
            self._answers[not is_good].pop(key, None)
            answers = self._answers[is_good]
            answers.pop(key, None)
            while len(answers) >= _REMEMBERED:
                del answers[next(iter(answers))]
            answers[key] = (self._clock(), answer)

    def _ask(self, token: str) -> User | None:
        spec = {"token": token, "audiences": [self.audience]}
        status = self._reviews.create("authentication.k8s.io/v1", "TokenReview", spec)
        if not status.get("authenticated") or self.audience not in (status.get("audiences") or []):
            return None
        user: Mapping[str, Any] = status.get("user") or {}
        return User(
            name=str(user.get("username", "")),
            uid=str(user.get("uid", "")),
            groups=tuple(user.get("groups") or ()),
            extra=dict(user.get("extra") or {}),
        )
