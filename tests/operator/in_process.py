"""The operator's parts in the test's own process, where a test wants to stand between them; without kopf's watches."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from kwitness.e2e.api_server import ApiServer
from kwitness.operator.adapters.api_session import WatchHealth, open_session
from kwitness.operator.adapters.http_json import outside_session
from kwitness.operator.context import Context
from kwitness.operator.factory import build_context
from kwitness.operator.handlers.lists import fill_store, keep_listing
from kwitness.operator.settings import OperatorSettings
from kwitness.runtime.api_access import find_access


def settings_of(namespace: str, folder: Path, **more: Any) -> OperatorSettings:
    return OperatorSettings.model_validate(
        {
            "namespace": namespace,
            "watch_namespaces": [namespace],
            "images": {
                "collector": "kwitness/collector:1",
                "observer": "kwitness/observer:1",
                "spark": "kwitness/spark:1",
            },
            "analytics": {"namespaces": [namespace], "table_claim": "tables", "single_node": True, "poll_seconds": 0.5},
            "resync_seconds": 1,
            "inventory_seconds": 0.5,
            "status_seconds": 0.5,
            "limits": {"min_interval": "1s"},
            **more,
        }
    )


@contextlib.asynccontextmanager
async def operating(
    api: ApiServer, settings: OperatorSettings, prepare: Callable[[Context], None]
) -> AsyncIterator[Context]:
    """Run queues and lists; ``prepare`` may change the context before the first decision."""
    access = find_access(api.kubeconfig_of("operator"))
    health = WatchHealth()
    async with open_session(access, health) as session, outside_session() as outside:
        context, queues = build_context(settings, "inst", session=session, server=access.server, outside=outside)
        prepare(context)
        await fill_store(context)
        tasks = [asyncio.create_task(queue.run()) for queue in queues.values()]
        tasks.append(asyncio.create_task(keep_listing(context, health)))
        try:
            yield context
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
