"""Writes rows as JSON up to a number of bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["bounded_rows"]


def bounded_rows(items: Iterable[Mapping[str, Any]], most_bytes: int) -> list[str]:
    """Return the first items, each as JSON, that have no more bytes together."""
    texts, size = [], 0
    for item in items:
        text = json.dumps(item, default=str, ensure_ascii=False)
        size += len(text.encode()) + 1
        if size > most_bytes:
            break
        texts.append(text)
    return texts
