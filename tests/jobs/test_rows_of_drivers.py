"""A driver reads rows of its own table for others: within bounds, and it says what it leaves out."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from kwitness.contracts.envelopes.driver_rows import END_OF_ROWS, MAX_ROWS, MAX_ROWS_BYTES, RowsEnd
from kwitness.contracts.job_config import JobConfig
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.jobs.driver.access_review import AccessReviewer
from kwitness.jobs.driver.kubernetes_reviews import KubernetesReviews
from kwitness.jobs.driver.row_reader import ReadRequest, UnknownColumnError, write_table
from kwitness.jobs.driver.rows_endpoint import RefusedRowsError, RowsEndpoint
from kwitness.jobs.driver.token_review import TokenReviewer
from kwitness.jobs.frame.first_rows import NoTableError

ROWS = 5_000
"""More than two batches of the reader."""
VALUES = pa.table(
    {
        "number": pa.array(range(ROWS), pa.int64()),
        "at": pa.array([datetime(2026, 1, 1, tzinfo=UTC)] * ROWS, pa.timestamp("us", "UTC")),
        "errors": pa.array([[("6", 1)]] * ROWS, pa.map_(pa.string(), pa.int64())),
        "name": ["x"] * ROWS,
    }
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("rows") / "a b/table"
    write_deltalake(path, VALUES)
    return path.as_uri()


def test_all_rows_come_with_their_types(path: str) -> None:
    rows, end = _written(ReadRequest(path=path))

    assert end == RowsEnd(rows=ROWS, left_out=0, table_version=0)
    assert rows.schema.names == VALUES.schema.names
    assert rows.sort_by("number").to_pylist() == VALUES.to_pylist()
    assert pa.types.is_timestamp(rows.schema.field("at").type)


@pytest.mark.parametrize(
    ("bounds", "rows", "reason"),
    [
        ({"limit": 3}, 3, "limit"),
        ({"limit": 2_000}, 2_000, "limit"),
        ({"limit": 2_001}, 2_001, "limit"),
        ({"most_rows": 4_000}, 4_000, "rows"),
        ({"limit": 4_001, "most_rows": 4_000}, 4_000, "rows"),
        ({"seconds": 0.0}, 0, "time"),
        ({"limit": ROWS}, ROWS, None),
        ({"limit": 9 * ROWS, "most_rows": ROWS}, ROWS, None),
    ],
    ids=str,
)
def test_an_answer_ends_at_the_first_bound_and_counts_what_is_left_out(
    path: str, bounds: dict[str, Any], rows: int, reason: str | None
) -> None:
    found, end = _written(ReadRequest(path=path, **bounds))

    assert found.num_rows == rows
    assert (end.rows, end.left_out, end.reason) == (rows, ROWS - rows, reason)


@pytest.mark.parametrize("most", [0, 7, 8, 1_000, 17_000, ROWS * 8 - 1])
def test_an_answer_has_at_most_so_many_bytes(path: str, most: int) -> None:
    found, end = _written(ReadRequest(path=path, columns=("number",), most_bytes=most))

    assert end.reason == "bytes"
    assert most // 2 - 8 <= found.nbytes <= most
    assert (end.rows, end.left_out) == (found.num_rows, ROWS - found.num_rows)


def test_the_bounds_are_those_of_the_contract() -> None:
    request = ReadRequest(path="x")

    assert (request.most_rows, request.most_bytes) == (MAX_ROWS, MAX_ROWS_BYTES)


def test_columns_come_in_the_order_in_which_they_are_named(path: str) -> None:
    found, _ = _written(ReadRequest(path=path, columns=("name", "number"), limit=1))

    assert found.schema.names == ["name", "number"]


def test_rows_are_chosen_by_conditions_before_they_are_counted(path: str) -> None:
    where = ("number >= 4990", "name = x", "number != 4999")

    found, end = _written(ReadRequest(path=path, where=where, limit=2, columns=("name",)))
    none, nothing_left = _written(ReadRequest(path=path, where=("name = y",)))

    assert found.to_pylist() == [{"name": "x"}] * 2
    assert (end.left_out, end.reason) == (7, "limit")
    assert (none.num_rows, nothing_left.left_out, nothing_left.reason) == (0, 0, None)


def test_a_column_that_is_not_there_is_named_with_those_that_are(path: str) -> None:
    with pytest.raises(UnknownColumnError, match="no column nmae: it has number, at, errors, name"):
        write_table(io.BytesIO(), ReadRequest(path=path, columns=("nmae",)))


def test_a_table_that_was_not_written_yet_is_no_error_of_the_reader(tmp_path: Path) -> None:
    with pytest.raises(NoTableError, match="wait for the job's first micro-batch"):
        write_table(io.BytesIO(), ReadRequest(path=tmp_path.as_uri()))


def test_the_table_is_read_in_a_process_of_its_own_for_one_caller_at_a_time(path: str) -> None:
    endpoint = _endpoint(path)

    with endpoint.read("limit=2&columns=number,number") as pieces:
        busy = _refusal(endpoint, "")
        rows, end = _parsed(pieces)
    with endpoint.read(""):
        pass  # who goes away before the end leaves neither a turn nor a process behind
    with endpoint.read("limit=1") as pieces:
        again, _ = _parsed(pieces)

    assert (busy.status, busy.reason) == (503, "Busy")
    assert rows.num_rows == 2
    assert rows.schema.names == ["number"]
    assert (end.left_out, end.reason) == (ROWS - 2, "limit")
    assert again.num_rows == 1
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


@pytest.mark.parametrize(
    ("bounds", "seconds"), [({"memory": 48 * 1024 * 1024}, 600.0), ({}, 0.05)], ids=["memory", "time"]
)
def test_a_reader_that_uses_too_much_is_ended(path: str, bounds: dict[str, Any], seconds: float) -> None:
    refused = _refusal(_endpoint(path, bounds, seconds), "")

    assert (refused.status, refused.reason) == (422, "TooLarge")
    assert "ask for fewer columns" in refused.message


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        *((f"limit={limit}", "BadLimit") for limit in ("", "0", "-1", "1e3", "%D9%A1", "x" * 9999, "1" * 10)),
        ("sort=name", "BadParameter"),
        ("path=/etc", "BadParameter"),
        ("&".join(["where=number=1"] * 17), "BadParameter"),
    ],
)
def test_questions_that_are_not_understood_start_no_reader(
    path: str, query: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subprocess.Popen", None)

    refused = _refusal(_endpoint(path), query)

    assert (refused.status, refused.reason) == (400, reason)
    assert len(refused.message) < 200


def test_a_table_in_a_bucket_is_not_read_for_others() -> None:
    refused = _refusal(_endpoint("s3a://tables/x/table"), "")

    assert (refused.status, refused.reason) == (409, "InObjectStore")
    assert "keys of your own" in refused.message


def _endpoint(path: str, bounds: dict[str, Any] | None = None, seconds: float = 600.0) -> RowsEndpoint:
    config = JobConfig(
        type="Traffic",
        cluster_id="c",
        kafka=KafkaConnection(bootstrap_servers=()),
        table_path=path,
        checkpoint_path="/c",
        quarantine_path="/q",
    )
    reviews = KubernetesReviews("http://127.0.0.1:1")
    # Time is for machines that do other things as well.
    request = ReadRequest(path=path, seconds=600.0, **(bounds or {}))
    return RowsEndpoint(config, TokenReviewer(reviews, "x"), AccessReviewer(reviews, "x", "y"), request, seconds)


def _refusal(endpoint: RowsEndpoint, query: str) -> RefusedRowsError:
    with pytest.raises(RefusedRowsError) as refused, endpoint.read(query):
        pass
    return refused.value


def _written(request: ReadRequest) -> tuple[pa.Table, RowsEnd]:
    output = io.BytesIO()
    write_table(output, request)
    output.seek(0)
    assert output.readline() == b'{"status":200,"error":null}\n'
    return _parsed([output.read()])


def _parsed(pieces: Iterable[bytes]) -> tuple[pa.Table, RowsEnd]:
    end = None
    with pa.ipc.open_stream(b"".join(pieces)) as stream:
        batches = []
        for batch, metadata in stream.iter_batches_with_custom_metadata():
            batches.append(batch)
            if metadata is not None:
                end = RowsEnd.model_validate_json(metadata[END_OF_ROWS])
        assert end is not None
        assert batches[-1].num_rows == 0
        return pa.Table.from_batches(batches, stream.schema), end
