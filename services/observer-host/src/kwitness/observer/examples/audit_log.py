"""An audit log: who asked for what, and what the answer was, as JSON lines on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from kwitness.observer.interface import Observer
from kwitness.observer.views import ApiKey, Request, Response

__all__ = ["AuditLog"]


class AuditLog(Observer):
    """Writes a line for each request and each response; the key ``audit`` tells them from the host's own lines.

    Its one setting is ``apis``: Kafka's names between commas, such as ``Produce,DeleteTopics``; by default all.
    """

    def __init__(self) -> None:
        self._apis: frozenset[str] = frozenset()

    @override
    def configure(self, config: Mapping[str, str]) -> None:
        unknown = sorted(config.keys() - {"apis"})
        if unknown:
            raise ValueError(f"there is no setting {unknown[0]}: remove it, or write apis")
        self._apis = frozenset(name.strip() for name in config.get("apis", "").split(",") if name.strip())

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
        self._write(
            "request",
            request,
            {
                "principal": principal,
                "client_address": client_address,
                "client_id": request.identity.client_id,
                "api_version": api_version,
                "correlation_id": correlation_id,
                "topics": list(request.topics),
            },
        )

    @override
    def record_response(self, response: Response, api_version: int, correlation_id: str) -> None:
        self._write(
            "response",
            response,
            {
                "correlation_id": correlation_id,
                "errors": dict(response.errors),
                "response_time_us": response.response_time_us,
            },
        )

    @override
    def close(self, timeout: float) -> None:
        sys.stdout.flush()

    def _write(self, kind: str, message: Request | Response, told: dict[str, Any]) -> None:
        if self._apis and message.api_key.name not in self._apis:
            return
        line = {"audit": kind, "occurred_at_ms": message.occurred_at_ms, "api": message.api_key.name}
        known = {name: value for name, value in told.items() if value is not None}
        # In one piece: other threads write to standard output too.
        sys.stdout.write(json.dumps({**line, **known}) + "\n")
