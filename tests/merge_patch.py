"""Expands cases of tests that are written as differences from others, and makes such differences.

A difference is a JSON merge patch (RFC 7396) with one rule more, for lists: a map of whole numbers changes the entries
of those places, a number that is the list's length adds one, and null takes one out. Any other value replaces a list.
Null takes out what is in the base; where the base has nothing it stays null.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

__all__ = ["BASE", "difference", "merged", "on_base"]

BASE = "base"
"""Key of a case that names the case it differs from."""


def merged(base: Any, changes: Any) -> Any:
    """Return `base` with `changes`; neither is changed.

    Raises
    ------
    IndexError
        A place beyond the end of a list.
    """
    if not isinstance(changes, Mapping):
        return deepcopy(changes)
    if isinstance(base, Mapping):
        kept = {name: deepcopy(value) for name, value in base.items() if name not in changes}
        return kept | {
            name: merged(base.get(name), value)
            for name, value in changes.items()
            if value is not None or name not in base
        }
    if isinstance(base, list) and _is_of_places(changes):
        return _merged_list(base, changes)
    return deepcopy(dict(changes))


def difference(base: Any, value: Any) -> Any:
    """Return the shortest changes that make `value` of `base`: ``merged(base, difference(base, value)) == value``.

    Raises
    ------
    ValueError
        No changes do: `value` has null where `base` has something.
    """
    if isinstance(base, Mapping) and isinstance(value, Mapping):
        found: Any = {
            name: difference(base[name], item) if name in base else deepcopy(item)
            for name, item in value.items()
            if name not in base or item != base[name]
        } | dict.fromkeys(name for name in base if name not in value)
    elif isinstance(base, list) and isinstance(value, list) and base and base != value:
        found = min(_places(base, value), deepcopy(value), key=lambda one: len(json.dumps(one)))
    else:
        found = deepcopy(value)
    if merged(base, found) != value:
        raise ValueError(f"null cannot be told from nothing: {json.dumps(value)[:200]}: take another base")
    return found


def on_base(case: Mapping[str, Any], named: Callable[[str], Mapping[str, Any]]) -> dict[str, Any]:
    """Return a case in full: if it names a base, that (which may name one too) with the case's own as changes.

    Parameters
    ----------
    case
        As it is written.
    named
        The case of a name, as it is written.
    """
    if BASE not in case:
        return deepcopy(dict(case))
    changes = {key: value for key, value in case.items() if key != BASE}
    return dict(merged(on_base(named(case[BASE]), named), changes))


def _is_of_places(changes: Mapping[Any, Any]) -> bool:
    return bool(changes) and all(isinstance(place, int) for place in changes)


def _merged_list(base: list[Any], changes: Mapping[int, Any]) -> list[Any]:
    items = deepcopy(base)
    for place, change in sorted(changes.items()):
        if not 0 <= place <= len(items):
            raise IndexError(f"place {place} of a list of {len(items)}: the next is {len(items)}")
        items[place : place + 1] = [merged(items[place], change) if place < len(items) else deepcopy(change)]
    return [item for place, item in enumerate(items) if place not in changes or changes[place] is not None]


def _places(base: list[Any], value: list[Any]) -> dict[int, Any]:
    changed = {
        place: difference(base[place], item) if place < len(base) else deepcopy(item)
        for place, item in enumerate(value)
        if place >= len(base) or item != base[place]
    }
    return changed | dict.fromkeys(range(len(value), len(base)))
