"""Writes a reader's scope into headers of questions between replicas, and reads scopes of the tokens file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote, unquote

from kwitness.contracts.reader_rights import ReaderScope

__all__ = ["SCOPE", "read_scope", "write_scope"]

SCOPE: Final = "Kwitness-Scope"
"""The header of one entry of a scope; there are as many as entries."""
_FIELDS: Final = {"namespace": "namespaces", "owner": "owners"}


def write_scope(scope: ReaderScope) -> list[tuple[str, str]]:
    """Return the headers of a scope."""
    return [
        (SCOPE, f"{name}={quote(pattern, safe='')}")
        for name, field in _FIELDS.items()
        for pattern in getattr(scope, field)
    ]


def read_scope(entries: Iterable[str]) -> ReaderScope:
    """Return a scope of entries such as ``owner=Orders``, with values percent-encoded.

    Raises
    ------
    ValueError
        An entry is something else.
    """
    patterns: dict[str, Sequence[str]] = {}
    for entry in entries:
        name, _, text = entry.partition("=")
        if name not in _FIELDS:
            raise ValueError(f"{entry[:64]!r} is no entry of a scope: write namespace=PATTERN or owner=PATTERN")
        field = _FIELDS[name]
        patterns[field] = (*patterns.get(field, ()), unquote(text, errors="strict"))
    return ReaderScope.model_validate(patterns)
