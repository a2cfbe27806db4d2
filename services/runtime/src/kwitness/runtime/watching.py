"""Following a collection: a list, then a watch, then a list again when the watch cannot go on."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import aiohttp

from kwitness.runtime.api_failures import in_words

__all__ = ["METADATA", "Collection", "follow"]

Json = dict[str, Any]

METADATA: Final = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
"""Content type of one object's metadata."""
_METADATA_LIST: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_WATCH_SECONDS: Final = 300
"""After which the API server ends a watch."""
_PAUSE_S: Final = 1.0
"""Between two watches, should something end them at once."""
_SILENT_SECONDS: Final = _WATCH_SECONDS + 30
"""A connection that a middlebox dropped would be waited on for ever."""
_LONGEST_BACKOFF_S: Final = 30.0
_MOST_BYTES: Final = 8 * 1024 * 1024
"""Of one event."""

_LOG = logging.getLogger(__name__)


class _ExpiredError(Exception):
    """The watch cannot go on from where it was."""


def _nothing() -> None: ...


@dataclass(frozen=True, slots=True)
class Collection:
    """What is followed.

    Attributes
    ----------
    path
        URL path of the list.
    selector
        Query parameters that narrow it.
    listed
        Called with all objects after each list.
    changed
        Called with each object that came or changed, and with True when it went.
    succeeded
        Called with the plural name after each list and at the start of each watch.
    metadata_only
        Spares what is not read.
    interrupted
        Called when it cannot be followed, until `succeeded` is called again.
    """

    path: str
    selector: Mapping[str, str]
    listed: Callable[[list[Json]], None]
    changed: Callable[[Json, bool], None]
    succeeded: Callable[[str], None]
    metadata_only: bool = False
    interrupted: Callable[[], None] = _nothing

    @property
    def resource(self) -> str:
        """The plural name."""
        return self.path.rpartition("/")[2]


async def follow(session: aiohttp.ClientSession, server: str, collection: Collection) -> None:
    """Follow until cancelled; while the API server cannot be asked, what was known stays."""
    backoff = 1.0
    while True:
        try:
            version = await _list(session, server, collection)
            backoff = 1.0
            while True:
                version = await _watch(session, server, collection, version)
                await asyncio.sleep(_PAUSE_S)
        except _ExpiredError:
            backoff = 1.0
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            collection.interrupted()
            _LOG.warning(
                "A watch was interrupted",
                extra={"resource": collection.resource, "detail": in_words(error)},
            )
        await asyncio.sleep(backoff)
        backoff = min(backoff * 2, _LONGEST_BACKOFF_S)


async def _list(session: aiohttp.ClientSession, server: str, collection: Collection) -> str:
    timeout = aiohttp.ClientTimeout(total=30)
    headers = {"Accept": _METADATA_LIST if collection.metadata_only else "application/json"}
    found: list[Json] = []
    parameters = {**collection.selector, "limit": "500"}
    while True:
        async with session.get(
            server + collection.path,
            params=parameters,
            headers=headers,
            timeout=timeout,
            raise_for_status=True,
        ) as answer:
            page = await answer.json(content_type=None)
        found += page["items"] or []
        more = page["metadata"].get("continue")
        if not more:
            break
        parameters["continue"] = more
    collection.listed(found)
    collection.succeeded(collection.resource)
    return str(page["metadata"]["resourceVersion"])


async def _watch(session: aiohttp.ClientSession, server: str, collection: Collection, version: str) -> str:
    parameters = {
        **collection.selector,
        "watch": "1",
        "resourceVersion": version,
        "allowWatchBookmarks": "true",
        "timeoutSeconds": str(_WATCH_SECONDS),
    }
    # A watch that asks for a list of metadata is accepted, and ends at its first event.
    headers = {"Accept": METADATA if collection.metadata_only else "application/json"}
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=_SILENT_SECONDS)
    async with session.get(
        server + collection.path,
        params=parameters,
        headers=headers,
        timeout=timeout,
        raise_for_status=_raise_unless_expired,
    ) as answer:
        collection.succeeded(collection.resource)
        async for line in _lines(answer):
            event = json.loads(line)
            if event["type"] == "ERROR":
                raise _ExpiredError
            version = event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                collection.changed(event["object"], event["type"] == "DELETED")
    return version


async def _raise_unless_expired(answer: aiohttp.ClientResponse) -> None:
    if answer.status == 410:  # noqa: PLR2004 - Gone
        raise _ExpiredError
    answer.raise_for_status()


async def _lines(answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    waiting = bytearray()
    async for chunk in answer.content.iter_any():
        waiting += chunk
        *lines, rest = waiting.split(b"\n")
        for line in lines:
            yield bytes(line)
        waiting = rest
        if len(waiting) > _MOST_BYTES:
            raise ValueError(f"an event of more than {_MOST_BYTES} bytes")
