"""Clients that changed since a reader's last question: this replica's part, and the answer of all replicas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from kwitness.collector.failures import RefusedError
from kwitness.collector.inventory.client_changes import ChangeCursor
from kwitness.collector.inventory.client_report import ClientItems
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.ordered_rows import WRITTEN_PER_STEP, Row
from kwitness.collector.inventory.parts import Part
from kwitness.collector.turns import Turns

_CURSOR: Final = re.compile(r"(\d{1,4})\.([0-9a-f]{16})\.(\d{1,15})\.(\d{1,15})", re.ASCII)
_GONE: Final = b""
_CHANGES_PER_STEP: Final = 1_000

Cursors = Mapping[int, ChangeCursor]
"""A reader's cursor of each replica, by its ordinal."""


class ChangesHead(BaseModel):
    """The cursor behind a replica's changes; ``reset`` is true where it does not continue the reader's."""

    cursor: ChangeCursor
    more: bool
    reset: bool


def read_cursors(text: str) -> Cursors:
    """Return the cursors that an answer gave; raises `RefusedError` for any other text."""
    cursors: dict[int, ChangeCursor] = {}
    for part in text.split("~") if text else ():
        found = _CURSOR.fullmatch(part)
        if found is None:
            raise RefusedError("BadSince", f"since has {part[:64]!r}, which no answer gave: begin with an empty since")
        cursors[int(found[1])] = ChangeCursor(found[2], int(found[3]), int(found[4]))
    return cursors


def _write_cursors(cursors: Cursors) -> str:
    return "~".join(
        f"{ordinal}.{cursor.epoch}.{cursor.revision}.{cursor.begun}" for ordinal, cursor in sorted(cursors.items())
    )


async def changes_part(
    clients: Clients, items: ClientItems, limit: int, cursor: ChangeCursor | None
) -> Part[ChangesHead]:
    """Return this replica's first changes behind a cursor, or, where that is not possible, from the beginning."""
    turns, changes = Turns(), clients.changes
    reset = cursor is not None and not changes.continues(cursor)
    if cursor is None or reset:
        cursor = changes.begin()
    rows: dict[str, Row] = {}
    while len(rows) < limit and (found := changes.after(cursor.revision, _CHANGES_PER_STEP)):
        for number, (key, revision) in enumerate(found):
            if len(rows) == limit:
                break
            if number % WRITTEN_PER_STEP == 0:
                await turns.pause_when_due()
            cursor = cursor._replace(revision=revision)
            record = clients.get(key)
            if record is not None and items.fits(record):
                item = items.write(key, record)
            elif revision > cursor.begun:
                item = _GONE
            else:
                continue
            rows.pop(key, None)  # it changed again meanwhile
            rows[key] = Row(key, None, revision, item)
    head = ChangesHead(cursor=cursor, more=changes.revision > cursor.revision, reset=reset)
    return Part(head, list(rows.values()))


def merge_changes(
    parts: Mapping[int, Part[ChangesHead]], cursors: Cursors, limit: int
) -> tuple[list[bytes], dict[str, Any]]:
    """Return items and all else of an answer that has at most so many changes, in the order of replicas.

    ``cursors`` are the reader's: that of a replica without a part stays.
    """
    reached = dict(cursors)
    items: dict[str, bytes] = {}
    gone: dict[str, None] = {}
    more = False
    for ordinal, part in sorted(parts.items()):
        rows = part.rows[: limit - len(items) - len(gone)]
        more |= part.head.more or len(rows) < len(part.rows)
        if len(rows) == len(part.rows):
            reached[ordinal] = part.head.cursor
        elif rows:
            reached[ordinal] = part.head.cursor._replace(revision=rows[-1].version)
        for row in rows:
            if row.item == _GONE:
                gone[row.key] = None
            else:
                items[row.key] = row.item
    shown = [key for key in gone if key not in items]
    return list(items.values()), {"since": _write_cursors(reached), "gone": shown, "more": more}
