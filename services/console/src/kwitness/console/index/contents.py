"""Makes the index with all its tables, empty, so that pages can be shown before the first answer."""

from __future__ import annotations

from kwitness.console.index.all_tables import ALL_TABLES
from kwitness.console.index.database import MEMORY, Database
from kwitness.console.index.members import rebuild

__all__ = ["new_index"]


def new_index(*, memory: int = MEMORY) -> Database:
    """Return an index without a row."""
    database = Database(memory=memory)
    database.write(*(table.filled("[]") for table in ALL_TABLES))
    rebuild(database)
    return database
