"""Tables of Traffic as its job writes them, by length and day of windows, without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from deltalake import write_deltalake

from kwitness.console.rows.hours import HOUR_MS, hour_of

from tests.console.table_samples import columns_of

__all__ = ["AT", "HOUR", "moved", "requested", "windows", "write_traffic"]

AT = "2026-11-24T14:00Z"
HOUR = hour_of(AT) or 0
"""The hour of which most samples are."""
_JAVA = {"client_software_name": "apache-kafka-java", "client_software_version": "4.3.1"}


def moved(client_id: str, topic: str, size: int, **more: Any) -> dict[str, Any]:
    """Return what a client did with a topic in an hour: by default it wrote so many bytes."""
    row = {"kind": "partition", "api": "Produce", "topic": topic, "client_id": client_id, **_JAVA}
    return window({**row, "bytes": size, "records": size // 100, "requests": size // 1_000, **more})


def requested(client_id: str, **more: Any) -> dict[str, Any]:
    """Return the requests of one kind of a client in an hour."""
    return window({"kind": "api", "api": "Metadata", "client_id": client_id, **_JAVA, "requests": 36, **more})


def window(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its window, that of `HOUR` unless it names another."""
    start_ms = row.get("window_start_ms", HOUR)
    seconds = row.get("window_seconds", 3_600)
    return {
        "day": datetime.fromtimestamp(start_ms / 1000, UTC).date(),
        "window_start_ms": start_ms,
        "window_seconds": seconds,
        "window_end_ms": start_ms + seconds * 1000,
        "state": "sealed",
        **row,
    }


def windows(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row beside those of shorter and longer windows with the same numbers."""
    day_ms = row["window_start_ms"] - row["window_start_ms"] % (24 * HOUR_MS)
    return [
        row,
        window({**row, "window_seconds": 60, "window_end_ms": row["window_start_ms"] + 60_000}),
        window({**row, "window_seconds": 86_400, "window_start_ms": day_ms, "window_end_ms": day_ms + 24 * HOUR_MS}),
    ]


def write_traffic(
    folder: Path,
    rows: Sequence[dict[str, Any]],
    *,
    name: str = "traffic",
    mode: Literal["append", "overwrite"] = "overwrite",
) -> Path:
    """Write a version of a table."""
    path = folder / name / "table"
    written = pa.Table.from_pylist([*rows], schema=columns_of("Traffic"))
    write_deltalake(str(path), written, mode=mode, partition_by=["day", "window_seconds"])
    return path
