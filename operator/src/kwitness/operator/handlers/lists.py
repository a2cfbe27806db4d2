"""Complete lists of our kinds: before the first decision, and at each resync, for what no watch told."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from kwitness.operator.context import Context
from kwitness.operator.handlers.events import KINDS, receive
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.store import Key

__all__ = ["fill_store", "keep_listing", "list_kind"]

_RETRY_SECONDS = 2.0

_log = logging.getLogger(__name__)


async def fill_store(context: Context) -> None:
    """List every kind, waiting for an API server that is away; a kind that may not be listed is left out."""
    for kind in KINDS:
        while True:
            try:
                await list_kind(context, kind)
            except OperatorError as error:
                if error.reason == "KubernetesForbidden":
                    _log.error("A kind cannot be listed", extra={"kind": kind, "reason": error.reason})
                    break
                _log.warning("Waiting for the API server", extra={"kind": kind, "detail": error.message})
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                break


async def keep_listing(context: Context) -> None:
    """List every kind again at each resync, for ever."""
    while True:
        await asyncio.sleep(context.settings.resync_seconds)
        for kind in KINDS:
            try:
                await list_kind(context, kind)
            except OperatorError as error:
                _log.warning("A kind could not be listed", extra={"kind": kind, "reason": error.reason})


def _uid(body: dict[str, Any] | None) -> object:
    return None if body is None else body["metadata"].get("uid")


async def list_kind(context: Context, kind: str) -> None:
    """Take one kind's complete lists into the store, and what is missing there out of it.

    Raises
    ------
    OperatorError
        When a list is not complete; then nothing was taken out.
    """
    settings = context.settings
    namespaces = [None] if settings.watches_everything else settings.watch_namespaces
    known = dict(context.store.items(kind))
    present: set[Key] = set()
    for namespace in namespaces:
        for body in await context.kubernetes.list(kind, namespace):
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
