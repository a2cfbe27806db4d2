"""Asks a collector about a noun, and checks its filters."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from kwitness.contracts.owners import text_fits
from kwitness.contracts.questions import Noun

from tests.collector.collector_process import CollectorProcess


def ask(collector: CollectorProcess, noun: Noun, **parameters: str) -> Any:
    """The answer; a parameter's name may have `_` at its end, where it is a word of Python."""
    answer = collector.get(noun.path, params={name.rstrip("_"): text for name, text in parameters.items()})
    assert answer.status == 200, answer.body
    return answer.body


def pages(collector: CollectorProcess, noun: Noun, limit: int, **parameters: str) -> list[dict[str, Any]]:
    """The items of all pages, none of which but the last is short."""
    items, token = [], ""
    while True:
        page = ask(collector, noun, limit=str(limit), continue_=token, **parameters)
        items += page["items"]
        if "continue" not in page:
            return items
        assert len(page["items"]) == limit
        token = page["continue"]


def text_of(item: Mapping[str, Any], name: str) -> Any:
    """The value that a filter compares, a text or several; of an owner the team."""
    found = item.get(name)
    return found["team"] if isinstance(found, dict) else found


def texts_of(value: str | list[str] | None) -> list[str]:
    """All texts of a value, one of which must fit."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def check_filter(
    collector: CollectorProcess,
    noun: Noun,
    name: str,
    compared: Callable[[Mapping[str, Any], str], Any] = text_of,
) -> None:
    """A filter finds the items with its value or beginning, and counts them."""
    items = ask(collector, noun)["items"]
    texts = [texts_of(compared(item, name)) for item in items]
    values = {text for found in texts for text in found}
    assert values

    for pattern in {*values, *(f"{value[:-1]}*" for value in values), "*", "no such value", ""}:
        found = ask(collector, noun, limit="1", **{name: pattern})
        fits = [any(text_fits(pattern, text) for text in found) for found in texts]
        expected = list(itertools.compress(items, fits))
        assert (found["items"], found["matched"]) == (expected[:1], len(expected)), pattern
        assert pages(collector, noun, 2, **{name: pattern}) == expected, pattern
