"""Keeps sessions of browsers in memory, by ids that only their cookies have."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from kwitness.console.sign_in.credentials import Credential

__all__ = ["MAX_AGE_S", "MAX_OF_USER", "MAX_SESSIONS", "Session", "Sessions"]

MAX_SESSIONS: Final = 1_000
"""The session that was used longest ago ends for a new one."""
MAX_OF_USER: Final = 10
"""Sessions of one person; likewise."""
MAX_AGE_S: Final = 12 * 3_600
_ID_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Session:
    """A person in one browser, until the credential expires or the session is old."""

    credential: Credential
    name: str
    ends_at: float


class Sessions:
    """The sessions of this process: they end with it."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[bytes, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def begin(self, credential: Credential, name: str) -> str:
        """Return the id of a new session."""
        number = secrets.token_urlsafe(_ID_BYTES)
        own = [key for key, session in self._sessions.items() if session.name == name]
        for key in own[: max(0, len(own) - MAX_OF_USER + 1)]:
            del self._sessions[key]
        if len(self._sessions) >= MAX_SESSIONS:
            self._sessions.popitem(last=False)
        ends_at = min(credential.ends_at, time.time() + MAX_AGE_S)
        self._sessions[_key(number)] = Session(credential, name, ends_at)
        return number

    def find(self, number: str) -> Session | None:
        """Return a session that has not ended."""
        key = _key(number)
        session = self._sessions.get(key)
        if session is None:
            return None
        if session.ends_at <= time.time():
            del self._sessions[key]
            return None
        self._sessions.move_to_end(key)
        return session

    def end(self, number: str) -> None:
        """End a session, if it is one."""
        self._sessions.pop(_key(number), None)


def _key(number: str) -> bytes:
    """Return what a session is found by: how long that takes tells nothing about other ids."""
    return hashlib.sha256(number.encode(errors="replace")).digest()
