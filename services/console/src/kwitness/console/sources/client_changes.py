"""Follows the collector's clients by cursor: only what changed is read, and the times of the newest pushes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from kwitness.answers.access.collector_access import CollectorAccess
from kwitness.answers.views.gaps import gaps_of
from kwitness.console.index.database import Database, unnested
from kwitness.console.index.tables import CLIENTS, batches_of
from kwitness.contracts.endpoints import CLIENTS_PATH
from kwitness.contracts.envelopes import ClientPage
from kwitness.contracts.questions import MAX_LIMIT

__all__ = ["ClientChanges"]

_PUSH_FIELDS: Final = ("key", "first_seen_ms", "last_push_ms")
_SLACK_MS: Final = 5_000
"""Clocks of replicas differ a little."""
_PUSHED: Final = f"""
UPDATE clients SET last_push_ms = pushed.item.at
FROM {unnested({"key": "VARCHAR", "at": "BIGINT"})} AS pushed WHERE key = pushed.item.key
"""
_KEYS: Final = "(SELECT unnest(from_json(?::JSON, '[\"VARCHAR\"]')))"


class ClientChanges:
    """Reads changes into the table of clients."""

    def __init__(self, collector: CollectorAccess, database: Database) -> None:
        self._collector = collector
        self._database = database
        self._cursor = ""
        self._newest_push_ms = 0
        self._removed = 0

    def read(self) -> Sequence[str]:
        """Read all changes since the last time."""
        changed: dict[str, Any] = {}
        gone: set[str] = set()
        reset = False
        lacks: list[str] = []
        for page in self._pages():
            if page.reset:
                reset, changed, gone = True, {}, set()
            for key in page.gone or ():
                changed.pop(key, None)
                gone.add(key)
            for item in page.items:
                changed[item.key or ""] = item.model_dump(mode="json", include=set(CLIENTS.fields), exclude_none=True)
            lacks = gaps_of(page)
            cursor = page.since or ""
        if reset:
            self._database.write(*CLIENTS.filled_by(batches_of(changed.values())))
        elif changed or gone:
            keys = json.dumps([*gone, *changed])
            self._database.write(
                (f"DELETE FROM clients WHERE key IN {_KEYS}", [keys]), *map(CLIENTS.added, batches_of(changed.values()))
            )
            self._compact(len(gone) + len(changed))
        self._cursor = cursor
        self._read_pushes()
        return lacks

    def _pages(self) -> Iterator[ClientPage]:
        cursor = self._cursor
        while True:
            page = self._collector.get(
                CLIENTS_PATH, ClientPage, since=cursor, limit=MAX_LIMIT, fields=",".join(CLIENTS.fields)
            )
            yield page
            cursor = page.since or ""
            if not page.more:
                return

    def _compact(self, removed: int) -> None:
        """Write the table again where more rows were removed than it has: DuckDB keeps their memory until then."""
        self._removed += removed
        if self._removed > self._database.row("SELECT count(*) AS number FROM clients")["number"]:
            self._database.write("CREATE OR REPLACE TABLE clients AS SELECT * FROM clients")
            self._removed = 0

    def _read_pushes(self) -> None:
        """Read the newest pushes: a push alone is no change."""
        pushed: list[dict[str, Any]] = []
        after, newest = None, self._newest_push_ms
        while True:
            page = self._collector.get(
                CLIENTS_PATH,
                ClientPage,
                order="-last_push_ms",
                fields=",".join(_PUSH_FIELDS),
                limit=MAX_LIMIT,
                **{"continue": after},
            )
            since = self._newest_push_ms - _SLACK_MS
            recent = [item for item in page.items if (item.last_push_ms or 0) > since]
            pushed += [{"key": item.key, "at": item.last_push_ms} for item in recent]
            newest = max(newest, max((item.last_push_ms or 0 for item in recent), default=0))
            after = page.continue_
            if not after or len(recent) < len(page.items):
                break
        if pushed:
            self._database.write((_PUSHED, [json.dumps(pushed)]))
            self._removed += len(pushed)
        self._newest_push_ms = newest
