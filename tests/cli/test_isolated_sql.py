"""SQL over tables reads those and nothing else, within bounds."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kwitness.answers.failure import CommandFailedError
from kwitness.answers.tables.isolated_sql import answer_query

CLIENTS = pa.table({"client_id": ["orders", "a\x1b[2Jb"], "pushes": [1, 2]})
NOTHING_ELSE = "A query reads the tables and nothing else: no file, no address, no extension, no setting."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that a query may not read, in a form that DuckDB reads without extensions."""
    path = tmp_path / "secret.parquet"
    pq.write_table(pa.table({"secret": ["canary"]}), path)
    return path


@pytest.mark.parametrize(
    "query",
    [
        "FROM read_parquet('{file}')",
        "SELECT * FROM read_text('{file}')",
        "SELECT content FROM read_blob('{file}')",
        "FROM glob('{folder}/*')",
        "FROM parquet_metadata('{file}')",
        "FROM sniff_csv('{file}')",
        "FROM query('FROM read_parquet(''{file}'')')",
        "FROM json_execute_serialized_sql(json_serialize_sql('FROM read_text(''{file}'')'))",
        "CREATE MACRO f() AS TABLE FROM read_text('{file}'); FROM f()",
        "FROM 'https://127.0.0.1:1/secret.parquet'",
        "FROM read_csv('s3://bucket/secret.csv')",
        "ATTACH '{folder}/other.db'",
        "COPY clients TO '{folder}/copy.csv'",
        "COPY (SELECT 1) TO '{folder}/copy.parquet'",
        "EXPORT DATABASE '{folder}/copy'",
        "IMPORT DATABASE '{folder}'",
        "INSTALL httpfs",
        "FORCE INSTALL httpfs FROM community",
        "LOAD httpfs",
        "LOAD '{folder}/x.duckdb_extension'",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
        "RESET memory_limit",
        "PRAGMA threads = 64",
        "SET lock_configuration = false",
        "SET temp_directory = '{folder}'",
        "SET allow_community_extensions = true",
        "PRAGMA profiling_output = '{folder}/profile'",
        "CALL enable_logging(storage = 'file', storage_path = '{folder}/log')",
    ],
)
def test_a_query_that_reaches_for_anything_else_is_refused(file: Path, query: str) -> None:
    with pytest.raises(CommandFailedError) as refused:
        answer_query(query.format(file=file, folder=file.parent), {"clients": CLIENTS})

    assert str(refused.value).startswith("DuckDB refuses the query: ")
    assert NOTHING_ELSE in str(refused.value)
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("query", ["FROM CLIENTS_OF_THE_PROGRAM", "SELECT getenv('HOME')", "FROM 'secret.parquet'"])
def test_variables_of_the_program_and_its_surroundings_are_unknown(
    file: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.chdir(file.parent)
    CLIENTS_OF_THE_PROGRAM = CLIENTS  # noqa: F841, N806 - DuckDB would find it by its name

    with pytest.raises(CommandFailedError, match=r"^DuckDB refuses the query: .*\n(.*\n)*The tables are clients\.$"):
        answer_query(query, {"clients": CLIENTS})


def test_the_secrets_of_the_person_are_not_read() -> None:
    assert answer_query("SELECT count(*) FROM duckdb_secrets()", {}).rows == [(0,)]
    with pytest.raises(CommandFailedError, match="refuses"):
        answer_query("CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'x')", {})


def test_memory_is_bounded_and_nothing_is_written_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(CommandFailedError, match=r"^the query needs more than 32 MiB of memory: select fewer"):
        answer_query("SELECT string_agg(n::VARCHAR, ',') FROM range(20000000) r(n)", {}, memory=32 * 1024 * 1024)

    assert list(tmp_path.iterdir()) == []


def test_rows_are_bounded_before_they_are_made() -> None:
    answer = answer_query("SELECT n FROM range(1000000000000) r(n)", {}, limit=2)

    assert answer == (["n"], [(0,), (1,)], True)
    assert answer_query("SELECT 1 AS n", {}, limit=1).has_more is False


def test_columns_of_the_same_name_get_numbers() -> None:
    assert answer_query('SELECT 1 AS a, 2 AS a, 3 AS "a_2", 4 AS "a"', {}).columns == ["a", "a_2", "a_2_2", "a_3"]


@pytest.mark.parametrize("query", ["", " ", "-- nothing", ";"])
def test_a_query_without_a_statement_is_answered_with_what_to_write(query: str) -> None:
    with pytest.raises(CommandFailedError, match="write one that begins with SELECT or FROM"):
        answer_query(query, {"clients": CLIENTS})


def test_an_error_with_a_clients_name_does_not_reach_the_terminal_as_it_is() -> None:
    with pytest.raises(CommandFailedError) as refused:
        answer_query("SELECT client_id::INTEGER FROM clients WHERE pushes = 2", {"clients": CLIENTS})

    assert "a?[2Jb" in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_a_query_is_interrupted() -> None:
    # As at a terminal, also where the suite itself runs in the background of a shell, which ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    try:
        interrupt.start()
        with pytest.raises(KeyboardInterrupt):
            answer_query("SELECT count(*) FROM range(1000000) a, range(30000) b WHERE a.range % 7 = b.range % 11", {})
    finally:
        interrupt.join()
        signal.signal(signal.SIGINT, before)
