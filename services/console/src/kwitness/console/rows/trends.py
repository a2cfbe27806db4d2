"""Selects the last hour of topics and applications, a number for each minute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from kwitness.console.index.database import Database
from kwitness.console.index.trends import POINTS, subject

__all__ = ["Trend", "trends_of"]


class Trend(NamedTuple):
    """Bytes a second that are written, and the most lag, of each minute, the last one at the end; None without one."""

    written: Sequence[float | None]
    lag_ms: Sequence[int | None]


def trends_of(database: Database, kind: Literal["topic", "application"], names: Iterable[str]) -> Mapping[str, Trend]:
    """Return the trends of names; those of which nothing is known are left out."""
    rows = database.rows(
        f"""
        WITH named AS (SELECT name, {subject(kind, "name")} AS subject FROM (SELECT unnest($names::VARCHAR[]) AS name)),
        sums AS (
          SELECT name, minute, sum(written) AS written, max(lag_ms) AS lag_ms
          FROM trends JOIN named USING (subject) GROUP BY name, minute
        )
        SELECT name, list(minute - newest + {POINTS - 1}) AS places, list(written) AS written, list(lag_ms) AS lag_ms
        FROM sums CROSS JOIN (SELECT max(minute) AS newest FROM trends) GROUP BY name
        """,
        {"names": [*names]},
    )
    found: dict[str, Trend] = {}
    for row in rows:
        written: list[float | None] = [None] * POINTS
        lag_ms: list[int | None] = [None] * POINTS
        for place, bytes_per_s, lag in zip(row["places"], row["written"], row["lag_ms"], strict=True):
            written[place], lag_ms[place] = bytes_per_s, lag
        found[row["name"]] = Trend(written, lag_ms)
    return found
