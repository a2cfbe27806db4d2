"""Asks the API server who a token belongs to (authentication.k8s.io/v1 TokenReview), and remembers the answer."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
import time
from pathlib import Path
from typing import Final, NamedTuple

import aiohttp

from kwitness.collector.failures import UnavailableError
from kwitness.collector.tls import client_context
from kwitness.contracts.audiences import says_audience
from kwitness.runtime.reloading import ReloadingFile

ACCEPTED_S: Final = 60.0
"""How long a good answer is used: a revoked token is refused after this much at the latest."""
REFUSED_S: Final = 10.0
_MAX_REMEMBERED: Final = 4_096
"""Good answers, and as many bad ones beside them: who invents tokens pushes out nobody's."""
_MAX_ASKING: Final = 8
"""Questions to the API server at once."""
_MAX_WAITING: Final = 256
"""Questions that may wait for their turn."""
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
        self._asking: dict[_Key, asyncio.Task[User | None]] = {}

    async def user(self, token: str, audience: str) -> User | None:
        """Return whose token it is, or None when it is no good.

        One that itself says that it is for somebody else is not asked about.

        Raises
        ------
        UnavailableError
            When the API server cannot be asked, or too much is asked already.
        """
        if not says_audience(token, audience):
            return None
        key = (hashlib.sha256(token.encode("utf-8", "replace")).digest(), audience)
        known = self._accepted.get(key) or self._refused.get(key)
        if known is not None and known.until > time.monotonic():
            return known.user
        task = self._asking.get(key)
        if task is None:
            if len(self._asking) >= _MAX_WAITING:
                raise UnavailableError("TokenReviewFailed", "too many tokens are being asked about; try again")
            task = self._asking[key] = asyncio.create_task(self._ask(token, audience))
            task.add_done_callback(lambda _: self._asking.pop(key, None))
        user = await asyncio.shield(task)
        self._accepted.pop(key, None)
        self._refused.pop(key, None)
        answers, for_s = (self._accepted, ACCEPTED_S) if user else (self._refused, REFUSED_S)
        if len(answers) >= _MAX_REMEMBERED:
            answers.pop(next(iter(answers)))
        answers[key] = _Answer(user, time.monotonic() + for_s)
        return user

    async def _ask(self, token: str, audience: str) -> User | None:
        async with self._turn:
            return await self._review(token, audience)

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
