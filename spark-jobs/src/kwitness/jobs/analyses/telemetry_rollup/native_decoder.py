"""Pushes read by `kwitness_otlp`, which is written in Rust: columns of bytes in, columns of data points out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kwitness.jobs.analyses.telemetry_rollup.schema import HEADERS, POINT, READ

if TYPE_CHECKING:
    import pyarrow as pa


def read_batch(batch: pa.RecordBatch, prefixes: Sequence[str], most: int) -> Iterator[tuple[int, pa.Array[Any]]]:
    """What the records of a batch say, part by part: how many records a part is of, and an array of `READ`."""
    import pyarrow as pa  # noqa: PLC0415 - not where jobs are only started

    texts = _headers(batch.column("headers"))
    start = 0
    for count, pushes in read_payloads(batch.column("value"), prefixes, most):
        headers = [one.slice(start, count) for one in texts]
        yield count, pa.StructArray.from_arrays([*headers, *pushes], fields=list(_type()))
        start += count


def read_payloads(payloads: Any, prefixes: Sequence[str], most: int) -> Iterator[tuple[int, list[pa.Array[Any]]]]:
    """What payloads say, part by part: how many a part is of, and the columns of `READ` after those of headers."""
    import kwitness_otlp  # noqa: PLC0415

    if payloads.null_count:
        payloads = payloads.fill_null(b"")
    offsets, data = _buffers(payloads)
    start = 0
    while start < len(payloads):
        count, columns = kwitness_otlp.decode(offsets, data, start, list(prefixes), most)
        yield count, _pushes(count, columns)
        start += count


def _headers(column: Any) -> list[pa.Array[Any]]:
    """The wanted headers, and which records have one that is not UTF-8."""
    import kwitness_otlp  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    keys, values = column.values.field(0), column.values.field(1)
    present = values.is_valid().cast(pa.uint8()).buffers()[1].to_pybytes() if values.null_count else b""
    lists = _offsets(column)
    found, damaged = kwitness_otlp.header_columns(lists, _buffers(keys), _buffers(values), present, list(HEADERS))
    count = len(column)
    texts = []
    for offsets, data, is_present in found:
        bits = _plain(pa.uint8(), count, is_present).cast(pa.bool_()).buffers()[1]
        texts.append(pa.Array.from_buffers(pa.string(), count, [bits, pa.py_buffer(offsets), pa.py_buffer(data)]))
    return [*texts, _plain(pa.int8(), count, damaged)]


def _pushes(count: int, columns: dict[str, bytes]) -> list[pa.Array[Any]]:
    import pyarrow as pa  # noqa: PLC0415

    numbers = [_plain(pa.int64(), count, columns[name]) for name in ("left_out", "without_value", "unusable")]
    total = len(columns["value"]) // 8
    fields = _type().field("points").type.value_type
    points = []
    for field in POINT.fields:
        kind, held = fields.field(field.name).type, columns[field.name]
        if pa.types.is_list(kind):
            inner = _plain(kind.value_type, len(held) // 8, held)
            points.append(_list(kind, total, columns[f"{field.name}.offsets"], inner))
        elif pa.types.is_string(kind):
            places = pa.py_buffer(columns[f"{field.name}.offsets"])
            points.append(pa.Array.from_buffers(kind, total, [None, places, pa.py_buffer(held)]))
        else:
            points.append(_plain(kind, total, held))
    each = pa.StructArray.from_arrays(points, fields=list(fields))
    outcomes = _plain(pa.int8(), count, columns["outcomes"])
    return [outcomes, *numbers, _list(_type().field("points").type, count, columns["points"], each)]


def _type() -> Any:
    from pyspark.sql.pandas.types import to_arrow_type  # noqa: PLC0415

    return to_arrow_type(READ)


def _plain(kind: Any, count: int, content: bytes) -> pa.Array[Any]:
    import pyarrow as pa  # noqa: PLC0415

    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(content)])


def _list(kind: Any, count: int, offsets: bytes, values: pa.Array[Any]) -> pa.Array[Any]:
    import pyarrow as pa  # noqa: PLC0415

    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(offsets)], children=[values])


def _offsets(column: Any) -> bytes:
    """The offsets of a column's own part of its buffers."""
    found: bytes = column.buffers()[1].slice(column.offset * 4, (len(column) + 1) * 4).to_pybytes()
    return found


def _buffers(column: Any) -> tuple[bytes, bytes]:
    """Offsets and data of texts or bytes."""
    if not len(column):
        return bytes(4), b""
    data = column.buffers()[2]
    return _offsets(column), b"" if data is None else data.to_pybytes()
