"""Orders items as the collector does, where a command puts them together itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

__all__ = ["ordered"]

Item = TypeVar("Item")


def ordered(items: Iterable[Item], order: str) -> list[Item]:
    """Return items by a field, descending if `order` begins with -; those without a value are last."""
    field = order.removeprefix("-")
    values: list[tuple[Any, Item]] = [(getattr(item, field), item) for item in items]
    known = [pair for pair in values if pair[0] is not None]
    known.sort(key=lambda pair: pair[0], reverse=order.startswith("-"))
    return [item for _, item in known] + [item for value, item in values if value is None]
