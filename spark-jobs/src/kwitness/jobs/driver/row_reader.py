"""The program that reads a table for `/rows`: a process of its own, so that it takes nothing from the job.

It has a bound of memory, gives way to the driver, and ends by itself. On its standard output are a line of JSON, a
`ReadHead`, and unless that has an error a stream of Arrow, whose last batch is empty and has a `RowsEnd` as metadata.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from http import HTTPStatus
from importlib.abc import MetaPathFinder
from io import BufferedIOBase
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import override

from kwitness.contracts.envelopes.driver_rows import END_OF_ROWS, MAX_ROWS, MAX_ROWS_BYTES, RowsEnd
from kwitness.contracts.envelopes.pushes import ApiError, ErrorBody
from kwitness.jobs.frame.first_rows import NoTableError, batches_of, open_table
from kwitness.jobs.frame.row_filter import InvalidFilterError, filter_of

if TYPE_CHECKING:
    import pyarrow as pa

Reason = Literal["limit", "rows", "bytes", "time"]

__all__ = ["READER_BYTES", "READ_SECONDS", "ReadHead", "ReadRequest", "UnknownColumnError", "main", "write_table"]

READ_SECONDS: Final = 30
"""For reading; an answer that takes longer ends with the rows that it has."""
READER_BYTES: Final = 384 * 1024 * 1024
"""Of data in memory: 100 MiB of them are the libraries', and columns of one row group are there at a time."""
_NICENESS: Final = 5
#: Behind the end of reading: a process whose driver was killed ends by itself.
_ALARM_SECONDS: Final = 30


class ReadRequest(BaseModel):
    """The table that is read and the bounds of reading; without columns it has all."""

    model_config = ConfigDict(frozen=True)

    path: str
    columns: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    limit: int | None = None
    most_rows: int = MAX_ROWS
    most_bytes: int = MAX_ROWS_BYTES
    seconds: float = READ_SECONDS
    memory: int = READER_BYTES


class ReadHead(BaseModel):
    """The first line of the output: an error, or that rows follow."""

    status: int = HTTPStatus.OK
    error: ErrorBody | None = Field(None)


def main(arguments: Sequence[str]) -> int:
    """Write what the only argument, a `ReadRequest` as JSON, asks for; return 1 if the reading end was closed."""
    request = ReadRequest.model_validate_json(arguments[0])
    resource.setrlimit(resource.RLIMIT_DATA, (request.memory, request.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(int(request.seconds) + _ALARM_SECONDS)
    os.nice(_NICENESS)
    sys.meta_path.insert(0, _WithoutPandas())
    with suppress(OSError):
        # Where the pod is out of memory, this process is the one to go.
        Path("/proc/self/oom_score_adj").write_text("1000")
    with suppress(BrokenPipeError), os.fdopen(1, "wb") as output:
        _write(output, request)
        return 0
    return 1


class _WithoutPandas(MetaPathFinder):
    """Hides pandas from Arrow, which else imports it where it is installed: more time and memory than all else here."""

    @override
    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("it is not used here", name=fullname)


class UnknownColumnError(LookupError):
    """The table has no such column."""


class _Bounds:
    """Counts rows and bytes of an answer, and knows why it ends before the table does."""

    def __init__(self, request: ReadRequest) -> None:
        self._request = request
        self._deadline = time.monotonic() + request.seconds
        self._is_limited = request.limit is not None and request.limit <= request.most_rows
        self._most = request.limit if request.limit is not None and self._is_limited else request.most_rows
        self._bytes = 0
        self.rows = 0
        self.reason: Reason | None = None

    def within(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return what of batches fits, up to the first bound."""
        for batch in batches:
            if time.monotonic() >= self._deadline:
                self.reason = "time"
                return
            part = self._fitting(batch.slice(0, self._most - self.rows))
            self.rows += part.num_rows
            self._bytes += part.nbytes
            if part.num_rows:
                yield part
            if part.num_rows < batch.num_rows:
                self.reason = "bytes" if self.rows < self._most else "limit" if self._is_limited else "rows"
                return

    def _fitting(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        while batch.num_rows and batch.nbytes > self._request.most_bytes - self._bytes:
            batch = batch.slice(0, batch.num_rows // 2)
        return batch


def _write(output: BufferedIOBase, request: ReadRequest) -> None:
    try:
        write_table(output, request)
    except NoTableError as error:
        _write_head(output, HTTPStatus.NOT_FOUND, "NoTable", str(error))
    except UnknownColumnError as error:
        _write_head(output, HTTPStatus.BAD_REQUEST, "UnknownColumn", str(error))
    except InvalidFilterError as error:
        _write_head(output, HTTPStatus.BAD_REQUEST, "BadFilter", str(error))


def write_table(output: BufferedIOBase, request: ReadRequest) -> None:
    """Write the head and the rows of a table.

    Raises
    ------
    NoTableError
        There is no table yet.
    UnknownColumnError
        It has no such column.
    InvalidFilterError
        A condition does not fit it.
    """
    bounds = _Bounds(request)
    table = open_table(request.path)
    dataset = table.to_pyarrow_dataset()
    known = dataset.schema.names
    if unknown := [name for name in request.columns if name not in known]:
        raise UnknownColumnError(f"the table has no column {unknown[0][:100]}: it has {', '.join(known)}")
    columns = request.columns or known
    condition = filter_of(dataset.schema, request.where)
    total = dataset.count_rows(filter=condition)
    batches = batches_of(dataset, columns, condition)
    # Before the head, while an error can still be the answer: the first batch takes the most memory.
    first = list(islice(batches, 1))
    output.write(ReadHead().model_dump_json().encode() + b"\n")
    import pyarrow as pa  # noqa: PLC0415 - only now is memory bounded

    schema = pa.schema([dataset.schema.field(name) for name in columns])
    with pa.ipc.new_stream(output, schema) as stream:
        for batch in bounds.within(chain(first, batches)):
            stream.write_batch(batch)
        left_out = max(0, total - bounds.rows)
        end = RowsEnd(rows=bounds.rows, left_out=left_out, reason=bounds.reason, table_version=table.version())
        stream.write_batch(pa.RecordBatch.from_pylist([], schema), {END_OF_ROWS: end.model_dump_json().encode()})


def _write_head(output: BufferedIOBase, status: HTTPStatus, reason: str, message: str) -> None:
    head = ReadHead(status=status, error=ErrorBody(error=ApiError(reason=reason, message=message)))
    output.write(head.model_dump_json().encode() + b"\n")


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    # Not sys.exit: deltalake 1.6 still has threads, and now and then aborts an interpreter that ends around them.
    os._exit(code)
