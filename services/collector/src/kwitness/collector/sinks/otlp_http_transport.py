"""Sends requests over HTTP.

Source: OTLP specification 1.x, "OTLP/HTTP": 429, 502, 503 and 504 may be tried again, everything else may not.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import aiohttp
from yarl import URL

from kwitness.collector.compression import compress
from kwitness.collector.sinks.otlp_transport import TIMEOUT_S, AddressDeniedError, Answer, check_address
from kwitness.collector.tls import client_context
from kwitness.contracts.collector_config import ForwardConfig
from kwitness.contracts.denied_addresses import DeniedAddresses
from kwitness.runtime.reloading import ReloadingFile

_RETRYABLE: Final = frozenset({429, 502, 503, 504})
_BAD: Final = frozenset({400, 413})
_HEADERS: Final = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}


class HttpTransport:
    """The one connection to the outside: by the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name."""

    def __init__(self, config: ForwardConfig, denied: DeniedAddresses) -> None:
        self._endpoint = config.endpoint
        self._denied = denied
        self._system_tls = ssl.create_default_context()
        self._tls_context = ReloadingFile(Path(config.ca_file), client_context) if config.ca_file else None
        self._session: aiohttp.ClientSession | None = None

    async def export(self, request: bytes, headers: Mapping[str, str]) -> Answer:
        """See `Transport.export`."""
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=1, socket_factory=self._socket)
            timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
            self._session = aiohttp.ClientSession(timeout=timeout, connector=connector, trust_env=True)
        try:
            # A proxy would dial an address in the URL itself without `_socket`.
            check_address(URL(self._endpoint).host or "", self._denied)
            # A redirect could carry the headers to a host that the Secret does not name.
            async with self._session.post(
                self._endpoint,
                data=compress(request),
                headers={**_HEADERS, **headers},
                ssl=self._system_tls if self._tls_context is None else self._tls_context.current(),
                allow_redirects=False,
            ) as answer:
                if answer.status in _RETRYABLE:
                    after = answer.headers.get("Retry-After", "")
                    return Answer("again", float(after) if after.isdecimal() else 0.0)
                # The answer is small; what a hostile one sends beyond the first piece does not matter.
                content, status = await answer.content.readany(), answer.status
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            is_denied = isinstance(error, AddressDeniedError) or isinstance(error.__cause__, AddressDeniedError)
            # A CA certificate that cannot be read is repaired like an endpoint that is away: by waiting.
            return Answer("denied" if is_denied else "again")
        if status == 200:  # noqa: PLR2004 - the one status of success that OTLP knows
            return Answer("accepted", content=content)
        return Answer("bad" if status in _BAD else "refused", content=content, status=str(status))

    def _socket(self, found: aiohttp.AddrInfoType) -> socket.socket:
        """Make a socket for an address that is about to be dialed."""
        family, kind, protocol, _, address = found
        check_address(str(address[0]), self._denied)
        return socket.socket(family, kind, protocol)

    async def close(self) -> None:
        """See `Transport.close`."""
        if self._session is not None:
            await self._session.close()
