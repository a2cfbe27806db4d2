"""Describes what a person signed in with: a token for the API server, or a user whom the console itself has checked."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import time
from dataclasses import dataclass, field
from typing import Final

from kwitness.console.sign_in.reviews import User

__all__ = ["Credential"]

_PARTS: Final = 3
"""Header, claims and signature of a JSON Web Token."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A token for the API server, or a user whom the console has checked.

    Attributes
    ----------
    key
        Distinguishes credentials, and tells nothing about them.
    proof
        The token, which goes to the API server as it is; or the user whose token the console has checked.
    ends_at
        When it expires, in seconds since 1970; infinite where it does not tell.
    """

    key: bytes
    proof: str | User = field(repr=False)
    ends_at: float

    @classmethod
    def of_token(cls, token: str) -> Credential:
        """Return the credential that a token is; nothing of it is checked."""
        return cls(_key(token), token, _expiry(token))

    @classmethod
    def of_checked_user(cls, token: str, user: User, ends_at: float) -> Credential:
        """Return the credential of a user whose token the console has checked; the token is not kept."""
        return cls(_key(token), user, ends_at)

    @property
    def is_expired(self) -> bool:
        """It has expired by its own word; the API server need not review it."""
        return self.ends_at <= time.time()

    @property
    def token(self) -> str | None:
        """The token with which the person can write, if there is one."""
        return self.proof if isinstance(self.proof, str) else None


def _key(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _expiry(token: str) -> float:
    """Return when a token itself says that it expires. By that it can be refused, and never accepted."""
    parts = token.split(".")
    if len(parts) != _PARTS:
        return math.inf
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return math.inf
    expiry = claims.get("exp") if isinstance(claims, dict) else None
    return float(expiry) if isinstance(expiry, (int, float)) and not isinstance(expiry, bool) else math.inf
