"""`kwitness tables`: real Delta tables, as jobs lay them, written without Spark and read by the command."""

from __future__ import annotations

import base64
import csv
import io
import json
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
import yaml
from deltalake import DeltaTable, write_deltalake

from kwitness.answers.failure import CommandFailedError
from kwitness.cli import forgetting
from kwitness.cli.__main__ import main
from kwitness.sandbox.waiting import run_to_end

NOW_MS = 1_790_000_000_000
INVENTORY = pa.table(
    {
        "row_id": ["1", "2", "3"],
        "kind": ["instance", "instance", "software"],
        "principal": ["User:alice", "User:O'Hara", None],
        "client_id": ["orders", "a\x1b[2Jb", None],
        "roles": [["producer"], [], None],
        "last_seen_ms": [NOW_MS, NOW_MS + 1000, NOW_MS],
        "terminated": pa.array([None, None, None], pa.bool_()),
        "computed_by": ["ClientInventory/1"] * 3,
    }
)
LAST = pa.struct([("principal", pa.string()), ("at_ms", pa.int64())])
TOPICS = pa.table(
    {
        "topic": ["orders", "returns"],
        "last_produce": pa.array(
            [{"principal": "User:alice", "at_ms": 1}, {"principal": "User:bob", "at_ms": 2}], LAST
        ),
        "last_fetch": pa.array([{"principal": "User:alice", "at_ms": 1}, None], LAST),
        "principals": [["User:alice", "User:bob"], ["User:bob"]],
        "last_read_principal": ["User:alice", "User:bob"],
        "last_read_client_id": ["shop", "shop"],
        "last_read_ms": [1, 2],
        "computed_by": ["UnusedTopics/1"] * 2,
    }
)


FACTS = pa.table(
    {
        "day": pa.array([date(2026, 9, 21), date(2026, 9, 22), date(2026, 9, 22)]),
        "principal": ["User:alice", "User:alice", None],
        "errors": pa.array([[("0", 7)], None, []], pa.map_(pa.string(), pa.int64())),
        "response_time": pa.array([[(4, 7)], [], None], pa.map_(pa.int32(), pa.int64())),
    }
)


def quarantined(offset: int, value: bytes, header: bytes) -> dict[str, Any]:
    kept = {name: base64.b64encode(content).decode() for name, content in (("value", value), ("header", header))}
    return {
        "topic": "kwitness.telemetry",
        "partition": 0,
        "offset": offset,
        "timestamp_ms": NOW_MS,
        "reason": "MalformedPayload",
        "key_base64": None,
        "headers": [{"key": "principal", "value_base64": kept["header"]}],
        "value_base64": kept["value"],
    }


QUARANTINE = pa.Table.from_pylist(
    [
        quarantined(0, b"", b"User:alice"),
        quarantined(1, b'{"principal": "User:alice"', b"x"),
        quarantined(2, b"User:bob", b"User:bob"),
    ]
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two jobs of one namespace, as the operator lays them."""
    root = tmp_path / "kwitness"
    for path, rows in {
        "client-inventory/table": INVENTORY,
        "client-inventory/quarantine/records": QUARANTINE,
        "traffic/facts": FACTS,
        "unused/table": TOPICS,
    }.items():
        properties = {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"}
        by = ["day"] if "day" in rows.schema.names else None
        write_deltalake(str(root / path), rows, configuration=properties, partition_by=by)
    (root / "client-inventory/checkpoint/offsets").mkdir(parents=True)
    return root


class Said(NamedTuple):
    """What the command says, and whether it failed: in this process, as each start of one takes half a second."""

    stdout: str
    stderr: str
    returncode: int


def tables(*arguments: str) -> Said:
    told, complained = io.StringIO(), io.StringIO()
    with redirect_stdout(told), redirect_stderr(complained):
        code = main(["tables", *arguments])
    return Said(told.getvalue(), complained.getvalue(), code)


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = DeltaTable(str(path)).to_pyarrow_dataset().to_table().to_pylist()
    return found


def test_tables_of_a_folder_are_listed_by_their_paths(folder: Path) -> None:
    done = tables("list", str(folder))

    assert done.returncode == 0, done.stderr
    heading, *lines = [line.split() for line in done.stdout.splitlines()]
    assert heading[:4] == ["NAME", "ROWS", "VERSION", "CHANGED"]
    assert [(one[0], one[1]) for one in lines] == [
        ("client_inventory_quarantine_records", "3"),
        ("client_inventory", "3"),
        ("traffic_facts", "3"),
        ("unused", "2"),
    ]
    assert lines[3][-2:] == ["UnusedTopics/1", str(folder / "unused/table")]


def test_rows_are_shown_to_people_without_what_is_empty_and_to_programs_whole(folder: Path) -> None:
    # A job's folder stands for its table.
    people = tables("show", str(folder / "client-inventory"), "--limit", "2")
    programs = tables("show", (folder / "client-inventory/table").as_uri(), "-o", "json")
    picked = tables("show", str(folder / "client-inventory"), "--columns", "kind,last_seen_ms", "--limit", "1")

    heading, *lines = people.stdout.splitlines()
    assert heading.split("  ")[0] == "ROW ID"
    assert "TERMINATED" not in heading
    assert len(lines) == 2
    assert "\x1b" not in people.stdout
    assert people.stderr == ("kwitness: 2 of 3 rows are shown: --limit shows more, and `kwitness tables sql` selects\n")
    assert json.loads(programs.stdout)["items"] == INVENTORY.to_pylist()
    assert picked.stdout.splitlines()[1].split() == ["instance", "2026-09-21", "14:13:20Z"]


def test_answers_have_every_format(folder: Path) -> None:
    formula = "SELECT '=1+1' AS client, -5 AS number, 2.50 AS price, map([1], [2]) AS counts FROM unused LIMIT 1"
    listed = tables("list", str(folder), "-o", "name")
    cells = tables("sql", formula, str(folder), "-o", "csv")
    none = tables("sql", "SELECT topic, principals FROM unused WHERE false", str(folder), "-o", "csv")
    exact = tables(
        "sql", "SELECT sum(errors['0']) AS total, 1.25 AS part FROM traffic_facts", str(folder), "-o", "yaml"
    )
    versions = tables("history", str(folder / "unused"), "-o", "name")
    facts = tables("show", str(folder / "traffic/facts"), "-o", "csv")

    assert listed.stdout.splitlines()[-1] == str(folder / "unused/table")
    assert list(csv.reader(io.StringIO(cells.stdout))) == [
        ["client", "number", "price", "counts"],
        ["'=1+1", "-5", "2.5", '{"1": 2}'],
    ]
    assert none.stdout == "topic,principals\r\n"
    assert yaml.safe_load(exact.stdout) == {"items": [{"total": 7, "part": 1.25}]}
    assert versions.stdout == "0\n"
    assert min(csv.reader(io.StringIO(facts.stdout))) == ["2026-09-21", "User:alice", '{"0": 7}', '{"4": 7}']


def test_sql_sees_each_table_by_its_name(folder: Path) -> None:
    query = (
        "SELECT kind, count(*) AS clients, (SELECT count(*) FROM unused) AS topics FROM client_inventory "
        "GROUP BY kind ORDER BY kind"
    )
    people, programs = tables("sql", query, str(folder)), tables("sql", query, str(folder), "-o", "json")
    own = tables("sql", "SELECT client_inventory.kind FROM client_inventory", str(folder / "client-inventory"))

    assert [line.split() for line in people.stdout.splitlines()] == [
        ["kind", "clients", "topics"],
        ["instance", "2", "2"],
        ["software", "1", "2"],
    ]
    assert json.loads(programs.stdout)["items"][0] == {"kind": "instance", "clients": 2, "topics": 2}
    assert own.returncode == 0, own.stderr


def test_rows_of_a_query_are_bounded_with_a_warning(folder: Path) -> None:
    done = tables("sql", "SELECT kind FROM client_inventory", str(folder), "--limit", "2", "-o", "csv")

    assert len(done.stdout.splitlines()) == 3
    assert done.stderr == "kwitness: the first 2 rows are shown: --limit shows more, and LIMIT in the query fewer\n"


def test_what_cannot_be_answered_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    refused = tables("sql", "SELECT * FROM clients", str(folder))
    empty = tables("list", str(folder / "client-inventory/checkpoint"))
    absent = tables("show", str(tmp_path / "nothing"))
    old = tables("show", str(folder / "unused"), "--version", "7")
    column = tables("show", str(folder / "unused"), "--columns", "client")
    store = tables("list", "s3://bucket/tables")

    answers = (refused, empty, absent, old, column, store)
    assert [one.returncode for one in answers] == [1] * len(answers)
    assert (
        "The tables are client_inventory_quarantine_records, client_inventory, traffic_facts, unused." in refused.stderr
    )
    assert "name a folder that jobs write to" in empty.stderr
    assert "`kwitness tables list FOLDER` names those of a folder" in absent.stderr
    assert "version 7 of " in old.stderr
    assert "`kwitness tables history PATH` lists its versions" in old.stderr
    assert "the table has no column client: it has topic, last_produce" in column.stderr
    assert "name one table to `show`, or its AnalyticsJob by --job" in store.stderr


def test_a_principal_is_forgotten_in_rows_fields_lists_and_the_quarantine(folder: Path) -> None:
    ask = ("forget", "--principal", "User:alice", str(folder))
    inventory, unused = folder / "client-inventory/table", folder / "unused/table"

    asked = tables(*ask)
    told = [line.split()[:3] for line in asked.stdout.splitlines()[1:]]
    assert told == [
        ["client_inventory_quarantine_records", "2", "0"],
        ["client_inventory", "1", "0"],
        ["traffic_facts", "2", "0"],
        ["unused", "0", "4"],
    ]
    assert asked.stderr == "kwitness: nothing was changed: --yes removes the principal\n"
    assert len(rows(inventory)) == 3

    done = tables(*ask, "--yes")

    assert [line.split()[:3] for line in done.stdout.splitlines()[1:]] == told
    assert "files of older versions still hold the principal" in done.stderr
    assert [row["principal"] for row in rows(inventory)] == ["User:O'Hara", None]
    assert [row["offset"] for row in rows(folder / "client-inventory/quarantine/records")] == [2]
    assert rows(folder / "traffic/facts") == FACTS.slice(2).to_pylist()
    orders, returns = sorted(rows(unused), key=lambda row: row["topic"])
    emptied = dict.fromkeys(("last_produce", "last_fetch", "last_read_principal", "last_read_client_id"))
    assert orders == {**TOPICS.to_pylist()[0], **emptied, "principals": ["User:bob"]}
    assert returns == TOPICS.to_pylist()[1]
    assert [line.split()[1:] for line in tables(*ask).stdout.splitlines()[1:]] == [["0", "0"]] * 4
    operations = [line.split("  ") for line in tables("history", str(unused)).stdout.splitlines()]
    assert sum("UPDATE" in line for line in operations) == 4


def test_a_vacuum_removes_files_of_older_versions_and_none_that_a_job_is_about_to_commit(folder: Path) -> None:
    path = folder / "client-inventory/table"
    (before,) = path.glob("*.parquet")
    coming = path / "part-00000-of-a-batch-that-runs.snappy.parquet"
    coming.write_bytes(before.read_bytes())

    done = tables("forget", "--principal", "User:O'Hara", str(folder), "--yes", "--vacuum")

    assert done.returncode == 0, done.stderr
    assert "1 files of older versions were removed" in done.stderr
    assert not before.exists()
    assert coming.exists()
    assert [row["principal"] for row in rows(path)] == ["User:alice", None]


def test_a_job_that_writes_the_same_file_meanwhile_is_waited_for(folder: Path) -> None:
    path = str(folder / "client-inventory/table")
    tried = []

    def delete(table: DeltaTable) -> dict[str, Any]:
        tried.append(table.version())
        if len(tried) == 1:
            # What a driver's merge does: rewrite the file that holds the row.
            DeltaTable(path).update({"client_id": "'new'"}, predicate="principal = 'User:alice'")
        result: dict[str, Any] = table.delete("principal = 'User:alice'")
        return result

    done = forgetting._committed(path, delete)

    assert tried == [0, 1]
    assert done["num_deleted_rows"] == 1


def test_a_job_that_never_pauses_is_named_with_what_to_do(folder: Path) -> None:
    path = str(folder / "client-inventory/table")

    def delete(table: DeltaTable) -> dict[str, Any]:
        DeltaTable(path).update({"client_id": f"'{time.time_ns()}'"}, predicate="principal = 'User:alice'")
        result: dict[str, Any] = table.delete("principal = 'User:alice'")
        return result

    with pytest.raises(CommandFailedError, match=r"suspend it \(spec.suspend\), and try again"):
        forgetting._committed(path, delete)


@pytest.mark.parametrize(
    "field",
    [
        pa.field("clients", pa.list_(LAST)),
        pa.field("principal", pa.list_(pa.string())),
        pa.field("by", pa.map_(pa.string(), LAST)),
        pa.field("deep", pa.struct([("principals", pa.list_(pa.string()))])),
    ],
    ids=str,
)
def test_principals_where_they_cannot_be_removed_are_refused_not_passed_over(field: pa.Field) -> None:
    with pytest.raises(CommandFailedError, match="holds principals in a form that this version does not know"):
        forgetting.mentions(pa.schema([field]))


@pytest.mark.slow
def test_the_process_ends_with_the_status_of_the_answer(folder: Path) -> None:
    command = [sys.executable, "-m", "kwitness.cli", "tables", "show", "-o", "json"]
    done, failed = (run_to_end([*command, str(path)]) for path in (folder / "unused", folder))

    assert (done.returncode, json.loads(done.stdout)["items"], done.stderr) == (0, TOPICS.to_pylist(), "")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("kwitness tables: there is no Delta table at ")


def test_without_its_libraries_the_command_says_what_to_install() -> None:
    program = (
        "import importlib.util, sys\n"
        "importlib.util.find_spec = lambda name: None\n"
        "from kwitness.cli.__main__ import main\n"
        "sys.exit(main(['tables', 'list', '.']))\n"
    )
    done = run_to_end([sys.executable, "-c", program])

    assert done.returncode == 1
    assert "needs deltalake, duckdb," in done.stderr
    assert "pip install --find-links dist 'kwitness[tables]'" in done.stderr
