"""The spans of a mirror audit once more, as plainly as possible: sets of single offsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Span = tuple[str, int, int]


def spans(
    source: Iterable[Mapping[str, Any]],
    target: Iterable[Mapping[str, Any]],
    *,
    span_ms: int,
    prefix: str,
) -> dict[Span, dict[str, int]]:
    """What people read of each span, from the values of records; topics of the mirror begin with `prefix`."""
    found: dict[Span, dict[str, Any]] = {}
    for side, values in (("source", source), ("target", target)):
        for value in values:
            name = value["topic"]
            if side == "target":
                if not name.startswith(prefix):
                    continue
                name = name.removeprefix(prefix)
            at = value["max_timestamp_ms"] // span_ms * span_ms
            span = found.setdefault((name, value["partition"], at), {"source": set(), "target": set(), "batch": 0})
            for one in value["offset_ranges"]:
                span[side] |= set(range(one["first"], one["last"] + 1))
            span["batch"] = max(span["batch"], -(-value["records"] // value["batches"]))
    return {key: _counted(len(one["source"]), len(one["target"]), one["batch"]) for key, one in found.items()}


def _counted(source: int, target: int, batch: int) -> dict[str, int]:
    return {
        "source_records": source,
        "target_records": target,
        "tolerance": batch,
        "missing": max(0, source - target - batch),
        "extra": max(0, target - source - batch),
    }
