"""From Arrow batches of records to what they say: by Rust where its module is installed, else by protobuf's library."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

ReadBatch = Callable[[Any, Sequence[str], int], Iterable[tuple[int, Any]]]
"""From a batch of records to how many there are in a part, and what they say."""
MODULE = "kwitness_otlp"
"""What the image of Spark and the wheels have, built from `services/otlp`."""


def decoder() -> ModuleType:
    """The decoder of this process; both give the same."""
    from kwitness.jobs.analyses.telemetry_rollup import native_decoder, protobuf_decoder  # noqa: PLC0415

    return protobuf_decoder if importlib.util.find_spec(MODULE) is None else native_decoder


def decode(
    batches: Iterable[pa.RecordBatch], prefixes: Sequence[str], most: int, read_batch: ReadBatch | None = None
) -> Iterator[pa.RecordBatch]:
    """Add a column `push` of `kwitness.jobs.analyses.telemetry_rollup.schema.READ` to records.

    Parameters
    ----------
    prefixes
        How names of metrics begin that are kept; none: all.
    most
        Data points that are kept of a push.
    read_batch
        A decoder's; without it that of this process.
    """
    read_batch = read_batch or decoder().read_batch
    for batch in batches:
        start = 0
        for count, pushes in read_batch(batch, prefixes, most):
            yield batch.slice(start, count).append_column("push", pushes)
            start += count
