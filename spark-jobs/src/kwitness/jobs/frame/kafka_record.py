"""One record of a Kafka topic, and how it comes out of the Arrow batches that Spark hands to Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

#: The columns of a frame of records, in the order in which `KafkaRecord` has them.
RECORD_COLUMNS = ("topic", "partition", "offset", "timestamp_ms", "key", "value", "headers")

HEADERS = "array<struct<key: string, value: binary>>"
"""The type of the last of them."""


class KafkaRecord(NamedTuple):
    """A record as it was read; nothing of it has been believed yet.

    Attributes
    ----------
    timestamp_ms
        The record's time in Kafka, in milliseconds since the epoch; -1 where Kafka has none.
    headers
        All headers in order; a key may come twice, and a value may be None.
    """

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


def records_in(batch: pa.RecordBatch) -> Iterator[KafkaRecord]:
    """Yield the records of one Arrow batch that has `RECORD_COLUMNS`."""
    plain = [batch.column(name).to_pylist() for name in RECORD_COLUMNS[:-1]]
    yield from map(KafkaRecord, *plain, _headers_in(batch.column("headers")))


def _headers_in(column: Any) -> Iterator[tuple[tuple[str, bytes | None], ...]]:
    # Flattened first: turning each record's list of structs into Python objects by itself takes five times as long.
    entries = column.flatten()
    keys = entries.field(0).to_pylist()
    values = entries.field(1).to_pylist()
    start = 0
    for length in column.value_lengths().to_pylist():
        end = start + (length or 0)
        yield tuple(zip(keys[start:end], values[start:end], strict=True))
        start = end
