"""Selects the map: bytes between owners or applications and beginnings of topics, as a matrix with whole sums.

The matrix has the rows and columns of the most bytes; all others are a row and a column of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from kwitness.console.index.database import Database, Row
from kwitness.console.rows.addresses import PastView

__all__ = ["MOST_COLUMNS", "MOST_ROWS", "PREFIX", "Cell", "MapView", "Matrix", "matrix"]

MOST_ROWS: Final = 24
"""Owners or applications that have a row of their own."""
MOST_COLUMNS: Final = 10
"""Beginnings of topics that have a column of their own."""
PREFIX: Final = "regexp_extract(topic, '^[._-]*[^._-]*')"
"""A topic up to its first separator, or all of it; separators at its beginning are part of it."""
_WITHOUT_VALUE: Final = {"owner": "owner", "application": "application"}
_BY: Final = {"application": "application"}
_DIRECTIONS: Final = {"writes", "reads"}


@dataclass(frozen=True, slots=True)
class MapView(PastView):
    """Query of the map.

    Attributes
    ----------
    by
        What rows of the matrix are: application, or owner where it is empty.
    direction
        Counts ``writes`` or ``reads`` alone.
    owner, application, client, prefix, topic
        Show the graph around these instead of the matrix.
    without
        Selects clients without an ``owner`` or ``application``.
    """

    by: str = ""
    direction: str = ""
    owner: str = ""
    application: str = ""
    client: str = ""
    prefix: str = ""
    topic: str = ""
    without: str = ""

    @property
    def is_graph(self) -> bool:
        """True where the graph around something is shown."""
        names = (self.owner, self.application, self.client, self.prefix, self.topic)
        return any(names) or self.without in _WITHOUT_VALUE

    @property
    def row_column(self) -> str:
        """The column of members that rows of the matrix are."""
        return _BY.get(self.by, "owner")

    @property
    def flows(self) -> str:
        """The condition on flows."""
        return f"direction = '{self.direction}'" if self.direction in _DIRECTIONS else "true"


class Cell(NamedTuple):
    """Bytes a second that a row writes to and reads from a column, None if not known; `does` names which of both."""

    written: float | None
    read: float | None
    does: tuple[str, ...]

    @property
    def bytes_per_s(self) -> float | None:
        """Both together; None if neither is known."""
        known = [number for number in (self.written, self.read) if number is not None]
        return sum(known) if known else None


class Matrix(NamedTuple):
    """Cells by the places of rows and columns, which begin at 0; the last ones are all others.

    Attributes
    ----------
    names, columns
        Of rows and columns, without the others; a name is None for clients without it.
    topics
        Numbers of topics of the columns.
    other_names, other_columns
        Numbers of rows and columns that the others are.
    """

    names: Sequence[str | None]
    columns: Sequence[str]
    topics: Sequence[int]
    other_names: int
    other_columns: int
    cells: Mapping[tuple[int, int], Cell]


def matrix(database: Database, view: MapView) -> Matrix:
    """Return the bytes of all flows that the view counts."""
    sums = database.rows(
        f"""
        WITH prefixes AS (SELECT topic, {PREFIX} AS prefix FROM topics),
        pairs AS MATERIALIZED (
          SELECT {view.row_column} AS name, prefix, direction, sum(bytes_per_s) AS bytes_per_s
          FROM flows JOIN members ON id = member JOIN prefixes USING (topic) WHERE {view.flows} GROUP BY ALL
        ), names AS MATERIALIZED (
          SELECT name, row_number() OVER (ORDER BY sum(bytes_per_s) DESC NULLS LAST, name NULLS LAST) - 1 AS place
          FROM pairs GROUP BY name
        ), columns AS MATERIALIZED (
          SELECT prefix, row_number() OVER (ORDER BY sum(bytes_per_s) DESC NULLS LAST, prefix) - 1 AS place
          FROM pairs GROUP BY prefix
        ), counted AS (SELECT prefix, count(*) AS topics FROM prefixes GROUP BY prefix)
        SELECT least(n.place, {MOST_ROWS}) AS row, least(c.place, {MOST_COLUMNS}) AS col, direction,
          any_value(n.name) AS name, any_value(c.prefix) AS prefix, any_value(topics) AS topics,
          sum(bytes_per_s) AS bytes_per_s,
          (SELECT count(*) FROM names) AS name_count, (SELECT count(*) FROM columns) AS column_count
        FROM pairs AS p JOIN names AS n ON n.name IS NOT DISTINCT FROM p.name JOIN columns AS c ON c.prefix = p.prefix
        JOIN counted AS k ON k.prefix = p.prefix
        GROUP BY ALL ORDER BY row, col
        """
    )
    names: dict[int, str | None] = {row["row"]: row["name"] for row in sums if row["row"] < MOST_ROWS}
    columns: dict[int, Row] = {row["col"]: row for row in sums if row["col"] < MOST_COLUMNS}
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for row in sums:
        found.setdefault((row["row"], row["col"]), {})[row["direction"]] = row["bytes_per_s"]
    return Matrix(
        names=[names[place] for place in sorted(names)],
        columns=[columns[place]["prefix"] for place in sorted(columns)],
        topics=[columns[place]["topics"] for place in sorted(columns)],
        other_names=max(0, sums[0]["name_count"] - MOST_ROWS) if sums else 0,
        other_columns=max(0, sums[0]["column_count"] - MOST_COLUMNS) if sums else 0,
        cells={
            place: Cell(cell.get("writes"), cell.get("reads"), tuple(sorted(cell))) for place, cell in found.items()
        },
    )
