"""Makes the schema of one set of namespaces: the tables of all, with the rows that its readers may see and no others.

Tables of sources are views there. All that is derived from them is made from these views, by the same code as for
readers of all. Thus a query that knows nothing of readers shows nothing that they may not see, neither as a row nor in
a sum, a choice or a completed name.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kwitness.console.index.all_tables import ALL_TABLES
from kwitness.console.index.database import Database, IndexFullError
from kwitness.console.index.members import rebuild
from kwitness.console.index.tables import Table
from kwitness.contracts.reader_rights import RowFacts, may_see

__all__ = ["COUNTED", "ReaderSchema", "known_namespaces"]

COUNTED: Final[Mapping[str, str]] = {
    "applications": "SELECT applications AS number FROM summary",
    "topics": "SELECT count(*) AS number FROM topics WHERE writers IS NOT NULL",
}
"""Numbers of rows, which pages show of those that are hidden."""
_NAMESPACES: Final = "\nUNION ".join(
    f"SELECT {table.namespace} AS namespace FROM {table.name}" for table in ALL_TABLES if table.namespace
)


def known_namespaces(everything: Database) -> frozenset[str]:
    """Return the proven namespaces of the clients in the index of all."""
    return frozenset(row["namespace"] for row in everything.rows(_NAMESPACES) if row["namespace"])


@dataclass(frozen=True, slots=True)
class _Scope:
    namespaces: frozenset[str]
    owners: tuple[str, ...] = ()


class ReaderSchema:
    """The schema of one set of namespaces.

    Attributes
    ----------
    database
        All tables, with the rows that its readers may see.
    hidden
        Numbers of rows that they may not see, by the keys of `COUNTED`.
    problem
        Why the rows are old; None where they are not.
    uses
        Pages that are made of it now.
    used_s
        When the last page ended, by the clock of `ReaderSchemas`.
    """

    def __init__(self, name: str, namespaces: frozenset[str], everything: Database) -> None:
        self.namespaces = namespaces
        self.database = everything.in_schema(name)
        self.hidden: Mapping[str, int] = {}
        self.problem: str | None = None
        self.uses = 0
        self.used_s = 0.0
        self._name = name
        self._everything = everything
        self._scope = _Scope(namespaces)
        self._compared: dict[str, bool] = {}
        self._is_made = False
        self._making = threading.Lock()

    def make(self) -> None:
        """Make it, unless that was done.

        Raises
        ------
        IndexFullError
            The memory is not sufficient; nothing of it is left.
        """
        with self._making:
            if self._is_made:
                return
            try:
                self._everything.write(f"CREATE SCHEMA {self._name}")
                self._fill()
            except IndexFullError:
                self.drop()
                raise
            self._is_made = True

    def make_again(self) -> None:
        """Make it again of the rows that are visible now; the tables before stay where the memory is not sufficient."""
        with self._making:
            if not self._is_made:
                return
            try:
                self._fill()
            except IndexFullError as error:
                self.problem = str(error)
            else:
                self.problem = None

    def drop(self) -> None:
        """Remove it and its rows."""
        self._everything.write(f"DROP SCHEMA IF EXISTS {self._name} CASCADE")

    def _fill(self) -> None:
        visible = self._visible()
        self.database.write(*(_view(table, visible, self._everything.schema) for table in ALL_TABLES))
        rebuild(self.database)
        self.hidden = {
            name: max(0, self._everything.row(query)["number"] - self.database.row(query)["number"])
            for name, query in COUNTED.items()
        }

    def _visible(self) -> list[str]:
        """Return the namespaces in the index that the readers may see; each is compared once while it is there."""
        known = known_namespaces(self._everything)
        before = self._compared
        self._compared = {
            namespace: before[namespace] if namespace in before else may_see(RowFacts(namespace), self._scope)
            for namespace in known
        }
        return [namespace for namespace, is_visible in self._compared.items() if is_visible]


def _view(table: Table, namespaces: Sequence[str], schema: str) -> str:
    """Return the statement of the view on visible rows."""
    # Literals: a list in a table would be joined, which takes three times as long.
    listed = ", ".join("'" + namespace.replace("'", "''") + "'" for namespace in namespaces)
    is_visible = f"({table.namespace}) IN ({listed})" if table.namespace and listed else "false"
    rows = f"{schema}.{table.in_namespaces or table.name}"
    return f"CREATE OR REPLACE VIEW {table.name} AS SELECT * FROM {rows} WHERE {is_visible}"
