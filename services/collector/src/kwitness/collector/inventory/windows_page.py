"""Makes an answer about observers' windows of the parts of all replicas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from kwitness.collector.inventory.window_tables import MOST, Number, Reading
from kwitness.collector.inventory.windows_part import WindowsPart
from kwitness.collector.inventory.windows_question import WindowsQuestion, token
from kwitness.collector.prometheus.budget import Key
from kwitness.collector.turns import Turns

_MOST_ERRORS: Final = 256
"""Codes of errors of an item of the contracts; those of several windows may be more."""


class WindowsPage(NamedTuple):
    """Items as JSON, and all else that is known."""

    items: list[bytes]
    known: Mapping[str, object]


async def windows_page(
    question: WindowsQuestion, parts: Sequence[WindowsPart], missing: tuple[int, ...]
) -> WindowsPage:
    """Make the page that the parts make together."""
    turns = Turns()
    merged: dict[Key, Reading] = {}
    for part in parts:
        for key, reading in part.rows:
            await turns.pause_when_due()
            known = merged.get(key)
            merged[key] = reading if known is None else question.table.combine(known, reading)
    keys = sorted(merged, key=lambda key: question.rank(key, _number(question, merged[key])))
    ends = [part.rows[-1][0] for part in parts if part.is_cut and part.rows]
    if ends and question.place is None:
        keys = [key for key in keys if key <= min(ends)]  # beyond it a replica may have more
    first, rest = keys[: question.limit], keys[question.limit :]
    items = []
    for key in first:
        await turns.pause_when_due()
        items.append(_item(question, key, merged[key]))
    has_more = bool(rest) or any(part.is_cut for part in parts)
    beside: dict[str, object] = {
        # An item that several replicas have is counted once, where this one knows of it.
        "matched": sum(part.matched for part in parts) + len(merged) - sum(len(part.rows) for part in parts),
        "missing": missing,
        "left_out": dict(sum((Counter(part.left_out) for part in parts), Counter[str]())),
        "scope": question.scope,
        "incomplete": any(part.incomplete for part in parts) if question.scope is not None else None,
        "continue": token(first[-1]) if first and has_more and question.place is None else None,
        "missed_at_most": _missed_at_most(question, parts, merged, rest) if question.adds_up else None,
    }
    return WindowsPage(items, beside)


def _number(question: WindowsQuestion, reading: Reading) -> Number:
    return None if question.place is None else reading.numbers[question.place]


def _item(question: WindowsQuestion, key: Key, reading: Reading) -> bytes:
    table = question.table
    fields: dict[str, object] = {name: text for name, text in zip(table.key, key, strict=True) if text}
    numbers = zip(table.fields, reading.numbers, strict=True)
    fields |= {name: min(number, MOST) for name, number in numbers if number is not None}
    errors = Counter(reading.errors).most_common(_MOST_ERRORS)
    fields |= {"errors": {code: min(count, MOST) for code, count in errors}, "until_ms": reading.until_ms}
    item = table.noun.item.model_validate({**fields, **dict(question.owners.fields(key))})
    text = item.model_dump_json(by_alias=True, exclude_none=True, include=set(question.fields) or None)
    return text.encode()


def _missed_at_most(
    question: WindowsQuestion, parts: Sequence[WindowsPart], merged: Mapping[Key, Reading], rest: Collection[Key]
) -> Number:
    """Return the most that an item which is not shown can have: at a replica that cut its part no more than its last.

    None if there is no such item.
    """
    cut = [
        ({key for key, _ in part.rows}, min(_number(question, reading) or 0 for _, reading in part.rows))
        for part in parts
        if part.is_cut and part.rows
    ]
    possible = [
        (_number(question, merged[key]) or 0) + sum(last for keys, last in cut if key not in keys) for key in rest
    ]
    if cut:
        possible.append(sum(last for _, last in cut))
    return max(possible, default=None)
