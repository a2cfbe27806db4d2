"""Selects the last hour of topics and applications, a number for each minute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from kwitness.console.index.database import Database
from kwitness.console.index.trends import POINTS, subject

__all__ = ["Trend", "trends_of"]


class Trend(NamedTuple):
    """Bytes a second that are written, and the most lag, of each minute, the last one at the end; None without one."""

    written: Sequence[float | None]
    lag_ms: Sequence[int | None] = ()


def trends_of(
    database: Database, kind: Literal["topic", "application"], names: Iterable[str], *, with_lag: bool = True
) -> Mapping[str, Trend]:
    """Return the trends of names, of lag where that is shown; those of which nothing is known are left out."""
    sums = {"written": "sum(written)"} | ({"lag_ms": "max(lag_ms)"} if with_lag else {})
    rows = database.rows(
        f"""
        WITH named AS (SELECT name, {subject(kind, "name")} AS subject FROM (SELECT unnest($names::VARCHAR[]) AS name)),
        points AS (
          SELECT name, unnest(range(minute - len(written) + 1, minute + 1)) AS minute,
            {", ".join(f"unnest({column}) AS {column}" for column in sums)}
          FROM trends JOIN named USING (subject)
        ), sums AS (
          SELECT name, minute, {", ".join(f"{total} AS {column}" for column, total in sums.items())}
          FROM points GROUP BY name, minute
        )
        SELECT name, list(minute - newest + {POINTS - 1}) AS places,
          {", ".join(f"list({column}) AS {column}" for column in sums)}
        FROM sums CROSS JOIN (SELECT max(minute) AS newest FROM trends) GROUP BY name
        """,
        {"names": [*names]},
    )
    return {row["name"]: Trend(*(_placed(row["places"], row[column]) for column in sums)) for row in rows}


def _placed(places: Sequence[int], values: Sequence[Any]) -> list[Any]:
    """Return values in their places of an hour; those before it are left out."""
    placed: list[Any] = [None] * POINTS
    for place, value in zip(places, values, strict=True):
        if place >= 0:
            placed[place] = value
    return placed
