"""Spans in Python: sets of offsets of both sides, as Arrow has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kwitness.jobs.analyses.mirror_audit.schema import MAX_CHANGED, MAX_RANGES, SPAN, TABLE_SCHEMA
from kwitness.jobs.analyses.mirror_audit.verdicts import differences
from kwitness.jobs.frame.intervals import coalesced, holes, size, union
from kwitness.jobs.frame.longs import LARGEST_LONG

if TYPE_CHECKING:
    import pyarrow as pa


def united(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows of the table from lines with `new` and `old`, of its schema."""
    # Imported here: only the executors' Python workers have a use for it.
    import pyarrow as pa  # noqa: PLC0415
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415

    schema = to_arrow_schema(TABLE_SCHEMA)
    for batch in batches:
        rows = [row_after(line["old"], line["new"]) for line in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


def row_after(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> dict[str, Any]:
    """A row after a batch. Sets grow by union, so what comes twice is there once; all else is the greater."""
    both = [row for row in (old, new) if row is not None]
    last_ms = max((row["last_ms"] for row in both if row["last_ms"] is not None), default=None)
    if new["kind"] != SPAN:
        return {**new, **_changed(old, new), "last_ms": last_ms}
    row = {**new, "last_ms": last_ms, "transactional": any(one["transactional"] for one in both)}
    tolerance = max(one["tolerance"] for one in both)
    for side in ("source", "target"):
        name = f"{side}_ranges"
        offsets = coalesced((pair["first"], pair["last"]) for one in both for pair in one[name] or ())
        shortest = sorted(holes(offsets), key=lambda hole: (size((hole,)), hole))[: max(0, len(offsets) - MAX_RANGES)]
        offsets = union(offsets, coalesced(shortest))
        tolerance = min(LARGEST_LONG, tolerance + size(tuple(shortest)))
        row[name] = [{"first": first, "last": last} for first, last in offsets]
        row[f"{side}_records"] = min(LARGEST_LONG, size(offsets))
    missing, extra = differences(row["source_records"], row["target_records"], tolerance)
    return {**row, "tolerance": tolerance, "missing": missing, "extra": extra, "evidence": "approximate"}


def _changed(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> dict[str, Any]:
    """How many records were changed, by the rows that count some: each once, as long as it is remembered."""
    before = () if old is None else old["changed_rows"] or ()
    forgotten = 0 if old is None else (old["changed"] or 0) - sum(entry["changed"] for entry in before)
    rows = {entry["row"]: entry for entry in (*(new["changed_rows"] or ()), *before)}
    latest = sorted(rows.values(), key=lambda entry: (entry["last_ms"] or 0, entry["row"]))[-MAX_CHANGED:]
    changed = min(LARGEST_LONG, forgotten + sum(entry["changed"] for entry in rows.values()))
    return {"changed": changed, "changed_rows": latest, "verdict": "Changed" if changed else "InStep"}
