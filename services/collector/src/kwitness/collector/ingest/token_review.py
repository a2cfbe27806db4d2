"""Asks the API server who a token belongs to (authentication.k8s.io/v1 TokenReview), and remembers the answer."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
import time
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

import aiohttp

from kwitness.collector.failures import UnavailableError
from kwitness.collector.tls import client_context
from kwitness.contracts.audiences import says_audience
from kwitness.runtime.reloading import ReloadingFile

ACCEPTED_S: Final = 60.0
"""How long a good answer is used: a revoked token is refused after this much, where the API server can be asked."""
_RENEWED_BEFORE_S: Final = 15.0
"""How long before its end a good answer that is used is asked for again."""
_STALE_S: Final = 300.0
"""How long beyond its end a good answer is used while the API server cannot be asked."""
REFUSED_S: Final = 10.0
_MAX_REMEMBERED: Final = 4_096
"""Good answers, and as many bad ones beside them: who invents tokens pushes out nobody's."""
_MAX_ASKING: Final = 8
"""Questions to the API server at once."""
_MAX_RENEWING: Final = 4
"""Questions about tokens that were good, in room of their own: no invented token can take it."""
_MAX_WAITING: Final = 256
"""Questions about others that may wait for their turn."""
_MAX_WAITING_OF_PEER: Final = 32
"""Those of one address."""
_TIMEOUT_S: Final = 5
_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
IN_CLUSTER: Final = "https://kubernetes.default.svc"


_POD: Final = "authentication.kubernetes.io/pod-name"


class User(NamedTuple):
    """Who a token belongs to: ``system:serviceaccount:<namespace>:<name>``, and the pod that it was made for."""

    name: str
    pod: str | None = None


_Key = tuple[bytes, str]
"""A token's hash, and the audience."""


class _Answer(NamedTuple):
    user: User | None
    until: float


class TokenReviewer:
    """``api_server`` is its URL; ``account`` the folder with the process's own token and the ca.crt of its CA."""

    def __init__(self, api_server: str, account: Path = _ACCOUNT) -> None:
        self._url = f"{api_server}/apis/authentication.k8s.io/v1/tokenreviews"
        self._account = account
        self._authority = ReloadingFile(account / "ca.crt", client_context)
        self._accepted: dict[_Key, _Answer] = {}
        self._refused: dict[_Key, _Answer] = {}
        self._turn = asyncio.Semaphore(_MAX_ASKING)
        self._turn_to_renew = asyncio.Semaphore(_MAX_RENEWING)
        self._asking: dict[_Key, asyncio.Task[User | None]] = {}
        self._renewing: dict[_Key, asyncio.Task[User | None]] = {}
        self._waiting_of = Counter[str]()

    async def user(self, token: str, audience: str, peer: str = "") -> User | None:
        """Return whose token it is, or None when it is no good.

        One that itself says that it is for somebody else is not asked about. ``peer`` is the address that it came from.

        Raises
        ------
        UnavailableError
            When the API server cannot be asked, or too much is asked already.
        """
        if not says_audience(token, audience):
            return None
        key = (hashlib.sha256(token.encode("utf-8", "replace")).digest(), audience)
        now = time.monotonic()
        good, bad = self._accepted.get(key), self._refused.get(key)
        if good is not None and now < good.until + _STALE_S:
            if now < good.until - _RENEWED_BEFORE_S:
                return good.user
            task = self._renew(key, token, audience)
            return good.user if now < good.until else await self._renewed(good, task)
        if bad is not None and now < bad.until:
            return None
        return await asyncio.shield(self._asking.get(key) or self._begin(key, token, audience, peer))

    def _renew(self, key: _Key, token: str, audience: str) -> asyncio.Task[User | None]:
        task = self._renewing.get(key)
        if task is None:
            task = asyncio.create_task(self._ask(self._turn_to_renew, key, token, audience))
            self._renewing[key] = task
            task.add_done_callback(lambda _: self._renewing.pop(key, None))
        return task

    async def _renewed(self, good: _Answer, task: asyncio.Task[User | None]) -> User | None:
        try:
            return await asyncio.shield(task)
        except UnavailableError:
            return good.user

    def _begin(self, key: _Key, token: str, audience: str, peer: str) -> asyncio.Task[User | None]:
        if len(self._asking) >= _MAX_WAITING or self._waiting_of[peer] >= _MAX_WAITING_OF_PEER:
            raise UnavailableError("TokenReviewFailed", "too many tokens are being asked about; try again")
        task = self._asking[key] = asyncio.create_task(self._ask(self._turn, key, token, audience))
        self._waiting_of[peer] += 1

        def done(_: object) -> None:
            del self._asking[key]
            self._waiting_of[peer] -= 1
            if not self._waiting_of[peer]:
                del self._waiting_of[peer]

        task.add_done_callback(done)
        return task

    async def _ask(self, turn: asyncio.Semaphore, key: _Key, token: str, audience: str) -> User | None:
        async with turn:
            user = await self._review(token, audience)
        self._accepted.pop(key, None)
        self._refused.pop(key, None)
        answers, for_s = (self._accepted, ACCEPTED_S) if user else (self._refused, REFUSED_S)
        if len(answers) >= _MAX_REMEMBERED:
            answers.pop(next(iter(answers)))
        answers[key] = _Answer(user, time.monotonic() + for_s)
        return user

    def _tls(self) -> ssl.SSLContext | bool:
        return self._authority.current() if self._authority.path.exists() else True

    async def _review(self, token: str, audience: str) -> User | None:
        body = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenReview",
            "spec": {"token": token, "audiences": [audience]},
        }
        try:
            own = (self._account / "token").read_text().strip()
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_TIMEOUT_S)) as session,
                session.post(
                    self._url,
                    json=body,
                    ssl=self._tls(),
                    headers={"Authorization": f"Bearer {own}"},
                    allow_redirects=False,
                ) as answer,
            ):
                if answer.status not in {200, 201}:
                    raise UnavailableError("TokenReviewFailed", f"the API server answered {answer.status}")
                status = (await answer.json()).get("status", {})
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise UnavailableError("TokenReviewFailed", "the API server cannot be asked about the token") from error
        if not status.get("authenticated") or audience not in status.get("audiences", []):
            return None
        user = status.get("user", {})
        name = str(user.get("username", ""))
        pods = (user.get("extra") or {}).get(_POD) or [None]
        return User(name, pods[0]) if name else None
