"""Makes what a sign-in at an OpenID provider needs from a cookie alone, so that strangers can fill no memory.

The cookie has a random number, the time, and the address to return to, authenticated by a key of this process. State,
nonce and PKCE verifier are made of the number by the same key, so the cookie tells none of them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from typing import Final

__all__ = ["MAX_FLOW_S", "Flow", "Flows"]

MAX_FLOW_S: Final = 600
"""Seconds that a person has at the provider."""
_NUMBER_BYTES: Final = 16
_PARTS: Final = 4


@dataclass(frozen=True, slots=True)
class Flow:
    """One way to the provider and back, of one browser.

    Attributes
    ----------
    cookie
        Recognizes the browser when it returns.
    back
        Address of the console that is opened after it.
    verifier
        Of PKCE (RFC 7636); the provider gets its hash first, and then the verifier itself from the console.
    """

    cookie: str
    back: str
    state: str
    nonce: str
    verifier: str

    @property
    def challenge(self) -> str:
        """The hash of the verifier, by the method S256."""
        return _text(hashlib.sha256(self.verifier.encode()).digest())


class Flows:
    """Begins flows, and recognizes them."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def begin(self, back: str) -> Flow:
        """Return a new flow."""
        number, began = secrets.token_urlsafe(_NUMBER_BYTES), str(int(time.time()))
        return self._made(number, began, _text(back.encode()))

    def find(self, cookie: str) -> Flow | None:
        """Return the flow of a cookie; None where this process did not make it, or too long ago."""
        parts = cookie.split(".")
        if len(parts) != _PARTS:
            return None
        number, began, back, seal = parts
        if not hmac.compare_digest(
            seal.encode(errors="replace"), self._derived("cookie", number, began, back).encode()
        ):
            return None
        return self._made(number, began, back) if int(began) + MAX_FLOW_S > time.time() else None

    def _made(self, number: str, began: str, back: str) -> Flow:
        return Flow(
            cookie=".".join((number, began, back, self._derived("cookie", number, began, back))),
            back=_bytes(back).decode(),
            state=self._derived("state", number),
            nonce=self._derived("nonce", number),
            verifier=self._derived("verifier", number),
        )

    def _derived(self, *parts: str) -> str:
        return _text(hmac.digest(self._key, ".".join(parts).encode(errors="replace"), "sha256"))


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
