"""HTTP sessions to the API server, one for kopf and one for us.

kopf takes a ready session (`kopf.AiohttpSession`), so that each successful list and watch is noted here, which liveness
looks at. Bookmarks never reach kopf's handlers, so the age of the last event would say nothing about a quiet cluster.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import aiohttp

from kwitness.contracts.resources.meta import GROUP
from kwitness.operator import metrics
from kwitness.runtime.api_access import ApiAccess, authorized_session

__all__ = ["WatchHealth", "open_session"]


_GROUP_PATH: Final = f"/apis/{GROUP}/"

_REFUSALS: Final = frozenset({403, 404})
"""Answers by which a collection is out of reach: the permission is gone, or the definition of the kind."""


@dataclass(slots=True)
class WatchHealth:
    """When each collection was last listed or its watch last (re)connected, by URL path, in monotonic seconds.

    ``seen`` are answers that brought objects, ``heard`` also those that refused them: a process that begins again would
    be refused alike. ``lost`` are collections that were refused once, which kopf does not watch any more. ``begun`` are
    those whose watch kopf began with a list: it never tells what was deleted before. ``changed`` is set with each.
    """

    seen: dict[str, float] = field(default_factory=dict)
    heard: dict[str, float] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    begun: set[str] = field(default_factory=set)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, path: str, query: Mapping[str, str], status: int = 200, *, of_kopf: bool = False) -> None:
        """Remember an answer if it was to a list or a watch of our kinds."""
        refused = status in _REFUSALS
        # In front of our group there may be a path by which a proxy has this API server.
        _, group, collection = path.partition(_GROUP_PATH)
        # kopf asks for no single object, and lists without a limit.
        is_list = "limit" in query or (of_kopf and "watch" not in query)
        if "/" not in collection or not ("watch" in query or is_list) or not (refused or status < 400):  # noqa: PLR2004
            return
        path = group + collection
        self.heard[path] = time.monotonic()
        if refused:
            self.lost.add(path)
        else:
            self.seen[path] = self.heard[path]
            metrics.WATCH_SUCCESS.labels(resource=path.rpartition("/")[2]).set_to_current_time()
            if of_kopf and is_list:
                self.begun.add(path)
                self.changed.set()

    def silent(self, seconds: float) -> dict[str, float]:
        """Return the collections that have not answered for more than ``seconds``, and for how long, in seconds."""
        now = time.monotonic()
        return {path: now - when for path, when in self.heard.items() if now - when > seconds}

    def stalled(self, seconds: float) -> str | None:
        """Name the collection of which nothing was heard for ``seconds``, or None."""
        late = self.silent(seconds)
        if not late:
            return None
        path, age = max(late.items(), key=lambda item: item[1])
        return f"no list or watch of {path} was answered for {age:.0f} s"


def open_session(access: ApiAccess, health: WatchHealth, *, of_kopf: bool = False) -> aiohttp.ClientSession:
    """Open a session; whoever asked closes it."""

    def note(response: aiohttp.ClientResponse) -> None:
        if response.method == "GET":
            health.note(response.url.path, response.url.query, response.status, of_kopf=of_kopf)

    return authorized_session(access, "kwitness-operator", note)
