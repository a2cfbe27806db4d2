"""The way to the collector of a running `kwitness try`: plaintext on loopback, and the token of its session."""

from __future__ import annotations

import http.client
from typing import Final

from kwitness.sandbox.session import Session

__all__ = ["LocalRoute"]

_TIMEOUT_S: Final = 30


class LocalRoute:
    """The way to the collector of a session; see `CollectorRoute`."""

    name: Final = "of `kwitness try`"

    def __init__(self, session: Session) -> None:
        self._session = session

    def connect(self) -> http.client.HTTPConnection:
        """A connection to loopback, which is opened with the first request."""
        host, _, port = self._session.collector_address.rpartition(":")
        return http.client.HTTPConnection(host, int(port), timeout=_TIMEOUT_S)

    def token(self) -> str:
        """The session's reader token."""
        return self._session.reader_token

    def explain(self, error: Exception) -> str:
        """Name the process that runs the collector."""
        return (
            f"the collector {self.name} does not answer ({error or type(error).__name__}): see the terminal of process "
            f"{self._session.pid}, or start it again"
        )
