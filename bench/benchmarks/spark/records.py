"""Generated records in Parquet files, with the columns that a job's records have when they come from Kafka."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from kwitness.cli.fleet import FleetRecord

__all__ = ["write_records"]

_IN_A_FILE = 50_000
_SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp_ms", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
        ("kind", pa.string()),
    ]
)


def write_records(records: Iterable[FleetRecord], folder: Path) -> int:
    """Write records into the files of a folder, as one partition of their topics; the result is the values' bytes."""
    folder.mkdir(parents=True)
    waiting = iter(records)
    total = at = 0
    while part := list(itertools.islice(waiting, _IN_A_FILE)):
        columns = [
            [f"kwitness.{record.kind}" for record in part],
            [0] * len(part),
            range(at, at + len(part)),
            [record.timestamp_ms for record in part],
            [record.key for record in part],
            [record.value for record in part],
            [[{"key": key, "value": value} for key, value in record.headers] for record in part],
            [record.kind for record in part],
        ]
        arrays = [pa.array(column, field.type) for column, field in zip(columns, _SCHEMA, strict=True)]
        pq.write_table(pa.Table.from_arrays(arrays, schema=_SCHEMA), folder / f"{at:09}.parquet", compression="zstd")
        total += sum(len(record.value or b"") for record in part)
        at += len(part)
    return total
