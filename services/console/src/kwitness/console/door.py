"""Lets one browser in: by a code that is used once, then by a cookie; everything else is refused with a remedy.

The console listens on loopback, where every program and web page of this machine can connect. A page of another site
cannot use its cookie (SameSite=Strict), and no name that resolves to loopback is answered (`Host`).
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Final, Protocol
from urllib.parse import quote

from aiohttp import web

from kwitness.console.readers import Reader

__all__ = [
    "CODE_PATH",
    "READER",
    "SAFE_METHODS",
    "SIGN_OUT",
    "TOKEN",
    "Door",
    "Guard",
    "Handler",
    "RefusedError",
    "inner_address",
]

CODE_PATH: Final = "/enter"
_BYTES: Final = 32
READER: Final = web.RequestKey("reader", Reader)
"""Names the reader in each request that was let in."""
TOKEN: Final = web.RequestKey("token", str)
"""Names the token with which that person can write in a cluster, in requests that have one."""
SIGN_OUT: Final = web.RequestKey("sign_out_path", str)
"""Names the address of the form that ends a request's session, in requests that have one."""
SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
_MAX_ADDRESS: Final = 2_048
_INNER: Final = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")
"""An address within the console; a backslash would begin one of another site."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class RefusedError(Exception):
    """A request that is not let in; the message is a sentence and a remedy, below a title."""

    def __init__(self, message: str, *, title: str = "Not let in", status: int = 403) -> None:
        super().__init__(message)
        self.title, self.status = title, status


class Guard(Protocol):
    """A door: lets requests in, each with its `READER`, and in a cluster with its `TOKEN`."""

    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a request itself, or name who it is of and return the handler's answer.

        Raises
        ------
        RefusedError
            The request is not let in.
        """
        ...


class Door:
    """The code and the cookie of one run.

    Parameters
    ----------
    port
        Port that the console listens on, part of the names that it answers.

    Attributes
    ----------
    reader
        The person who is let in. A laptop's collector answers with that person's own permissions, so nothing is hidden.
    """

    def __init__(self, port: int) -> None:
        self._code: str | None = secrets.token_urlsafe(_BYTES)
        self._cookie = secrets.token_urlsafe(_BYTES)
        self._cookie_name = f"kwitness-console-{port}"
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"})
        self.reader = Reader("the person who started the console", None)
        self.address = f"http://127.0.0.1:{port}"

    @property
    def entrance(self) -> str:
        """The address that lets a browser in, once."""
        return f"{self.address}{CODE_PATH}?code={self._code}"

    def entrance_to(self, address: str) -> str:
        """Return the address that lets a browser in, once, and shows it that page of the console."""
        return f"{self.entrance}&to={quote(address, safe='')}"

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests without the cookie, under other names, or from other sites.

        Raises
        ------
        RefusedError
            The request is not let in.
        """
        if request.headers.get("Host", "") not in self._hosts:
            raise RefusedError(f"The console answers under {self.address} alone: open that address.")
        if request.path == CODE_PATH:
            return self._enter(request)
        if not _equal(request.cookies.get(self._cookie_name, ""), self._cookie):
            raise RefusedError(
                "This browser has not been let in: open the address that the terminal of kwitness console shows. "
                "It can be used once; for another browser, start kwitness console again."
            )
        if request.method not in SAFE_METHODS and request.headers.get("Origin", "") not in {
            f"http://{host}" for host in self._hosts
        }:
            raise RefusedError("A form of another site was sent here: use the forms of the console.")
        request[READER] = self.reader
        return await handler(request)

    def _enter(self, request: web.Request) -> web.Response:
        if request.method != "GET" or self._code is None or not _equal(request.query.get("code", ""), self._code):
            raise RefusedError(
                "This address was used before, or is of another run: go to the browser that it was opened in, or start "
                "kwitness console again."
            )
        self._code = None
        response = web.Response(status=303, headers={"Location": inner_address(request.query.get("to"))})
        response.set_cookie(self._cookie_name, self._cookie, httponly=True, samesite="Strict", path="/")
        return response


def _equal(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), expected.encode())


def inner_address(text: object) -> str:
    """Return an address to go back to if it is one of the console, else that of its first page."""
    is_inner = isinstance(text, str) and len(text) <= _MAX_ADDRESS and _INNER.fullmatch(text) is not None
    return str(text) if is_inner else "/"
