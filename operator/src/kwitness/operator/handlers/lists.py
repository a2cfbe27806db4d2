"""Complete lists of our kinds: before the first decision, after a watch has begun and at each resync.

A watch tells nothing of what was deleted before it began.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Any, Final

from kwitness.operator.adapters.api_session import WatchHealth
from kwitness.operator.adapters.resource_types import TYPES
from kwitness.operator.context import Context
from kwitness.operator.handlers.events import KINDS, receive
from kwitness.operator.model.errors import NotServedError, OperatorError
from kwitness.operator.model.store import Key

__all__ = ["fill_store", "keep_listing"]

_RETRY_SECONDS: Final = 2.0
_UNSERVED_SECONDS: Final = 10.0
"""How long an API server that has just started may take until it knows our kinds."""

_POLL_SECONDS: Final = 30.0
"""Between two lists of what kopf does not watch any more."""

_log = logging.getLogger(__name__)


async def fill_store(context: Context) -> None:
    """List every kind in every namespace, waiting for an API server that is away.

    What may not be listed, or is not served though the API server has had the time to start, is left out: neither a
    namespace that was taken away nor a kind whose definition is missing stops the rest.
    """
    began = time.monotonic()
    await asyncio.gather(*(_list_first(context, kind, namespace, began) for kind, namespace in _collections(context)))


async def _list_first(context: Context, kind: str, namespace: str | None, began: float) -> None:
    while True:
        try:
            await _list(context, kind, namespace)
        except OperatorError as error:
            told = {"kind": kind, "namespace": namespace, "reason": error.reason, "detail": error.message}
            late = isinstance(error, NotServedError) and time.monotonic() - began > _UNSERVED_SECONDS
            if late or error.reason == "KubernetesForbidden":
                _log.error("A kind cannot be listed", extra=told)
                return
            _log.warning("Waiting for the API server", extra=told)
            await asyncio.sleep(_RETRY_SECONDS)
        else:
            return


async def keep_listing(context: Context, health: WatchHealth) -> None:
    """List every kind again at each resync, for ever, and a collection when its watch has begun.

    Lost collections are listed more often, as no watch reports on them: so a permission that is back is noticed. So are
    those of which nothing was heard for half of the time after which liveness fails.
    """
    resync = context.settings.resync_seconds
    poll = min(_POLL_SECONDS, context.settings.stall_seconds / 3, resync)
    due = time.monotonic() + resync
    while True:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(poll):
                await health.changed.wait()
        health.changed.clear()
        everything = time.monotonic() >= due
        if everything:
            due = time.monotonic() + resync
        collections = {TYPES[kind].path(namespace): (kind, namespace) for kind, namespace in _collections(context)}
        # kopf watches none whose definition was missing when it began, even if our first list was answered before that.
        silent = health.silent(context.settings.stall_seconds / 2).keys()
        chosen = collections.keys() if everything else collections.keys() & (health.lost | health.begun | silent)
        # Together: one after the other, the last of many might be listed too late for liveness.
        await asyncio.gather(*(_list_again(context, health, *collections[path]) for path in chosen))


async def _list_again(context: Context, health: WatchHealth, kind: str, namespace: str | None) -> None:
    path = TYPES[kind].path(namespace)
    health.begun.discard(path)
    try:
        await _list(context, kind, namespace)
    except OperatorError as error:
        health.begun.add(path)
        _log.warning("A kind could not be listed", extra={"kind": kind, "namespace": namespace, "reason": error.reason})


def _collections(context: Context) -> list[tuple[str, str | None]]:
    return [(kind, namespace) for kind in KINDS for namespace in _namespaces(context)]


def _namespaces(context: Context) -> list[str | None]:
    """Those that are watched; None is all of them."""
    settings = context.settings
    return [None] if settings.watches_everything else [*settings.watch_namespaces]


def _uid(body: dict[str, Any] | None) -> object:
    return None if body is None else body["metadata"].get("uid")


async def _list(context: Context, kind: str, namespace: str | None) -> None:
    """Take a collection's complete list into the store, and what is missing there out of it."""
    known = {key: body for key, body in context.store.items(kind) if namespace in {None, key.namespace}}
    present: set[Key] = set()
    for body in await _bodies(context, kind, namespace):
        key = Key(body["metadata"]["namespace"], body["metadata"]["name"])
        present.add(key)
        if context.store.get(kind, key) is None and _uid(known.get(key)) == _uid(body):
            # A watch has told meanwhile that it is gone.
            continue
        receive(context, kind, {"type": None, "object": body})
    for key in known.keys() - present:
        # A watch may have told of a new one while we listed; only what was there before can have gone.
        if context.store.get(kind, key) is known[key]:
            receive(context, kind, {"type": "DELETED", "object": known[key]})


async def _bodies(context: Context, kind: str, namespace: str | None) -> list[dict[str, Any]]:
    try:
        return await context.kubernetes.list(kind, namespace)
    except OperatorError as error:
        if error.reason != "KubernetesForbidden" or namespace is None or not await _is_gone(context, namespace):
            raise
        # The permission went with the namespace, and so did all that was in it.
        return []


async def _is_gone(context: Context, namespace: str) -> bool:
    try:
        return await context.kubernetes.get("Namespace", None, namespace) is None
    except OperatorError:
        return False
