"""Finds the name that a part of an address stands for: the name itself, or that of a digest where it is very long."""

from __future__ import annotations

import hashlib
from typing import Final

from kwitness.console.index.database import Database

__all__ = ["DIGEST_MARK", "digest_of", "name_of"]

DIGEST_MARK: Final = "~sha256-"


def digest_of(name: str) -> str:
    """Return the text that stands for a long name in addresses."""
    return f"{DIGEST_MARK}{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()}"


def name_of(database: Database, text: str, column: str = "client_id", table: str = "members") -> str:
    """Return the name that a part of an address stands for."""
    if not text.startswith(DIGEST_MARK) or database.rows(
        f"SELECT 1 FROM {table} WHERE {column} = $name LIMIT 1", {"name": text}
    ):
        return text
    names = database.rows(f"SELECT DISTINCT {column} AS name FROM {table} WHERE length({column}) > 0")
    return next((row["name"] for row in names if digest_of(row["name"]) == text), text)
