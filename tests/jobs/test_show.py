from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from kwitness.contracts.resources.analytics_parameters import ClientInventoryParameters
from kwitness.jobs.analyses.client_inventory.job import JOB, SINK
from kwitness.jobs.analyses.client_inventory.transform import transform
from kwitness.jobs.analyses.registry import find_job
from kwitness.jobs.frame.delta_table import JobTable
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.text_table import render
from kwitness.sandbox.waiting import run_to_end

from tests.jobs import oracle
from tests.jobs.tables import by_client, frame_of, kinded
from tests.jobs.traffic import otlp, push, snapshot

RECORDS = [push(1, otlp(oracle.REQUIRED["producer"])), push(2, client_instance_id="other"), snapshot(3)]

JOB_INPUT = JobInput(ClientInventoryParameters(), 300.0)


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    table = JobTable(spark, (tmp_path_factory.mktemp("show") / "table").as_uri(), JOB.schema, SINK.keys)
    table.ensure()
    table.merge(transform(frame_of(spark, RECORDS), JOB_INPUT).rows, SINK.merge, {})
    return table.path


def test_the_table_is_shown_to_programs_as_json(table: str) -> None:
    done = _show("ClientInventory", "--table", table, "--json")

    assert done.returncode == 0, done.stderr
    assert by_client(json.loads(done.stdout)) == oracle.inventory(kinded(RECORDS))[0]


def test_the_table_is_shown_to_people_in_columns(table: str) -> None:
    done = _show("ClientInventory", "--table", table)

    assert done.returncode == 0, done.stderr
    heading, *lines = done.stdout.splitlines()
    assert heading.startswith("KIND")
    assert len(lines) == 3
    assert any("orders" in line and "producer" in line and "yes" in line for line in lines)


@pytest.mark.slow
def test_no_table_yet_is_said_in_a_line(tmp_path: Path) -> None:
    done = _show("ClientInventory", "--table", str(tmp_path / "nothing"))

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "first micro-batch" in done.stderr


@pytest.mark.slow
def test_a_place_without_a_job_is_told_what_to_do() -> None:
    done = _show("ClientInventory")

    assert done.returncode == 1
    assert "give --table" in done.stderr


def test_the_quarantine_is_shown_with_reasons_and_places(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "records")
    rejected = transform(frame_of(spark, [push(7, b"garbage")]), JOB_INPUT).rejected
    rejected.write.format("delta").save(path)

    done = _show("ClientInventory", "--quarantine", "--table", path)

    assert done.returncode == 0, done.stderr
    heading, line = done.stdout.splitlines()
    assert heading.split()[:4] == ["TOPIC", "PARTITION", "OFFSET", "REASON"]
    assert line.split()[:4] == ["kwitness.telemetry", "1", "7", "MalformedPayload"]


def test_a_table_of_any_size_is_shown_in_little_memory_and_it_says_what_it_left_out(tmp_path: Path) -> None:
    many = 40_000
    metrics = pa.DictionaryArray.from_arrays(pa.array([0] * many), pa.array(["m"])).cast("string")
    table = pa.table(
        {
            "kind": ["instance"] * many,
            "client_id": [f"client-{number * 7919 % many:06}" for number in range(many)],
            "metrics": pa.ListArray.from_arrays(list(range(many + 1)), metrics),
            **{f"column_{number}": list(range(many)) for number in range(40)},
        }
    )
    write_deltalake(tmp_path / "table", table)

    small, shown, all_of_it = (
        _measured("ClientInventory", "--table", str(tmp_path / "table"), *more)
        for more in (("--limit", "1"), (), ("--json", "--limit", "0"))
    )

    lines = shown.text.splitlines()
    assert len(lines) == 1 + 1000
    assert [line.split()[3] for line in (lines[1], lines[-1])] == ["client-000000", "client-000999"]
    assert shown.said == "1000 of 40000 rows: --limit says how many\n"
    assert len(json.loads(all_of_it.text)) == many
    # As dictionaries of Python they would be 150 MB.
    assert max(shown.peak_bytes, all_of_it.peak_bytes) < small.peak_bytes + 50_000_000


def test_what_clients_are_called_does_not_reach_the_terminal_raw() -> None:
    text = render(JOB.display_columns, [{"kind": "instance", "client_id": "a\x1b[2Jb\nc", "roles": ["\x1b[2J"]}])

    assert "\x1b" not in text
    assert len(text.splitlines()) == 2


class _Measured(NamedTuple):
    text: str
    said: str
    peak_bytes: int


def _measured(*arguments: str) -> _Measured:
    """What a run wrote, and the most memory that it had."""
    program = (
        "import resource, sys; from kwitness.jobs.show import main; code = main(); sys.stdout.flush(); "
        "sys.stderr.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)); sys.stderr.flush(); "
        "import os; os._exit(code)"
    )
    command = [sys.executable, "-c", program, *arguments]
    done = run_to_end(command, check=True)
    said, _, peak = done.stderr.rpartition("\n")
    return _Measured(done.stdout, f"{said}\n", int(peak) * 1024)


def test_traffic_is_shown_with_its_windows_and_as_json_with_days_and_maps(tmp_path: Path) -> None:
    path = str(tmp_path / "table")
    row = {
        "day": date(2026, 9, 21),
        "window_seconds": 300,
        "window_start_ms": 1_790_031_600_000,
        "kind": "api",
        "api": "Fetch",
        "requests": 7,
        "errors": {"6": 2},
        "response_time": {900: 7},
        "state": "sealed",
    }
    schema = to_arrow_schema(find_job("Traffic").schema)
    write_deltalake(path, pa.Table.from_pylist([row], schema=schema))

    heading, line = _show("Traffic", "--table", path).stdout.splitlines()
    (shown,) = json.loads(_show("Traffic", "--table", path, "--json").stdout)

    assert heading.split()[:4] == ["WINDOW", "SECONDS", "KIND", "API"]
    assert line.split()[:5] == ["2026-09-21", "23:00:00Z", "300", "api", "Fetch"]
    assert line.split()[-1] == "sealed"
    assert (shown["day"], shown["errors"], shown["requests"]) == ("2026-09-21", {"6": 2}, 7)


def _show(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kwitness.jobs.show", *arguments]
    return run_to_end(command)
