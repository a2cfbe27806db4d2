"""Clients that changed since a reader's last question: this replica's part, and the answer of all replicas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from kwitness.collector.failures import RefusedError
from kwitness.collector.inventory.client_report import ClientItems
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.ordered_rows import WRITTEN_PER_STEP, Row
from kwitness.collector.inventory.parts import Part
from kwitness.collector.turns import Turns

_CURSOR: Final = re.compile(r"(\d{1,4})\.([0-9a-f.]{1,64})", re.ASCII)
_GONE: Final = b""
_CHANGES_PER_STEP: Final = 1_000

Cursors = Mapping[int, str]
"""A reader's cursor of each replica, by its ordinal; that replica alone can read it."""


class ChangesHead(BaseModel):
    """The cursor behind a replica's changes; ``reset`` is true where it does not continue the reader's."""

    cursor: str
    more: bool
    reset: bool


def read_cursors(text: str) -> Cursors:
    """Return the cursors that an answer gave; raises `RefusedError` for any other text."""
    cursors: dict[int, str] = {}
    for part in text.split("~") if text else ():
        found = _CURSOR.fullmatch(part)
        if found is None:
            raise RefusedError("BadSince", f"since has {part[:64]!r}, which no answer gave: begin with an empty since")
        cursors[int(found[1])] = found[2]
    return cursors


def _write_cursors(cursors: Cursors) -> str:
    return "~".join(f"{ordinal}.{cursor}" for ordinal, cursor in sorted(cursors.items()))


async def changes_part(
    clients: Clients, items: ClientItems, limit: int, text: str | None, *, merged: bool = True
) -> Part[ChangesHead]:
    """Return this replica's first changes behind a cursor, or, where that is not possible, from the beginning.

    Each row has a cursor if the part is ``merged`` with those of other replicas: an answer may end at any row.
    """
    turns, changes, visible = Turns(), clients.changes, items.visible
    cursor = None if text is None else changes.read(text, visible.audience)
    if cursor is not None and not changes.continues(cursor, scoped=visible.scope is not None):
        cursor = None
    reset = text is not None and cursor is None
    cursor = cursor or changes.begin()
    rows: dict[str, Row] = {}
    while len(rows) < limit and (found := changes.after(cursor.revision, _CHANGES_PER_STEP)):
        for number, (key, revision) in enumerate(found):
            if len(rows) == limit:
                break
            if number % WRITTEN_PER_STEP == 0:
                await turns.pause_when_due()
            cursor = cursor._replace(revision=revision)
            record = clients.get(key)
            if not (visible.identity(changes.gone(key)) if record is None else visible.client(record)):
                continue
            if record is not None and items.fits(record):
                item = items.write(key, record)
            elif revision > cursor.begun:
                item = _GONE
            else:
                continue
            rows.pop(key, None)  # it changed again meanwhile
            rows[key] = Row(key, changes.write(cursor, visible.audience) if merged else None, revision, item)
    head = ChangesHead(
        cursor=changes.write(cursor, visible.audience), more=changes.revision > cursor.revision, reset=reset
    )
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
            reached[ordinal] = rows[-1].value or part.head.cursor
        for row in rows:
            if row.item == _GONE:
                gone[row.key] = None
            else:
                items[row.key] = row.item
    shown = [key for key in gone if key not in items]
    return list(items.values()), {"since": _write_cursors(reached), "gone": shown, "more": more}
