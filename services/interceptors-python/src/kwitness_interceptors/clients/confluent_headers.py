"""Headers of a message of confluent-kafka, also those whose key is not UTF-8."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, Optional

from kwitness_interceptors.containment import FAILURES

__all__ = ["UNREADABLE_KEY", "headers_of"]

UNREADABLE_KEY = "\ufffd"
"""Stands for a key that is not UTF-8."""


def headers_of(message: Any) -> Optional[list[tuple[str, Any]]]:
    """Return the headers of a message as pairs of key and value; None without any.

    `Message.headers()` raises where a key is not UTF-8, and only the first time: each later call returns pairs with a
    null pointer for the key, and reading one ends the process. So such a message gets a list that can be read, for the
    application as well.
    """
    # Called by `map` the error is always noticed; a direct call of the method leaves it pending until later.
    read: Callable[[Any], Optional[list[tuple[str, Any]]]] = type(message).headers
    try:
        return next(map(read, (message,)))
    except Exception:  # noqa: BLE001 - SystemError or UnicodeDecodeError, by the number of such keys
        headers = [_readable(pair) for pair in next(map(read, (message,))) or ()]
        message.set_headers(headers)
    FAILURES.add(
        "kwitness_interceptors",
        "on_consume",
        f"a key among the headers is not UTF-8: it is shown as {UNREADABLE_KEY!r}",
        topic=message.topic(),
        partition=message.partition(),
    )
    return headers


def _readable(pair: tuple[Any, ...]) -> tuple[str, Any]:
    # The collector leaves null pointers out. It is asked about this pair alone.
    *key, value = gc.get_referents(pair)
    return (key[0] if key else UNREADABLE_KEY, value)
