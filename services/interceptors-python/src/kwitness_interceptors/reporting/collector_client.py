"""One request to the collector, over a connection of its own; token and authority are read again for each."""

from __future__ import annotations

import gzip
import http.client
import re
import ssl
from pathlib import Path
from typing import Optional
from urllib.parse import urlsplit

from kwitness_interceptors.settings import Collector

__all__ = ["post_events"]

_TIMEOUT_S = 10.0
_LONGEST_ANSWER = 1 << 20
_LONGEST_TOKEN = 65_536
_TOKEN = re.compile(rb"[!-~]+")


def post_events(to: Collector, ordinal: int, body: bytes) -> tuple[int, bytes]:
    """Post a body to the replica with this ordinal; return the status and the answer's body.

    Raises
    ------
    OSError, http.client.HTTPException, ValueError
        There is no connection, no whole answer in time, or the token or the authority cannot be read.
    """
    url = urlsplit(to.url.replace("{ordinal}", str(ordinal)))
    headers = {
        "Authorization": f"Bearer {_token(to.token_file)}",
        "Content-Type": "application/x-ndjson",
        "Content-Encoding": "gzip",
        "Kwitness-Protocol": "2",
        "Kwitness-Owner": str(ordinal),
    }
    connection = _connection(url.scheme, url.hostname or "", url.port, to)
    try:
        connection.request("POST", f"{url.path.rstrip('/')}/v1/events", gzip.compress(body, 1), headers)
        response = connection.getresponse()
        answer = response.read(_LONGEST_ANSWER + 1)
        if len(answer) > _LONGEST_ANSWER:
            raise http.client.HTTPException("the answer is longer than 1 MiB")
        return response.status, answer
    finally:
        connection.close()


def _token(name: str) -> str:
    """Read the token; what http.client says of a header that it refuses would have the token in it."""
    with Path(name).open("rb") as file:
        token = file.read(_LONGEST_TOKEN).strip()
    if _TOKEN.fullmatch(token) is None:
        raise ValueError(f"{name} has no token that a header can hold: have it written again")
    return token.decode("ascii")


def _connection(scheme: str, host: str, port: Optional[int], to: Collector) -> http.client.HTTPConnection:
    if scheme == "https":
        context = ssl.create_default_context(cafile=to.ca_file)
        # Python 3.13 sets it, and then refuses certificates without key identifiers, which all other senders accept.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        return http.client.HTTPSConnection(host, port, timeout=_TIMEOUT_S, context=context)
    return http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
