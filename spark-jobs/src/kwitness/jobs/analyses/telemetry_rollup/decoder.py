"""From Arrow batches of records to what they say: by Rust where its module is installed, else by protobuf's library."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

MODULE = "kwitness_otlp"
"""What the image of Spark and the wheels have, built from `services/otlp`."""


def decoder() -> ModuleType:
    """The decoder of this process; both give the same."""
    from kwitness.jobs.analyses.telemetry_rollup import native_decoder, protobuf_decoder  # noqa: PLC0415

    return protobuf_decoder if importlib.util.find_spec(MODULE) is None else native_decoder


def decode(batches: Iterable[pa.RecordBatch], prefixes: Sequence[str], most: int) -> Iterator[pa.RecordBatch]:
    """Add a column `push` of `kwitness.jobs.analyses.telemetry_rollup.schema.READ` to records."""
    read_batch = decoder().read_batch
    for batch in batches:
        start = 0
        for count, pushes in read_batch(batch, prefixes, most):
            yield batch.slice(start, count).append_column("push", pushes)
            start += count
