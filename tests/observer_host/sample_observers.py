"""Classes as somebody else would write them, good and bad; the host finds them by name."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from typing_extensions import override

from kwitness.observer import ApiKey, Observer, Request, Response


class Silent(Observer):
    """Takes everything and returns nonsense."""

    @override
    def record_request(
        self,
        request: Request,
        client_address: str | None,
        principal: str | None,
        api_key: ApiKey,
        api_version: int,
        correlation_id: str,
    ) -> Any:
        return self

    @override
    def record_response(self, response: Response, api_version: int, correlation_id: str) -> Any:
        return object()


class Written(Silent):
    """Appends what it is called with to the file that it is configured with."""

    @override
    def configure(self, config: Mapping[str, str]) -> None:
        self._file = Path(config["file"])

    def _note(self, *said: object) -> None:
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(said) + "\n")

    @override
    def record_request(
        self,
        request: Request,
        client_address: str | None,
        principal: str | None,
        api_key: ApiKey,
        api_version: int,
        correlation_id: str,
    ) -> None:
        self._note("request", request.connection_id, request.occurred_at_ms, principal, api_key.name)

    @override
    def record_response(self, response: Response, api_version: int, correlation_id: str) -> None:
        self._note("response", response.connection_id, response.occurred_at_ms)

    @override
    def close(self, timeout: float) -> None:
        self._note("close", timeout)


class Raising(Silent):
    """Raises at each request, and ends the process as far as it can at each response."""

    @override
    def record_request(
        self,
        request: Request,
        client_address: str | None,
        principal: str | None,
        api_key: ApiKey,
        api_version: int,
        correlation_id: str,
    ) -> None:
        raise RuntimeError("no table for\nthis topic")

    @override
    def record_response(self, response: Response, api_version: int, correlation_id: str) -> None:
        sys.exit("enough")


class Hanging(Silent):
    """Never returns from its first call, until the test releases it."""

    released = threading.Event()

    @override
    def record_request(
        self,
        request: Request,
        client_address: str | None,
        principal: str | None,
        api_key: ApiKey,
        api_version: int,
        correlation_id: str,
    ) -> None:
        self.released.wait()


class RaisingOnClose(Silent):
    """Cannot be closed."""

    @override
    def close(self, timeout: float) -> None:
        raise OSError("disk full")


class WithArguments(Silent):
    """Wants arguments."""

    def __init__(self, table: str) -> None:
        self.table = table


class HalfWritten(Observer):
    """Lacks a method."""

    @override
    def record_response(self, response: Response, api_version: int, correlation_id: str) -> None:
        """Take it."""


class Demanding(Silent):
    """Wants a setting."""

    @override
    def configure(self, config: Mapping[str, str]) -> None:
        if "table" not in config:
            raise ValueError("no table: set table")


class BrokenConstructor(Silent):
    """Cannot be made."""

    def __init__(self) -> None:
        raise ConnectionError("nobody answers")


class NoObserver:
    """Has nothing to do with it."""


a_function = print
