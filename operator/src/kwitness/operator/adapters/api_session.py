"""One HTTP session to the API server for kopf and for us.

kopf takes a ready session (`kopf.AiohttpSession`), so that each successful list and watch is noted here, which liveness
looks at. Bookmarks never reach kopf's handlers, so the age of the last event would say nothing about a quiet cluster.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import aiohttp

from kwitness.operator import metrics
from kwitness.runtime.api_access import ApiAccess, authorized_session

__all__ = ["WatchHealth", "open_session"]


@dataclass(slots=True)
class WatchHealth:
    """When each collection was last listed or its watch last (re)connected, by URL path, in monotonic seconds."""

    seen: dict[str, float] = field(default_factory=dict)

    def note(self, path: str, query: Mapping[str, str]) -> None:
        """Remember a successful answer if it was a list or a watch of our kinds."""
        if "/apis/kwitness.dev/" in path and ("watch" in query or "limit" in query):
            self.seen[path] = time.monotonic()
            metrics.WATCH_SUCCESS.labels(resource=path.rpartition("/")[2]).set_to_current_time()

    def stalled(self, seconds: float) -> str | None:
        """Name the collection that was neither listed nor watched for ``seconds``, or None."""
        now = time.monotonic()
        late = {path: now - when for path, when in self.seen.items() if now - when > seconds}
        if not late:
            return None
        path, age = max(late.items(), key=lambda item: item[1])
        return f"no list or watch of {path} has succeeded for {age:.0f} s"


def open_session(access: ApiAccess, health: WatchHealth) -> aiohttp.ClientSession:
    """Open a session; whoever asked closes it."""

    def note(response: aiohttp.ClientResponse) -> None:
        if response.ok and response.method == "GET":
            health.note(response.url.path, response.url.query)

    return authorized_session(access, "kwitness-operator", note)
