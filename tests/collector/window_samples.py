"""Windows of observers around the time now, and questions about them in this process."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.inventory.recent_rewinds import RecentRewinds
from kwitness.collector.inventory.recent_windows import RecentWindows
from kwitness.collector.inventory.window_tables import TRAFFIC_TABLE, Table
from kwitness.collector.inventory.windows_page import WindowsPage, windows_page
from kwitness.collector.inventory.windows_part import windows_part
from kwitness.collector.inventory.windows_question import WindowsQuestion
from kwitness.contracts.envelopes import EventsHead, WindowTotals
from kwitness.contracts.reader_rights import ReaderScope

from tests.collector.collector_process import GATEWAY_SOURCE
from tests.collector.event_samples import CLIENT, head, of_sidecar
from tests.collector.owner_samples import NO_OWNERS

LENGTH_MS = 10_000
NOW = 1_760_000_000_000


def end_before_now() -> int:
    """Return the end of a window that was closed just now."""
    return int(time.time() * 1_000) // LENGTH_MS * LENGTH_MS


def window(
    seq: int, end_ms: int, /, *, length_ms: int = LENGTH_MS, **lists: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a window of ten seconds, or of another length."""
    return {"seq": seq, "start_ms": end_ms - length_ms, "end_ms": end_ms, **{name: [*lists[name]] for name in lists}}


def produced(topic: str = "orders", requests: int = 10, **more: Any) -> dict[str, Any]:
    """Return requests of a client to a topic; each has ten records of a hundred bytes."""
    numbers = {"requests": requests, "records": 10 * requests, "record_bytes": 1_000 * requests}
    return {"api": "Produce", "topic": topic, **CLIENT, **numbers, **more}


def requested(requests: int = 10, **more: Any) -> dict[str, Any]:
    """Return all requests of a client."""
    sizes = {"request_bytes": 1_500 * requests, "response_bytes": 100 * requests}
    return {"api": "Produce", **CLIENT, "requests": requests, **sizes, **more}


def behind(group_id: str, lag: int, **more: Any) -> dict[str, Any]:
    """Return the committed lag of a group in a topic."""
    return {"group_id": group_id, "topic": "orders", "committed_lag": lag, **more}


def of_namespace(namespace: str, pod: str = "app-1") -> dict[str, Any]:
    """Return the fields of a head that are others in one of a sidecar."""
    return {**of_sidecar(), "source": f"{namespace}/{pod}"}


def add(windows: RecentWindows, *totals: Mapping[str, Any], source: str = GATEWAY_SOURCE, **more: Any) -> None:
    """Add windows of a source; its mode is that of a gateway unless ``more`` says otherwise."""
    now_ms = more.pop("now_ms", NOW)
    sender = EventsHead.model_validate(head(source=source, **more))
    for each in totals:
        windows.add(sender, WindowTotals.model_validate(each), now_ms)


def ask(
    windows: RecentWindows,
    table: Table = TRAFFIC_TABLE,
    *,
    owners: ClientOwners = NO_OWNERS,
    now_ms: int = NOW,
    rewinds: RecentRewinds | None = None,
    scope: ReaderScope | None = None,
    **parameters: str,
) -> dict[str, Any]:
    """Answer a question as the only replica does."""

    async def answer() -> WindowsPage:
        question = WindowsQuestion(table, table.noun.question(parameters), owners, scope)
        part = await windows_part(windows, rewinds or RecentRewinds(), question, now_ms)
        return await windows_page(question, (part,), ())

    page = asyncio.run(answer())
    return {"items": [json.loads(item) for item in page.items], **page.known}


def rates(page: Mapping[str, Any], field: str = "requests_per_s") -> dict[str, float]:
    """Return a field of the items that have it, by client id."""
    return {item["client_id"]: item[field] for item in page["items"] if field in item}
