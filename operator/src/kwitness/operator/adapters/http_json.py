"""JSON from and to our own components inside the cluster, with a token for the one that is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import aiohttp

from kwitness.operator.adapters.own_tokens import OwnTokens
from kwitness.operator.adapters.trusted_authorities import NoCertificateError, trusting
from kwitness.operator.model.errors import TransientError

__all__ = ["JsonReader", "outside_session"]

_TIMEOUT: Final = aiohttp.ClientTimeout(total=5)
"""Seconds; the answer is in memory there, and a status can wait for the next round."""

_MOST_BYTES: Final = 4 * 1024 * 1024
"""Bytes of an answer; more would be a fault of the other side, and memory here is small."""

_MOST_CONTEXTS: Final = 64
"""CA certificates whose contexts are kept: with a new context each question opens a connection."""


def outside_session() -> aiohttp.ClientSession:
    """A session for questions to collectors and drivers, which carries no sign-in and decompresses nothing."""
    return aiohttp.ClientSession(trust_env=False, auto_decompress=False)


class JsonReader:
    """Reads one kind of endpoint; ``reason`` goes into errors.

    The other side may be anybody's pod, so nothing that it sends is believed: ``session`` is an `outside_session`, and
    at most 4 MiB are read.
    """

    def __init__(self, session: aiohttp.ClientSession, tokens: OwnTokens, reason: str) -> None:
        self._session = session
        self._tokens = tokens
        self._reason = reason
        self._context = lru_cache(_MOST_CONTEXTS)(trusting)

    async def get(self, url: str, *, audience: str, ca_certificates: str | None = None) -> Any:
        """Return the JSON at ``url``, or None for 404.

        ``audience`` is that of the target, so that the token sent to it is worth nothing to any other.
        ``ca_certificates`` is PEM text; None means the system's.

        Raises
        ------
        TransientError
            When nothing useful was answered, or ``ca_certificates`` holds no certificate.
        KubernetesUnavailableError
            When no token can be had.
        """
        token = await self._tokens.token_for(audience)
        try:
            async with self._session.get(
                url,
                # Nothing is decompressed here: a few kilobytes could become gigabytes.
                headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"},
                ssl=self._context(ca_certificates),
                timeout=_TIMEOUT,
                allow_redirects=False,
            ) as response:
                if response.status == 404:  # noqa: PLR2004
                    return None
                if response.status != 200:  # noqa: PLR2004
                    raise TransientError(self._reason, f"{url} answered {response.status}; see its pods' logs")
                return json.loads(await self._body(url, response))
        except (aiohttp.ClientError, TimeoutError, ValueError, RecursionError, OSError) as error:
            raise self._silent(url, error) from error

    async def put(
        self, url: str, body: Mapping[str, Any], *, audience: str, ca_certificates: str | None = None
    ) -> None:
        """Send JSON to ``url``; what is answered beside success is not read. Parameters and errors as `get`."""
        token = await self._tokens.token_for(audience)
        try:
            async with self._session.put(
                url,
                json=body,
                headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"},
                ssl=self._context(ca_certificates),
                timeout=_TIMEOUT,
                allow_redirects=False,
            ) as response:
                if response.status != 200:  # noqa: PLR2004
                    raise TransientError(self._reason, f"{url} answered {response.status}; see its pods' logs")
        except (aiohttp.ClientError, TimeoutError, ValueError, OSError) as error:
            raise self._silent(url, error) from error

    def _silent(self, url: str, error: Exception) -> TransientError:
        if isinstance(error, NoCertificateError):
            why = "ca.crt of spec.ingest.tls.caConfigMapRef holds no PEM certificate: put the authority's there"
            return TransientError(self._reason, f"{url} is not asked: {why}")
        return TransientError(
            self._reason, f"{url} does not answer ({type(error).__name__}); see its pods and their logs"
        )

    async def _body(self, url: str, response: aiohttp.ClientResponse) -> bytes:
        """All of the answer, however it comes: what its head says of its length is not believed."""
        body = bytearray()
        async for piece in response.content.iter_any():
            body += piece
            if len(body) > _MOST_BYTES:
                raise TransientError(self._reason, f"{url} answered more than {_MOST_BYTES} bytes; see its pods")
        return bytes(body)
