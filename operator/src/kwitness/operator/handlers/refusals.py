"""Events that tell of pods which could not be made, watched where observers are put into pods."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp

from kwitness.operator import metrics
from kwitness.operator.context import Context
from kwitness.operator.model.refusals import REASON, refusal_of
from kwitness.operator.shapes.facts import Refusals
from kwitness.runtime.watching import Collection, follow

__all__ = ["watch_refusals"]


async def watch_refusals(context: Context, session: aiohttp.ClientSession, server: str) -> None:
    """Follow them until cancelled; of each namespace the last is kept."""
    settings = context.settings
    paths = (
        ["/api/v1/events"]
        if settings.sees_every_namespace
        else [f"/api/v1/namespaces/{one}/events" for one in settings.seen_namespaces]
    )

    def changed(event: dict[str, Any], gone: bool) -> None:  # noqa: FBT001 - as every collection's
        if not gone:
            _take(context, event)

    def listed(events: list[dict[str, Any]]) -> None:
        for event in events:
            _take(context, event)

    async with asyncio.TaskGroup() as group:
        for path in paths:
            collection = Collection(
                path=path,
                selector={"fieldSelector": f"reason={REASON}"},
                listed=listed,
                changed=changed,
                succeeded=_heard,
            )
            group.create_task(follow(session, server, collection))


def _take(context: Context, event: dict[str, Any]) -> None:
    refusal = refusal_of(event)
    if refusal is None:
        return
    known = context.refusals.get(refusal.namespace)
    if known is None or refusal.at_ms > known.at_ms:
        context.refusals[refusal.namespace] = refusal
        context.told(Refusals())


def _heard(resource: str) -> None:
    metrics.WATCH_SUCCESS.labels(resource=resource).set_to_current_time()
