"""Follows changes of clients as a reader does: what it has is all clients at any time."""

from __future__ import annotations

from typing import Any

from tests.collector.collector_process import CollectorProcess


class ChangeReader:
    """Items by key, and how often an answer began again."""

    def __init__(self, collector: CollectorProcess, **parameters: str) -> None:
        self.collector = collector
        self._parameters = parameters
        self.cursor = ""
        self.items: dict[str, Any] = {}
        self.resets = 0

    def read(self) -> Any:
        """Read all changes; returns the last answer, with all items and keys of this time."""
        changed: list[dict[str, Any]] = []
        gone: list[str] = []
        while True:
            answer = self.collector.get("/v1/clients", params={**self._parameters, "since": self.cursor})
            assert answer.status == 200, answer.body
            body = answer.body
            if body["reset"]:
                self.items.clear()
                self.resets += 1
            assert len(body["items"]) + len(body["gone"]) <= int(self._parameters.get("limit", "100"))
            for key in body["gone"]:
                self.items.pop(key, None)
            self.items |= {item["key"]: item for item in body["items"]}
            self.cursor = body["since"]
            changed += body["items"]
            gone += body["gone"]
            if not body["more"]:
                return {**body, "items": changed, "gone": gone}

    def ids(self) -> list[str]:
        return sorted(item["client_instance_id"] for item in self.items.values())


def listed(collector: CollectorProcess) -> dict[str, Any]:
    """All clients as a page has them, by key."""
    body = collector.get("/v1/clients", params={"limit": "1000"}).body
    return {item["key"]: item for item in body["items"]}
