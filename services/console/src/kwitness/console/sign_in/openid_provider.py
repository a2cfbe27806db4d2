"""Asks an OpenID provider: where people sign in, for the token of a code, and for the keys that sign tokens."""

from __future__ import annotations

import asyncio
import base64
import re
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote_plus

import aiohttp
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from yarl import URL

from kwitness.console.sign_in.bounded_answers import read_json
from kwitness.console.sign_in.oidc_flow import Flow
from kwitness.console.sign_in.settings import OidcSettings, is_secure

__all__ = ["CodeRefusedError", "OpenIdProvider", "ProviderUnavailableError"]

_TIMEOUT: Final = aiohttp.ClientTimeout(total=5)
_ANSWER_BYTES: Final = 256 * 1024
_MAX_KEYS: Final = 100
_DESCRIBED_S: Final = 3_600.0
_PROBLEM_S: Final = 5.0
"""How long a description that failed is not read again: strangers may begin sign-ins."""
_OK: Final = 200
_REFUSED: Final = (400, 401)
_ERROR: Final = re.compile(r"[a-z_]{1,64}")


class ProviderUnavailableError(Exception):
    """The provider gave no usable answer; the message is the reason."""


class CodeRefusedError(Exception):
    """The provider gave no token for a code: it was used before, is too old, or is not its own."""


class OpenIdProvider:
    """The provider of an issuer.

    Parameters
    ----------
    redirect_address
        Address of the console to which browsers return with a code.
    """

    def __init__(self, settings: OidcSettings, session: aiohttp.ClientSession, redirect_address: str) -> None:
        self._settings = settings
        self._session = session
        self._redirect_address = redirect_address
        self._described: Mapping[str, Any] | ProviderUnavailableError = {}
        self._describing = asyncio.Lock()
        self._described_until = 0.0
        self._keys: KeySet | None = None

    @classmethod
    @asynccontextmanager
    async def opened(cls, settings: OidcSettings, redirect_address: str) -> AsyncIterator[OpenIdProvider]:
        """Open a session to the provider until the block ends.

        Raises
        ------
        OSError
            The file with its CA certificates cannot be read, or has none.
        """
        context = ssl.create_default_context(cafile=settings.ca_file)
        connector = aiohttp.TCPConnector(ssl=context)
        async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:
            yield cls(settings, session, redirect_address)

    async def address(self, flow: Flow) -> str:
        """Return the address at which a person signs in.

        Raises
        ------
        ProviderUnavailableError
            The provider gave no usable answer.
        """
        query = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": self._redirect_address,
            "scope": " ".join(dict.fromkeys(("openid", *self._settings.scopes))),
            "state": flow.state,
            "nonce": flow.nonce,
            "code_challenge": flow.challenge,
            "code_challenge_method": "S256",
        }
        return str(URL(await self._endpoint("authorization_endpoint")).update_query(query))

    async def id_token(self, code: str, flow: Flow) -> str:
        """Return the ID token of a code, unchecked.

        Raises
        ------
        CodeRefusedError
            The provider does not accept the code.
        ProviderUnavailableError
            The provider gave no usable answer.
        """
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_address,
            "code_verifier": flow.verifier,
            "client_id": self._settings.client_id,
        }
        headers = {"Accept": "application/json"}
        if self._settings.client_secret_file is not None:
            secret = _secret_in(self._settings.client_secret_file)
            if await self._is_secret_in_header():
                headers["Authorization"] = _basic(self._settings.client_id, secret)
            else:
                form["client_secret"] = secret
        answer = await self._request("POST", await self._endpoint("token_endpoint"), data=form, headers=headers)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise ProviderUnavailableError("its answer to the code has no ID token: request the scope openid")
        return token

    async def keys(self, *, again: bool = False) -> KeySet:
        """Return the keys that sign tokens; with `again` not those that are known.

        Raises
        ------
        ProviderUnavailableError
            The provider gave no usable answer.
        """
        if self._keys is None or again:
            answer = await self._request("GET", await self._endpoint("jwks_uri"))
            found = answer.get("keys")
            if not isinstance(found, list) or len(found) > _MAX_KEYS:
                raise ProviderUnavailableError(f"its key set is no list of {_MAX_KEYS} keys at most")
            try:
                self._keys = KeySet.import_key_set({"keys": found})
            except (JoseError, ValueError, KeyError, TypeError) as error:
                raise ProviderUnavailableError(f"its key set cannot be read ({type(error).__name__})") from error
        return self._keys

    async def _is_secret_in_header(self) -> bool:
        """Return whether the secret goes into the header `Authorization`, as it does where nothing else is known."""
        methods = (await self._description()).get("token_endpoint_auth_methods_supported")
        return not isinstance(methods, list) or "client_secret_basic" in methods

    async def _endpoint(self, name: str) -> str:
        address = (await self._description()).get(name)
        if not isinstance(address, str) or not is_secure(address):
            raise ProviderUnavailableError(f"its description has no {name} that begins with https://")
        return address

    async def _description(self) -> Mapping[str, Any]:
        async with self._describing:
            if time.monotonic() >= self._described_until:
                try:
                    self._described, seconds = await self._newest_description(), _DESCRIBED_S
                except ProviderUnavailableError as error:
                    self._described, seconds = error, _PROBLEM_S
                self._described_until = time.monotonic() + seconds
        if isinstance(self._described, ProviderUnavailableError):
            raise ProviderUnavailableError(str(self._described))
        return self._described

    async def _newest_description(self) -> Mapping[str, Any]:
        issuer = self._settings.issuer
        found = await self._request("GET", f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != issuer:
            raise ProviderUnavailableError(f"it describes another issuer than {issuer}: settings have to name its own")
        return found

    async def _request(self, method: str, url: str, **more: Any) -> dict[str, Any]:
        try:
            async with self._session.request(method, url, timeout=_TIMEOUT, allow_redirects=False, **more) as answer:
                if method == "POST" and answer.status in _REFUSED:
                    raise _refusal(await read_json(answer, _ANSWER_BYTES))
                if answer.status != _OK:
                    raise ProviderUnavailableError(f"it answered {answer.status} to {URL(url).path}")
                return await read_json(answer, _ANSWER_BYTES)
        except aiohttp.ClientConnectorCertificateError as error:
            raise ProviderUnavailableError("its certificate is not trusted: name its CA in oidc.caFile") from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ProviderUnavailableError(f"it cannot be reached ({type(error).__name__})") from error
        except ValueError as error:
            raise ProviderUnavailableError(str(error)) from error


def _refusal(answer: Mapping[str, Any]) -> Exception:
    """Return the error of a refused code, or of a client that the provider does not know (RFC 6749, section 5.2)."""
    error = str(answer.get("error"))
    if error == "invalid_grant":
        return CodeRefusedError()
    reason = error if _ERROR.fullmatch(error) else "no error that has a name"
    return ProviderUnavailableError(f"it refuses the console itself ({reason}): compare oidc.clientId and its secret")


def _secret_in(file: Path) -> str:
    try:
        return file.read_text().strip()
    except (OSError, ValueError) as error:
        raise ProviderUnavailableError("the secret of the console's own client cannot be read from its file") from error


def _basic(client_id: str, secret: str) -> str:
    """Return the header of RFC 6749, section 2.3.1, which encodes both as forms do."""
    return f"Basic {base64.b64encode(f'{quote_plus(client_id)}:{quote_plus(secret)}'.encode()).decode()}"
