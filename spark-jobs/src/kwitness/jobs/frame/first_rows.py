"""Rows of a Delta table of any size in little memory, without a JVM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

__all__ = ["FirstRows", "NoTableError", "all_rows", "batches_of", "first_rows", "open_table"]

#: Rows that are in memory at a time, besides those that are kept.
_AT_A_TIME = 2_000


class NoTableError(LookupError):
    """There is no table to read."""


class FirstRows(NamedTuple):
    """The first rows of a table in some order, how many it has, and the columns that were read."""

    rows: list[dict[str, Any]]
    total: int
    columns: list[str]


def first_rows(path: str, order: Sequence[str], limit: int, columns: Sequence[str] | None = None) -> FirstRows:
    """Read the first `limit` rows by the columns of `order`, nulls before all else.

    Parameters
    ----------
    columns
        Those that are read, as far as the table has them; all without.

    Raises
    ------
    NoTableError
        There is no table at the path yet.
    """
    import pyarrow as pa  # noqa: PLC0415

    dataset = _dataset(path)
    sorted_by = [name for name in order if name in dataset.schema.names and _is_sortable(dataset.schema, name)]
    kept: pa.Table | None = None
    for batch in batches_of(dataset, _columns(dataset, columns)):
        table = pa.Table.from_batches([batch])
        together = table if kept is None else pa.concat_tables([kept, table])
        if sorted_by:
            together = together.take(_order(together, sorted_by)[:limit])
        # Combined, so that what was left out is free.
        kept = together.slice(0, limit).combine_chunks()
    rows = [] if kept is None else kept.to_pylist(maps_as_pydicts="strict")
    return FirstRows(rows, dataset.count_rows(), _columns(dataset, columns))


def all_rows(path: str) -> Iterator[dict[str, Any]]:
    """Read all rows, in no particular order, a few at a time.

    Raises
    ------
    NoTableError
        There is no table at the path yet.
    """
    dataset = _dataset(path)
    for batch in batches_of(dataset, dataset.schema.names):
        yield from batch.to_pylist(maps_as_pydicts="strict")


def open_table(path: str) -> DeltaTable:
    """Open the newest version of a table.

    Raises
    ------
    NoTableError
        There is no table at the path yet.
    """
    # Imported here, so that --help needs no library.
    from deltalake import DeltaTable  # noqa: PLC0415
    from deltalake.exceptions import TableNotFoundError  # noqa: PLC0415

    try:
        return DeltaTable(path)
    except TableNotFoundError:
        raise NoTableError(
            f"no Delta table at {path}: wait for the job's first micro-batch; that of losses is made with the first"
        ) from None


def batches_of(dataset: Any, columns: Sequence[str], condition: Any = None) -> Iterator[pa.RecordBatch]:
    """Read columns of a dataset, in no particular order, a few rows at a time; a condition is as `filter_of` has it."""
    from pyarrow.dataset import ParquetFragmentScanOptions  # noqa: PLC0415

    scanner = dataset.scanner(
        columns=list(columns),
        filter=condition,
        # Else the compressed columns of a row group are there at once, besides what they become.
        fragment_scan_options=ParquetFragmentScanOptions(use_buffered_stream=True, pre_buffer=False),
        batch_size=_AT_A_TIME,
        batch_readahead=1,
        fragment_readahead=1,
        use_threads=False,
    )
    yield from scanner.to_batches()


def _dataset(path: str) -> Any:
    # By way of the dataset: `to_pyarrow_table` was seen to abort the interpreter at its exit.
    return open_table(path).to_pyarrow_dataset()


def _columns(dataset: Any, columns: Sequence[str] | None) -> list[str]:
    return [name for name in dataset.schema.names if columns is None or name in columns]


def _order(table: pa.Table, names: Sequence[str]) -> Any:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    columns: dict[str, Any] = {}
    for name in names:
        columns |= {f"{name} is there": table[name].is_valid().cast(pa.int8()), name: table[name]}
    return pc.sort_indices(pa.table(columns), sort_keys=[(name, "ascending") for name in columns])


def _is_sortable(schema: pa.Schema, name: str) -> bool:
    import pyarrow as pa  # noqa: PLC0415

    return not pa.types.is_nested(schema.field(name).type)
