"""A small OpenID provider over TLS: it signs people in without asking, and can be told to lie."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from yarl import URL

from kwitness.e2e.certificates import Authority

CLIENT = "kwitness console"
SECRET = "p+ss word"


def new_key() -> RSAKey:
    return RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256"}, auto_kid=True)


class OpenIdProvider:
    """The provider, in a thread of its own.

    Attributes
    ----------
    person
        Claims of the person who signs in next.
    change
        Changes the claims of a token before it is signed.
    sign
        Makes the token of claims.
    answers
        Answers by path instead of the right ones: a status and an object.
    """

    def __init__(self, folder: Path) -> None:
        authority = Authority("login")
        certificate = authority.issue("provider", ["localhost", "127.0.0.1"])
        self.ca_file, files = folder / "ca.crt", (folder / "tls.crt", folder / "tls.key")
        self.ca_file.write_text(authority.certificate)
        for file, text in zip(files, (certificate.certificate, certificate.key), strict=True):
            file.write_text(text)
        self._tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._tls.load_cert_chain(*files)
        self._loop = asyncio.new_event_loop()
        self._port: asyncio.Future[int] = asyncio.Future(loop=self._loop)
        self._ready = threading.Event()
        self._ended: asyncio.Event
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()))
        self._codes: dict[str, dict[str, str]] = {}
        self.key = new_key()
        self.requests: list[str] = []
        self.reset()

    def reset(self) -> None:
        """Be honest again."""
        self.person: dict[str, Any] = {"sub": "ann", "groups": ["red-team"]}
        self.change: Callable[[dict[str, Any]], dict[str, Any]] = dict
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        self.answers: dict[str, tuple[int, Any]] = {}
        self.requests.clear()

    def start(self) -> OpenIdProvider:
        self._thread.start()
        self._ready.wait()
        return self

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    def close(self) -> None:
        """Take no more connections, and end those there are."""

        async def end() -> None:
            await self._site.stop()
            server = self._runner.server
            for connection in server.connections if server else ():
                if connection.transport is not None:
                    connection.transport.abort()

        asyncio.run_coroutine_threadsafe(end(), self._loop).result()

    def listen(self) -> None:
        """Take connections again."""
        asyncio.run_coroutine_threadsafe(self._listen(self._port.result()), self._loop).result()

    @property
    def issuer(self) -> str:
        return f"https://localhost:{self._port.result()}"

    def signed(self, claims: dict[str, Any]) -> str:
        """Return the token of claims, signed by the provider's key."""
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    def authorize(self, address: str) -> URL:
        """Return where a browser is sent from the page to sign in, with a code and the state."""
        url = URL(address)
        query = dict(url.query)
        assert str(url.with_query(None)) == f"{self.issuer}/authorize"
        assert (query["client_id"], query["response_type"]) == (CLIENT, "code")
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = secrets.token_urlsafe(16)
        self._codes[code] = query
        return URL(query["redirect_uri"]).with_query(code=code, state=query["state"])

    async def _serve(self) -> None:
        self._ended = asyncio.Event()
        app = web.Application()
        app.router.add_get("/.well-known/openid-configuration", self._described)
        app.router.add_get("/keys", self._keys)
        app.router.add_post("/token", self._token)
        runner = web.AppRunner(app)
        await runner.setup()
        self._runner = runner
        await self._listen(0)
        self._port.set_result(runner.addresses[0][1])
        self._ready.set()
        await self._ended.wait()
        await runner.cleanup()

    async def _listen(self, port: int) -> None:
        self._site = web.TCPSite(self._runner, "127.0.0.1", port, ssl_context=self._tls, reuse_address=True)
        await self._site.start()

    def _answer(self, path: str, value: dict[str, Any]) -> web.Response:
        self.requests.append(path)
        status, body = self.answers.get(path, (200, value))
        headers = {"Location": f"{self.issuer}{path}?again"} if status in {302, 307} else {}
        return web.json_response(body, status=status, headers=headers)

    async def _described(self, _: web.Request) -> web.Response:
        issuer = self.issuer
        found = {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "jwks_uri": f"{issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }
        return self._answer("/description", found)

    async def _keys(self, _: web.Request) -> web.Response:
        return self._answer("/keys", dict(KeySet([self.key]).as_dict(private=False)))

    async def _token(self, request: web.Request) -> web.Response:
        form = {name: values[0] for name, values in parse_qs(await request.text()).items()}
        known = f"Basic {base64.b64encode(b'kwitness+console:p%2Bss+word').decode()}"
        if request.headers.get("Authorization") != known:
            return web.json_response({"error": "invalid_client"}, status=401)
        flow = self._codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if (
            flow is None
            or flow["code_challenge"] != challenge.decode().rstrip("=")
            or flow["redirect_uri"] != form.get("redirect_uri")
        ):
            return web.json_response({"error": "invalid_grant", "error_description": "no"}, status=400)
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 600, "nonce": flow["nonce"]}
        token = self.sign(self.change({**claims, **self.person}))
        return self._answer("/token", {"access_token": "a", "token_type": "Bearer", "id_token": token})
